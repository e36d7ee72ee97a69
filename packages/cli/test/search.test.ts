import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { ScriptStep } from "@sotto/rehearsal"
import { describe, expect, it } from "vitest"
import { bodiesOf } from "./support/bodies.js"
import { type Bench, benchWith, finished, reaching, serverWith, talk } from "./support/sotto.js"

const STEPS: readonly ScriptStep[] = [
  { search: "sotto voce", text: "I found it." },
  { text: "I read on.", calls: [{ name: "glob", input: { pattern: "*.txt" } }] },
  { text: "Done." },
]

/** The search of each provider, as its request offers it, and what of a reply has to go back as it came. */
const PROVIDERS = {
  "anthropic/claude-sonnet-4-5": {
    offered: { type: "web_search_20250305", name: "web_search", max_uses: 5 },
    back: [
      '"type":"server_tool_use","id":"srvtoolu_',
      '"type":"web_search_tool_result","tool_use_id":"srvtoolu_',
      '"encrypted_content":"content-',
      '"encrypted_index":"index-',
    ],
  },
  "openai/gpt-5": {
    offered: { type: "web_search" },
    back: ['"type":"web_search_call"', '"action":{"type":"search","query":"sotto voce"}'],
  },
  "google/gemini-3-pro-preview": {
    offered: { googleSearch: {} },
    back: ['"toolCall":{"id":"search_', '"toolResponse":{"id":"search_', '"thoughtSignature"'],
  },
} as const

function userWith(config: object, files: Readonly<Record<string, string>> = {}): Bench {
  const bench = benchWith(files)
  mkdirSync(bench.home, { recursive: true })
  writeFileSync(join(bench.home, "sotto.json"), JSON.stringify(config))
  return bench
}

/** A conversation of two turns. The stand-in refuses what the provider would refuse. */
async function conversation(
  bench: Bench,
  steps: readonly ScriptStep[],
  model: string,
  ...args: readonly string[]
) {
  const server = await serverWith(steps)
  const run = talk(bench, server, "--model", model, ...args, "Look it up.")
  await run.wait({ type: "turn-end" })
  return { server, run }
}

function toolsOf(body: { readonly [field: string]: unknown } | undefined): readonly unknown[] {
  return Array.isArray(body?.tools) ? body.tools : []
}

describe.concurrent("the provider's own search", () => {
  it.each(Object.entries(PROVIDERS))(
    "is offered to %s, and its reply goes back as it came",
    async (model, how) => {
      const { server, run } = await conversation(userWith({ web: { search: true } }), STEPS, model)
      run.say("Go on.")
      await run.wait({ type: "turn-end" }, 2)
      expect((await run.end()).code).toBe(0)
      expect(run.all({ type: "error" })).toEqual([])
      expect(run.text()).toContain("I found it.")
      expect(run.all({ type: "search" })).toMatchObject([{ query: "sotto voce" }])
      const bodies = bodiesOf(server)
      expect(bodies).toHaveLength(3)
      for (const body of bodies) expect(toolsOf(body)).toContainEqual(how.offered)
      for (const text of how.back) {
        expect(JSON.stringify(bodies[1])).toContain(text)
        expect(JSON.stringify(bodies[2])).toContain(text)
      }
    },
  )

  it("is not offered unless it is asked for, nor where the provider has none beside functions", async () => {
    const cases = [
      [{}, "anthropic/claude-sonnet-4-5"],
      [{ web: { search: false } }, "openai/gpt-5"],
      [{ web: { search: true } }, "google/gemini-2.5-pro"],
      [{ web: { search: true } }, "openai-chat/some-model"],
    ] as const
    for (const [config, model] of cases) {
      const { server, run } = await conversation(userWith(config), [{ text: "Done." }], model)
      expect((await run.end()).code).toBe(0)
      expect(JSON.stringify(toolsOf(bodiesOf(server)[0]))).not.toMatch(/web_search|googleSearch/)
      expect(toolsOf(bodiesOf(server)[0]).length).toBeGreaterThan(0)
    }
  })

  it("stays in plan mode, with the very same tools", async () => {
    const steps = [{ text: "One." }, { search: "x", text: "Two." }]
    const { server, run } = await conversation(
      userWith({ web: { search: true } }),
      steps,
      "anthropic/claude-sonnet-4-5",
    )
    run.send({ type: "agent", agent: "plan" })
    run.say("Plan it.")
    await run.wait({ type: "turn-end" }, 2)
    expect((await run.end()).code).toBe(0)
    const [first, second] = bodiesOf(server)
    expect(toolsOf(second)).toEqual(toolsOf(first))
    expect(run.text()).toContain("Two.")
  })

  it("is taken from an agent that is denied it, and given back to the next", async () => {
    const config = { web: { search: true }, agents: { plan: { permission: { search: "deny" } } } }
    const { server, run } = await conversation(
      userWith(config),
      [{ text: "One." }, { text: "Two." }, { text: "Three." }],
      "anthropic/claude-sonnet-4-5",
    )
    run.send({ type: "agent", agent: "plan" })
    run.say("Plan it.")
    await run.wait({ type: "turn-end" }, 2)
    run.send({ type: "agent", agent: "build" })
    run.say("Build it.")
    await run.wait({ type: "turn-end" }, 3)
    expect((await run.end()).code).toBe(0)
    const offered = bodiesOf(server).map((body) => JSON.stringify(toolsOf(body)).includes("web_search"))
    expect(offered).toEqual([true, false, true])
  })

  it("is not offered to a subagent of an agent that is denied it, nor where it would have to be asked about", async () => {
    const task = { calls: [{ name: "task", input: { agent: "explore", prompt: "Find it." } }] }
    const denied = { web: { search: true }, agents: { build: { permission: { search: "deny" } } } }
    const { server, run } = await conversation(
      userWith(denied),
      [task, { text: "Found." }, { text: "Done." }],
      "anthropic/claude-sonnet-4-5",
    )
    expect((await run.end()).code).toBe(0)
    for (const body of bodiesOf(server)) expect(JSON.stringify(toolsOf(body))).not.toContain("web_search")
    const asking = { web: { search: true }, permission: { search: "ask" } }
    const other = await conversation(userWith(asking), [{ text: "Done." }], "anthropic/claude-sonnet-4-5")
    expect((await other.run.end()).code).toBe(0)
    expect(JSON.stringify(toolsOf(bodiesOf(other.server)[0]))).not.toContain("web_search")
  })

  it("can be tightened by a folder that is not trusted, and not switched on", async () => {
    const cases = [
      [{ web: { search: true } }, { permission: { search: "deny" } }],
      [{}, { web: { search: true } }],
    ] as const
    for (const [own, folder] of cases) {
      const bench = userWith(own, { "sotto.json": JSON.stringify(folder) })
      const server = await serverWith([{ text: "Done." }])
      const run = ["run", "--model", "anthropic/claude-sonnet-4-5", "Hello."]
      expect((await finished(bench, run, { ...reaching(server.url), SOTTO_TRUST: "" })).code).toBe(0)
      expect(JSON.stringify(toolsOf(bodiesOf(server)[0]))).not.toContain("web_search")
    }
  })
})
