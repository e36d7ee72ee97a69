import { parseArgs } from "node:util"
import { closest, decideTrust, isRehearsal, loadRules } from "@sotto/harness"
import { watchForLeaving } from "../exit.js"
import { wrapped } from "../output/wrapped.js"
import { inkFor } from "../screen/ink.js"
import { err, out, type Printer } from "../screen/printer.js"
import { type PageLine, type PageStyle, paragraph, rule, seenLines, toldLines } from "../tour/page.js"
import { ownScene, SCENES, SHORT_TOUR } from "../tour/scenes.js"
import { Stage, type TourScene } from "../tour/stage.js"
import { EXIT, UsageError } from "../usage.js"
import { type CommandOptions, optionRows, type Subcommand } from "./subcommand.js"

const MODEL = "anthropic/claude-opus-5-5"

const OPTIONS = {
  list: { type: "boolean", help: "every kind, with a line that says when it speaks" },
  model: {
    type: "string",
    default: MODEL,
    value: "P/M",
    help: `the model whose rules count, instead of ${MODEL}`,
  },
} as const satisfies CommandOptions

export const subcommand: Subcommand = {
  help: `sotto tour [KIND…] [options]: plays kinds of reminders with the real harness, and shows both sides

  sotto tour               the short tour: a message in the middle of a turn, a file that changes, a plan that is carried out
  sotto tour KIND…         any kind of the catalogue, and your own of .sotto/reminders/*.md

${optionRows(OPTIONS, 27)}

Each scene does what provokes the kind, in a temporary workspace of its own. It shows what the person sees, and what the
model was told: the text as it stands in the request, its carrier, its tokens and its place. The model is the rehearsal,
a stand-in on loopback: no key is needed and nothing is sent to a provider. When it ends, all of it is removed.
Exit codes: 0 done   1 a kind kept silent   2 unknown kind
`,
  options: OPTIONS,
  run,
}

/** Plays scenes of the catalogue in the rehearsal, and shows what the person sees and what the model is told. */
async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true })
  const known = [...SCENES, ...(await ownScenes())]
  const style = { width: pageWidth(), ink: inkFor(process.stdout.isTTY, process.env) }
  if (values.list) {
    list(known, out, style)
    return EXIT.done
  }
  if (isRehearsal(values.model))
    throw new UsageError(
      `--model ${values.model}: name the model that the rehearsal plays, such as ${MODEL}.`,
    )
  const chosen = positionals.map((kind) => sceneNamed(kind, known, style))
  const isShort = chosen.length === 0
  if (isShort) for (const line of paragraph(OPENING, style)) out.line(...line)
  const leaving = watchForLeaving()
  const left = new Promise<void>((resolve) => {
    leaving.signal.addEventListener("abort", () => resolve(), { once: true })
  })
  let silent = 0
  try {
    for (const scene of isShort ? SHORT_TOUR : chosen) {
      const spoke = await show(scene, values.model, left, isShort, style)
      if (leaving.signal.aborted) break
      if (!spoke) silent++
    }
  } finally {
    leaving.stop()
  }
  if (isShort && !leaving.signal.aborted) for (const line of paragraph(CLOSING, style)) out.line(...line)
  return leaving.code ?? (silent === 0 ? EXIT.done : EXIT.failed)
}

const OPENING =
  "Three scenes with the real harness, each in a workspace of its own. The model is the rehearsal: a stand-in, not an AI. " +
  "No key is needed, and nothing is kept."

const CLOSING =
  "That was the short tour. `sotto tour KIND` plays any other kind of reminder, and `sotto tour --list` names them. " +
  "With --model anthropic/claude-sonnet-5 you see how the same reminders travel to a model that takes no system messages."

/** Makes scenes of the user's own rules, and of the folder's if the user trusts it. */
async function ownScenes(): Promise<readonly TourScene[]> {
  const place = { cwd: process.cwd(), env: process.env }
  const { trusted, folder } = await decideTrust(place)
  return (await loadRules({ ...place, trusted, folder })).map(ownScene)
}

