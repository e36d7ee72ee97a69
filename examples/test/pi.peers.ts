import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expectAppendOnly } from "@sotto/core/testing"
import { check } from "@sotto/lens"
import { startRehearsal } from "@sotto/rehearsal"
import { refuseRefusals } from "@sotto/rehearsal/testing"
import { beforeAll, expect, it, onTestFinished } from "vitest"
import { compilerComplaints, installPeer, newPlace, type Peer, talkTo } from "./support/peer.js"

const PI: Peer = {
  name: "pi",
  packages: ["@mariozechner/pi-coding-agent@0.73.1"],
  example: "pi/extension.ts",
}
const MODEL = "claude-opus-5-5"
const STEER = "Keep the old heading."
const WAIT = "until [ -e go ]; do sleep 0.05; done; cat notes.md"

const steps = [
  { text: "I read.", calls: [{ name: "bash", input: { command: WAIT } }], expect: [{ notTold: STEER }] },
  {
    text: "Heading stays.",
    calls: [{ name: "read", input: { path: "notes.md" } }],
    expect: [{ reminder: STEER }, { reminder: "while you were working" }],
  },
  // pi lets one message in at a time: the changed AGENTS.md comes a step after the user's words.
  { text: "Done.", expect: [{ reminder: "Write short lines." }] },
  {
    text: "I try to write.",
    calls: [{ name: "write", input: { path: "plan.md", content: "new" } }],
    expect: [{ reminder: "/plan/i" }],
  },
  { text: "I may not.", expect: [{ told: "Plan mode changes nothing." }] },
  { text: "Still planning.", expect: [{ notTold: "/mode changed/i" }] },
]

let installed = ""
beforeAll(() => {
  installed = installPeer(PI)
}, 600_000)

it("an extension makes pi tell its model what Sotto's rules say, and nothing that was sent changes", async () => {
  expect(compilerComplaints(installed, PI)).toBe("")

  const rehearsal = await startRehearsal({ script: steps })
  onTestFinished(() => rehearsal.close())
  const place = newPlace()
  const models = [{ id: MODEL, contextWindow: 1_000_000, maxTokens: 32_000 }]
  const scripted = { baseUrl: rehearsal.url, api: "anthropic-messages", apiKey: "none", models }
  mkdirSync(join(place.home, ".pi/agent"), { recursive: true })
  writeFileSync(join(place.home, ".pi/agent/models.json"), JSON.stringify({ providers: { scripted } }))
  writeFileSync(join(place.cwd, "notes.md"), "A line of the notes.\n".repeat(1_000))
  writeFileSync(join(place.cwd, "AGENTS.md"), "Write tests.\n")

  const start = (...more: readonly string[]) => {
    const program = join(installed, "node_modules/@mariozechner/pi-coding-agent/dist/cli.js")
    const model = ["--provider", "scripted", "--model", MODEL]
    const args = [program, "--mode", "rpc", ...model, "-e", join(installed, "extension.ts"), ...more]
    return talkTo(process.execPath, args, place, {
      PI_OFFLINE: "1",
      PI_TELEMETRY: "0",
      PI_SKIP_VERSION_CHECK: "1",
    })
  }

  const pi = start()
  const turn = async (message: string, talk = pi) => {
    talk.write({ type: "prompt", message })
    await talk.line(({ type }) => type === "agent_end")
  }
  pi.write({ type: "prompt", message: "Mend the title." })
  await pi.line(({ type }) => type === "tool_execution_start")
  pi.write({ type: "steer", message: STEER })
  await pi.line(({ type, command }) => type === "response" && command === "steer")
  writeFileSync(join(place.cwd, "AGENTS.md"), "Write tests.\nWrite short lines.\n")
  writeFileSync(join(place.cwd, "go"), "")
  await pi.line(({ type }) => type === "agent_end")

  pi.write({ type: "prompt", message: "/plan" })
  await pi.line(({ type, command }) => type === "response" && command === "prompt")
  await turn("What comes next?")
  await pi.kill()
  await turn("Go on.", start("--continue"))

  refuseRefusals(rehearsal.requests)
  const bodies = rehearsal.requests.map(({ body }) => body)
  expect(bodies).toHaveLength(steps.length)
  expectAppendOnly(bodies)
  const { threads } = check(bodies.map((body, i) => ({ source: "pi", number: i + 1, body })))
  expect(threads.map(({ breaks }) => breaks)).toEqual([[]])
  expect(rehearsal.requests.map(({ cache }) => cache?.missed)).toEqual(bodies.map(() => 0))
  expect(bodies.map((body) => JSON.stringify(body).split(STEER).length - 1)).toEqual([0, 1, 1, 1, 1, 1])
})
