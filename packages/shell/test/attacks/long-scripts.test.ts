// biome-ignore-all lint/suspicious/noTemplateCurlyInString: they are shell's

import { mkdtempSync, realpathSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { beforeAll, describe, expect, it } from "vitest"
import { judge } from "../../src/index.js"
import { tables } from "../../src/programs/tables.js"

const long = process.env.SOTTO_ATTACKS === "long"
const LENGTHS = long ? [2_500, 6_000, 20_000] : [2_500, 20_000]
/** Milliseconds of the processor. Judging takes a tenth of it; what grows with the square of the length takes many times more. */
const MOST = 1_000
const MINUTE = 60_000

const PROGRAMS = [
  ...Object.keys(tables),
  ..."git xargs env nice timeout find grep rg fd jq awk sed date uniq xxd printf ps diff tar unzip tree file cd [ test read export declare unset bash frobnicate npm npx tsc sudo python3 rm cp make time command".split(
    " ",
  ),
  ...["git log", "git show", "git -C x diff", "xargs -I{} echo", "bash -c", "ssh host"],
]
const PARTS = [
  "-C x ",
  "a=b ",
  "x/",
  "*",
  "'a b' ",
  "{a,b} ",
  '"$x" ',
  "[a]*",
  "@a",
  "-e s/a/b/ ",
  "../ ",
  "$(a) ",
]
const SCRIPTS = [
  ..."a=1; x=$x; ( $( `a` a| a&& {a, ' \" \\ # ! ~ ${a:- ${a}".split(" "),
  ...[
    "cd x;",
    "cd x && ",
    "[ -f a ];",
    "[[ -f a ]]&&",
    "if a;then ",
    "{ a; };",
    "a() { b; };",
    "declare a=1;",
  ],
  ...[
    "cat<<E\nx\nE\n",
    "for i in a;do b;done;",
    "export a=(1);",
    "case x in a) b;;esac;",
    "a <b ",
    ">/dev/null ",
  ],
  ...[
    "echo 'a; ",
    "cat a/../",
    "sed 's/a/[",
    "env ",
    "xargs ",
    "bash -c ",
    "git -C a ",
    "[ @a@",
    "echo $((1+",
  ],
]

let cwd = ""
beforeAll(async () => {
  cwd = realpathSync(mkdtempSync(join(tmpdir(), "sotto-long-")))
  await judge("ls", { cwd })
})

const filled = (start: string, part: string, length: number) =>
  start + part.repeat(Math.floor((length - start.length) / part.length))

/** The scripts that take longer to judge than they may. */
async function slow(scripts: readonly string[]): Promise<readonly string[]> {
  const found: string[] = []
  for (const script of scripts) {
    const start = process.cpuUsage()
    await judge(script, { cwd })
    const taken = process.cpuUsage(start).user / 1000
    if (taken > MOST) found.push(`${Math.round(taken)} ms: ${script.slice(0, 60)}`)
  }
  return found
}

describe("a long script is judged in a moment", () => {
  it.each(LENGTHS)(
    "with many arguments, %i characters",
    async (length) => {
      // Each program with a few of the parts, each part with many of the programs.
      const scripts = PROGRAMS.flatMap((program, at) =>
        PARTS.filter((_, index) => long || (at + index) % 4 === 0).map((part) =>
          filled(`${program} `, part, length),
        ),
      )
      expect(await slow(scripts)).toEqual([])
    },
    5 * MINUTE,
  )

  it.each(LENGTHS)(
    "with many commands, %i characters",
    async (length) => {
      const commands = PROGRAMS.filter((_, at) => long || at % 4 === 0).map((program) => `${program} a; `)
      expect(await slow([...SCRIPTS, ...commands].map((part) => filled("", part, length)))).toEqual([])
    },
    5 * MINUTE,
  )
})
