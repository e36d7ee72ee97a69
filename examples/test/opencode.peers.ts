import { EventEmitter, once } from "node:events"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { expectAppendOnly } from "@sotto/core/testing"
import { check } from "@sotto/lens"
import { type RequestSeen, startRehearsal } from "@sotto/rehearsal"
import { refuseRefusals } from "@sotto/rehearsal/testing"
import { beforeAll, expect, it, onTestFinished } from "vitest"
import { compilerComplaints, installPeer, newPlace, type Peer, talkTo } from "./support/peer.js"

const OPENCODE: Peer = {
  name: "opencode",
  packages: ["opencode-ai@1.18.33", "@opencode-ai/plugin@1.18.33"],
  example: "opencode/plugin.ts",
}
const MODEL = "claude-opus-5-5"
const STEER = "Keep the old heading."

const steps = [
  {
    text: "I read.",
    calls: [
      {
        name: "bash",
        input: { command: "until [ -e go ]; do sleep 0.05; done; cat notes.md", description: "Reads." },
      },
    ],
    expect: [{ notTold: STEER }],
  },
  {
    text: "Heading stays.",
    calls: [{ name: "bash", input: { command: "ls", description: "Lists." } }],
    expect: [{ reminder: "Write short lines." }, { reminder: STEER }, { reminder: "while you were working" }],
  },
  { text: "Done." },
  { text: "A plan.", expect: [{ told: "/plan mode/i" }] },
  { text: "Still planning." },
]
const script = { steps, scripts: [{ when: "Generate a title", steps: [{ text: "A title" }] }] }

let installed = ""
beforeAll(() => {
  installed = installPeer(OPENCODE)
}, 600_000)

it("a plugin makes opencode tell its model what Sotto's rules say, and nothing that was sent changes", async () => {
  expect(compilerComplaints(installed, OPENCODE)).toBe("")

  const traffic = new EventEmitter()
  const asked = once(traffic, "asked")
  const isMain = ({ body }: RequestSeen) => JSON.stringify(body).includes('"tools":[{')
  const rehearsal = await startRehearsal({
    script,
    seen: (request) => isMain(request) && traffic.emit("asked"),
  })
  onTestFinished(() => rehearsal.close())
  const place = newPlace()
  const model = { name: "scripted", tool_call: true, limit: { context: 1_000_000, output: 32_000 } }
  const anthropic = {
    options: { baseURL: `${rehearsal.url}/v1`, apiKey: "none" },
    models: { [MODEL]: model },
  }
  mkdirSync(join(place.home, ".config/opencode"), { recursive: true })
  const config = {
    autoupdate: false,
    share: "disabled",
    permission: "allow",
    provider: { anthropic },
    plugin: [pathToFileURL(join(installed, "plugin.ts")).href],
  }
  writeFileSync(join(place.home, ".config/opencode/opencode.json"), JSON.stringify(config))
  writeFileSync(join(place.cwd, "notes.md"), "A line of the notes.\n".repeat(1_000))
  writeFileSync(join(place.cwd, "AGENTS.md"), "Write tests.\n")

  const start = async () => {
    const program = join(installed, `node_modules/opencode-${process.platform}-${process.arch}/bin/opencode`)
    const off = ["AUTOUPDATE", "MODELS_FETCH", "LSP_DOWNLOAD", "SHARE"]
    const env = Object.fromEntries(off.map((what) => [`OPENCODE_DISABLE_${what}`, "1"]))
    const talk = talkTo(program, ["serve", "--port", "0"], place, env)
    const { text } = await talk.line(({ text }) => /listening on http/.test(String(text)))
    const base = /http:\S+/.exec(String(text))?.[0] ?? ""
    const post = async (path: string, body: object) => {
      const headers = { "content-type": "application/json" }
      const response = await fetch(base + path, { method: "POST", headers, body: JSON.stringify(body) })
      expect(response.ok).toBe(true)
      return response.text()
    }
    return { post, kill: talk.kill }
  }
  const words = (text: string, agent = "build") => ({
    agent,
    model: { providerID: "anthropic", modelID: MODEL },
    parts: [{ type: "text", text }],
  })

  const first = await start()
  const { id } = JSON.parse(await first.post("/session", {})) as { readonly id: string }
  const turn = first.post(`/session/${id}/message`, words("Mend the heading."))
  await asked
  await first.post(`/session/${id}/prompt_async`, words(STEER))
  writeFileSync(join(place.cwd, "AGENTS.md"), "Write tests.\nWrite short lines.\n")
  writeFileSync(join(place.cwd, "go"), "")
  await turn
  await first.post(`/session/${id}/message`, words("What comes next?", "plan"))
  await first.kill()

  const second = await start()
  await second.post(`/session/${id}/message`, words("Go on.", "plan"))
  refuseRefusals(rehearsal.requests)
  const requests = rehearsal.requests.filter(isMain)
  const bodies = requests.map(({ body }) => body)
  expect(bodies).toHaveLength(steps.length)
  const { threads } = check(bodies.map((body, i) => ({ source: "opencode", number: i + 1, body })))
  expect(threads.map(({ breaks }) => breaks)).toEqual([[]])
  expectAppendOnly(bodies)
  expect(bodies.map((body) => JSON.stringify(body).split(STEER).length - 1)).toEqual([0, 1, 1, 1, 1])
}, 300_000) // opencode installs packages into its home when it starts, as often as it is started.
