import { createInterface } from "node:readline"
import { parseArgs } from "node:util"
import { startRehearsal } from "@sotto/rehearsal"
import { environmentFor } from "@sotto/rehearsal/testing"
import { INTEGRATIONS } from "./integrations.js"

const names = Object.keys(INTEGRATIONS).join(", ")
const { stdin, stdout, stderr, env } = process
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { model: { type: "string" }, log: { type: "string" } },
})
const [name = ""] = positionals
const integration = Object.hasOwn(INTEGRATIONS, name) ? INTEGRATIONS[name] : undefined
if (integration === undefined) {
  stderr.write(`usage: npm run example -- NAME [--model ID] [--log FILE]\nNAME is one of ${names}.\n`)
  process.exit(2)
}

if (env[integration.key] === undefined) {
  const { url } = await startRehearsal()
  Object.assign(env, environmentFor(url))
  stderr.write(`${integration.key} is not set: a rehearsal plays the model.\n`)
}
const { model = integration.model, log = `.sotto-${name}.jsonl` } = values
const { session, run } = integration.open({ model, log, onText: (text) => stdout.write(text) })
stderr.write(
  `The session is kept in ${log}. Type while it works. /stop interrupts, !words interrupt and are told at once.\n` +
    "/plan and /build switch the mode. Ctrl+D ends it.\n",
)

let working: Promise<void> | undefined
let interrupt = new AbortController()
/** Runs unless it runs already: what is said meanwhile reaches the model at the next boundary. */
function work(): Promise<void> {
  if (working === undefined) interrupt = new AbortController()
  working ??= run(interrupt.signal)
    .then(() => {})
    .catch((error: unknown) => void stderr.write(`${error instanceof Error ? error.message : error}\n`))
    .finally(() => {
      working = undefined
      stdout.write("\n")
    })
  return working
}

if (session.isInTurn) void work()
for await (const line of createInterface({ input: stdin })) {
  if (line === "/stop") interrupt.abort()
  else if (line === "/plan" || line === "/build") session.switchAgent(line === "/plan" ? "plan" : "build")
  else if (line.trim() !== "") {
    if (line.startsWith("!")) session.say(line.slice(1), { delivery: "now" })
    else session.say(line)
    void work()
  }
}
await working
process.exit(0)