function list(scenes: readonly TourScene[], to: Printer, { width, ink }: PageStyle): void {
  const column = Math.max(...scenes.map(({ kind }) => kind.length)) + 2
  const isNarrow = width < column + 30
  for (const { kind, when } of scenes) {
    if (isNarrow) to.line(ink.bold(kind))
    const [first = "", ...rest] = wrapped(when, width, " ".repeat(isNarrow ? 2 : column))
    if (isNarrow) to.line(first)
    else to.line(ink.bold(kind.padEnd(column)), first.trimStart())
    for (const line of rest) to.line(line)
  }
}

function sceneNamed(kind: string, known: readonly TourScene[], style: PageStyle): TourScene {
  const found = known.find((scene) => scene.kind === kind)
  if (found) return found
  const meant = closest(
    kind,
    known.map((scene) => scene.kind),
  )
  list(known, err, style)
  throw new UsageError(
    `There is no kind "${kind}".${meant === undefined ? "" : ` Did you mean ${meant}?`} The kinds are listed above.`,
  )
}

/** Plays a scene and prints its page. Returns false if the kind kept silent, or the user left. */
async function show(
  scene: TourScene,
  model: string,
  left: Promise<void>,
  isShort: boolean,
  style: PageStyle,
): Promise<boolean> {
  const stage = await Stage.open(scene, model)
  try {
    const playing = scene.play(stage).then(() => true)
    if (!(await Promise.race([playing, left.then(() => false)]))) {
      // What the scene still waits for fails when its session is closed.
      playing.catch(() => undefined)
      stage.conversation.abort("interrupted")
      return false
    }
    const told = stage.session.asides().filter(({ kind }) => isShort || kind === scene.kind)
    for (const line of page(scene, stage, told, isShort, style)) out.line(...line)
    return told.length > 0
  } finally {
    await stage.close()
  }
}

function page(
  scene: TourScene,
  stage: Stage,
  told: ReturnType<Stage["session"]["asides"]>,
  isShort: boolean,
  style: PageStyle,
) {
  const { kind, when, story, door } = scene
  const heading = (text: string) => [style.ink.bold(text)]
  const why = stage.session.ledger().findLast((row) => row.kind === kind)?.why ?? "its time has not come"
  return [
    [],
    rule(kind, style),
    ...(isShort ? [] : paragraph(`It speaks when ${when}.`, style)),
    ...paragraph(isShort ? story : `Here: ${story}`, style),
    ...(door === undefined ? [] : paragraph(door, style)),
    [],
    heading("WHAT THE PERSON SEES"),
    ...seenLines(stage.session.view(), style),
    [],
    heading("WHAT THE MODEL WAS TOLD"),
    ...(told.length > 0
      ? toldLines(told, stage.requests, style)
      : paragraph(`Nothing of this kind. The ledger says why: ${why}.`, style)),
    [],
    ...(isShort ? [] : settings(scene, style)),
  ]
}

/** Says how the user turns a kind off, or words it otherwise. */
function settings({ kind, settingsNote = USUAL_CHANGES }: TourScene, style: PageStyle): readonly PageLine[] {
  const values = ["false", '{"text": "…"}'].map((value) => `"reminders": {"${kind}": ${value}}`)
  return [
    ...paragraph(settingsNote, style),
    ...values.flatMap((line) => wrapped(line, style.width, "  ", "    ").map((one): PageLine => [one])),
  ]
}

const USUAL_CHANGES =
  "To turn it off, or to word it otherwise, write into sotto.json ({{line}} in the text stands for the usual words):"

/** Takes the width of the terminal, within what is readable. Without a terminal `COLUMNS` says it. */
function pageWidth(): number {
  const columns = process.stdout.columns ?? (Number(process.env.COLUMNS) || 100)
  return Math.min(110, Math.max(30, columns))
}
