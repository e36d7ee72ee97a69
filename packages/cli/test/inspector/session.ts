import { writeFileSync } from "node:fs"
import type { Rehearsal } from "@sotto/rehearsal"
import { type Serving, serving } from "../support/server.js"
import { type Bench, benchWith, reaching, serverWith, talk } from "../support/sotto.js"

export const MODEL = "anthropic/claude-opus-5-5"

export interface Made {
  readonly bench: Bench
  readonly id: string
  readonly server: Serving
  readonly model: Rehearsal
}

const bash = (command: string) => ({ name: "bash", input: { command } })
const read = (path: string) => ({ name: "read", input: { path } })

const FILES = {
  "AGENTS.md": "Write in English.\nUse tabs.\n",
  "src/parser.ts": "export function parse(text: string) {\n  return text.split('\\n')\n}\n".repeat(20),
  "src/lexer.ts": "export const tokens = ['word', 'number', 'end']\n".repeat(40),
  "notes.md": "# Notes\n\nThe parser stops at the first error.\n",
}

/** A session of three turns, with a message in mid-turn, a changed instruction file and a change of agent. */
export async function madeSession(
  prompt = "Read the parser, and say how it could report all errors at once.",
): Promise<Made> {
  const bench = benchWith(FILES)
  const gate = bench.gate()
  const model = await serverWith([
    { text: "I read the parser first.", calls: [read("src/parser.ts"), read("src/lexer.ts")] },
    { text: "I wait for the build.", calls: [bash("cat gate")] },
    { text: "I look at the notes, as you asked.", calls: [read("notes.md")] },
    {
      text: "The parser stops at the first error. It could collect them in a list and go on at the next line.",
    },
    { text: "In plan mode I only look.", calls: [{ name: "glob", input: { pattern: "src/*" } }] },
    { text: "The plan: collect errors, go on at the next line, report at the end." },
    { text: "I begin.", calls: [read("src/parser.ts")] },
    { text: "Done with the first part." },
  ])
  const run = talk(bench, model, "--model", MODEL, prompt)
  const { id } = await run.wait({ type: "session" })
  await run.wait({ type: "tool-call" }, 3)
  run.say("Please look at notes.md as well.", { id: "steer-1" })
  await run.wait({ type: "queued", id: "steer-1" })
  writeFileSync(bench.path("AGENTS.md"), "Write in English.\nUse spaces, never tabs.\n")
  await gate.open()
  await run.wait({ type: "turn-end" }, 1)
  run.send({ type: "agent", name: "plan" })
  run.say("Plan it.")
  await run.wait({ type: "turn-end" }, 2)
  run.send({ type: "agent", name: "build" })
  run.say("Go ahead.")
  await run.wait({ type: "turn-end" }, 3)
  await run.end()
  const server = await serving(bench, reaching(model.url))
  return { bench, id, server, model }
}
