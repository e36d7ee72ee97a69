import { parseArgs } from "node:util"
import { asidesOf, readStored } from "@sotto/harness"
import { inkFor } from "../screen/ink.js"
import { UsageError } from "../usage.js"
import { fullSessionId, line, sessionIdIn, tellLosses, withStore } from "./open-store.js"
import { type CommandOptions, optionRows, type Subcommand } from "./subcommand.js"

const OPTIONS = {
  step: { type: "string", value: "N", help: "only at the Nth request to the model of each turn" },
} as const satisfies CommandOptions

export const subcommand: Subcommand = {
  help: `sotto asides ID [--step N]: what the model was told beside the conversation, and why rules kept silent

${optionRows(OPTIONS, 14)}

Each aside says its kind (\`sotto rules\` lists them), its tokens and its carrier, which is how it travelled in the request.
`,
  options: OPTIONS,
  run,
}

async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true })
  const given = sessionIdIn(positionals, "asides")
  const step = stepOf(values.step)
  return withStore(async (store) => {
    const id = await fullSessionId(store, given)
    await tellLosses(store, id)
    const ink = inkFor(process.stdout.isTTY, process.env)
    const session = await readStored(store, id)
    const told = asidesOf(session).filter((aside) => step === undefined || aside.step === step)
    for (const { turn, step: at, kind, carrier, tokens, text } of told) {
      line(ink.bold(`turn ${turn}, step ${at}: ${kind}`), ink.dim(` (${tokens} tokens, ${carrier})`))
      line(text.replace(/^/gm, "  "))
    }
    if (told.length === 0) line(nothingTold(step, session.ledger(step).length > 0))
    const silent = session
      .ledger(step)
      .filter(({ outcome }) => outcome === "throttled" || outcome === "over-budget" || outcome === "failed")
    for (const { turn, step: at, kind, outcome, until, error } of silent)
      line(
        ink.dim(
          `turn ${turn}, step ${at}: ${kind} ${outcome}${until ? ` until ${until}` : ""}${error ? `: ${error}` : ""}`,
        ),
      )
  })
}

function nothingTold(step: number | undefined, hasStep: boolean): string {
  if (step === undefined) return "The model was told nothing beside the conversation."
  return hasStep
    ? `At step ${step} the model was told nothing beside the conversation.`
    : `No turn of this session has a step ${step}.`
}

function stepOf(given: string | undefined): number | undefined {
  if (given === undefined) return undefined
  const step = Number(given)
  if (!Number.isInteger(step) || step < 1) throw new UsageError(`--step ${given}: use a whole number from 1.`)
  return step
}
