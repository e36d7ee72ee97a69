/** What a terminal obeys, or a reader does not see. Written as escapes: the very characters would act on an editor. */

const ESC = "\u001b"
const ENDS = ["\u0007", `${ESC}\\`, "\u009c", ""]

/** Strings that a terminal takes for itself: titles, the clipboard, links, pictures, answers that come back as keys. */
const STRINGS = [
  ..."]0;owned ]2;owned ]52;c;b3duZWQ= ]8;;http://owned.example ]4;1;? ]10;? ]11;? ]104 ]777;notify;a;b ]1337;File=:AA ]9;owned".split(
    " ",
  ),
  ...'P$q"p P+q544e Ptmux;owned _Gowned ^owned Xowned'.split(" "),
].flatMap((start) => ENDS.map((end) => `${ESC}${start}${end}`))

/** Movement, erasure, modes, reports. */
const CONTROLS = [
  ..."[2J [3J [H [1;1H [99A [99D [2K [1K [K [J [s [u [6n [c [>c [5n [?25l [?1049h [?2004h [?1000h [8m [31337m [0;31337m".split(
    " ",
  ),
  ..."[20t [21t [9;1t [38;5;31337m [?31337h [4h [20h [!p [1;5r [31337X [31337P [31337@ [31337M [31337L".split(
    " ",
  ),
  ..."c 7 8 D E M N O Z = > #8 (0 )B *A %G n o | } ~ \\".split(" "),
].map((rest) => `${ESC}${rest}`)

const C1 = Array.from({ length: 32 }, (_, i) => `${String.fromCharCode(0x80 + i)}31337m`)
const C0 = Array.from({ length: 32 }, (_, i) => String.fromCharCode(i)).filter((one) => !"\n\t".includes(one))

/** What turns the reading order around, takes no room, or looks like nothing. */
const UNSEEN = [
  ...range(0x202a, 0x202e),
  ...range(0x2066, 0x2069),
  ...range(0x200b, 0x200f),
  ...range(0x2060, 0x206f),
  ...range(0xfe00, 0xfe0f),
  ...range(0xe0020, 0xe0040),
  ...range(0xe0100, 0xe0110),
  ...range(0x180b, 0x180f),
  ...range(0xfff9, 0xfffb),
  ...[
    0x7f, 0xad, 0x34f, 0x61c, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x2028, 0x2029, 0x2800, 0x3164, 0xfeff, 0xffa0,
  ],
  ...[0xe0001, 0xe007f, 0x1d173, 0x1d17a, 0x1bca0, 0xfffe, 0xfdd0],
].map((code) => `${String.fromCodePoint(code)}x`)

const CUT = [
  "\ud83d",
  "\udc00",
  `${ESC}[`,
  `${ESC}[31337`,
  `${ESC}]`,
  "\u009b",
  "a\r",
  "\rb",
  "safe\r\u001b[2Kowned",
]

export const SEQUENCES: readonly string[] = [...STRINGS, ...CONTROLS, ...C1, ...C0, ...UNSEEN, ...CUT]

/** One text with something of every family, on one line. */
export const HOSTILE = `ow${ESC}]52;c;b3duZWQ=\u0007${ESC}[31337m${ESC}]0;t${ESC}\\\u009b31337m\r\u0008\u202ened\u200b\u2066\u{e0041}\u00ad\u3164\u2028${ESC}P1${ESC}\\\u0007`

/** The same, without what a file system, Git or a URL refuses. */
export const HOSTILE_NAME = HOSTILE.replaceAll("/", "")

// Here the very characters are looked for.
const HIDDEN =
  /[\p{Cc}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\p{Cs}\u2028\u2029\u2800\ufff9-\ufffb]/gu

/** Everything in an output that steers or hides; `ours` is what Sotto writes itself. */
export function hiddenIn(output: string, ours = /[\n\t]/): readonly string[] {
  return [...output.matchAll(HIDDEN)]
    .filter(([found]) => !ours.test(found))
    .map(
      ({ 0: found, index }) =>
        `U+${found.codePointAt(0)?.toString(16)} in ${JSON.stringify(output.slice(Math.max(0, index - 30), index + 20))}`,
    )
}

function range(from: number, to: number): readonly number[] {
  return Array.from({ length: to - from + 1 }, (_, i) => from + i)
}
