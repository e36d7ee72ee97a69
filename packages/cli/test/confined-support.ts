import { writeFileSync } from "node:fs"
import type { ScriptedCall, ScriptStep } from "@sotto/rehearsal"
import { type Bench, type Run, reaching, serverWith, sotto, type Variables } from "./support/sotto.js"

/** The provider's key of the process under attack. No answer of a tool may ever contain it. */
export const KEY = "sk-canary-0123456789abcdef"

interface Attack {
  readonly agent?: "build" | "plan"
  /** Everything that would be asked is allowed. */
  readonly yes?: boolean
  readonly config?: object
  readonly env?: Variables
}

export interface Attempted {
  readonly outputs: readonly string[]
  /** Everything that was sent to the model. */
  readonly sent: string
  readonly asked: number
  readonly run: Run
}

/** Runs the real command with a model that makes these calls, one a step, and gives back what the tools answered. */
export async function attempt(
  bench: Bench,
  calls: readonly (string | ScriptedCall)[],
  { agent = "build", yes = false, config, env = {} }: Attack = {},
): Promise<Attempted> {
  const steps = calls.map((call): ScriptStep => {
    const one = typeof call === "string" ? { name: "bash", input: { command: call } } : call
    return { text: "I try.", calls: [one] }
  })
  const server = await serverWith([...steps, { text: "Done." }])
  if (config !== undefined) writeFileSync(bench.path("../home/sotto.json"), JSON.stringify(config))
  const args = ["run", "Go.", "--model", "anthropic/claude-opus-5-5", "--agent", agent, "--output", "jsonl"]
  const run = sotto(bench, [...args, "--max-steps", "200", ...(yes ? ["--yes"] : [])], {
    ...reaching(server.url),
    ANTHROPIC_API_KEY: KEY,
    ...env,
  })
  const { code, err } = await run.end()
  if (code !== 0) throw new Error(`The command ended with ${code}: ${err}`)
  const outputs = run.all({ type: "tool-result" }).map(({ output }) => String(output))
  const sent = server.requests.map(({ body }) => JSON.stringify(body)).join("\n")
  return { outputs, sent, asked: run.all({ type: "ask" }).length, run }
}
