import type { Reply, Request } from "@sotto/core"
import type { ScriptStep } from "@sotto/rehearsal"
import { describe, expect, it } from "vitest"
import type { ModelLink } from "../src/models/model-link.js"
import { SubagentConvoy } from "../src/session/subagents/convoy.js"
import { opened } from "./conversation-support.js"
import { sessionOf } from "./models-support.js"

/** A model that answers when the test says so. */
function heldModel() {
  const sent: { readonly request: Request; begin(): void; end(reply?: Reply): void; fail(): void }[] = []
  const link: ModelLink = {
    call: (request, { onPartial }) =>
      new Promise((resolve, reject) => {
        sent.push({
          request,
          begin: () => onPartial(() => ({ parts: [] })),
          end: (reply = { parts: [] }) => resolve(reply),
          fail: () => reject(new Error("The model is away.")),
        })
      }),
  }
  return { link, sent }
}

function firstRequest(model = "claude-sonnet-5-5"): Request {
  const session = sessionOf(model)
  session.say("Look.")
  const next = session.next()
  if (next.is !== "request") throw new Error("There is no request.")
  return next.request
}

const ignore = () => undefined
const listening = (signal = new AbortController().signal) => ({
  signal,
  onDelta: ignore,
  onPartial: ignore,
  onRetry: ignore,
})
const settled = () => new Promise((resolve) => setImmediate(resolve))

describe("subagents that begin alike", () => {
  it("wait for the reply to the first one to begin, and then go out together", async () => {
    const { link, sent } = heldModel()
    const convoy = new SubagentConvoy()
    const calls = [1, 2, 3].map(() => convoy.link(link).call(firstRequest(), listening()))
    await settled()
    expect(sent).toHaveLength(1)
    sent[0]?.begin()
    await settled()
    expect(sent).toHaveLength(3)
    for (const one of sent) one.end()
    await Promise.all(calls)
  })

  it("do not wait for one that fails, and not after they are aborted", async () => {
    const { link, sent } = heldModel()
    const convoy = new SubagentConvoy()
    const abort = new AbortController()
    const first = convoy.link(link).call(firstRequest(), listening())
    const second = convoy.link(link).call(firstRequest(), listening())
    const third = convoy.link(link).call(firstRequest(), listening(abort.signal))
    await settled()
    abort.abort()
    await settled()
    expect(sent).toHaveLength(2)
    sent[0]?.fail()
    await expect(first).rejects.toThrow("away")
    await settled()
    expect(sent).toHaveLength(3)
    for (const one of sent) one.end()
    await Promise.all([second, third])
  })

  it("do not wait for one that begins with other bytes", async () => {
    const { link, sent } = heldModel()
    const convoy = new SubagentConvoy()
    void convoy.link(link).call(firstRequest(), listening())
    void convoy.link(link).call(firstRequest("claude-opus-5-5"), listening())
    await settled()
    expect(sent).toHaveLength(2)
  })
})

describe.each([
  "anthropic/claude-sonnet-5-5",
  "openai/gpt-5.6",
  "openai-chat/gpt-5.6",
  "google/gemini-2.5-pro",
])("eight subagents of one step over %s", (model) => {
  it("write what they have in common once, and read it seven times", async () => {
    const tasks = Array.from({ length: 8 }, (_, i) => ({
      name: "task",
      input: { agent: "explore", prompt: `LOOK into part ${i}.` },
    }))
    const steps: ScriptStep[] = [{ calls: tasks }, { text: "All done." }]
    const { conversation, rehearsal } = await opened({
      steps,
      scripts: [{ when: "LOOK into", steps: [{ text: "Seen." }] }],
      model,
      emit: () => undefined,
      auto: true,
      // A prompt that is long enough for every provider's cache.
      files: { "AGENTS.md": "Keep to the rules of this project.\n".repeat(600) },
    })
    conversation.say("Delegate it.")
    await conversation.wake()
    const used = rehearsal.requests.flatMap(({ body, cache }) =>
      JSON.stringify(body).includes("LOOK into") && !JSON.stringify(body).includes("Delegate") && cache
        ? [cache]
        : [],
    )
    expect(used).toHaveLength(8)
    const common = Math.max(...used.map(({ read }) => read))
    expect(common).toBeGreaterThan(4_000)
    expect(used.filter(({ read }) => read === common).length).toBeGreaterThanOrEqual(7)
    for (const { read, total } of used.filter((one) => one.read === common))
      expect(total - read).toBeLessThan(100)
  })
})

describe.each([
  "anthropic/claude-sonnet-5-5",
  "openai/gpt-5.6",
  "openai-chat/gpt-5.6",
  "google/gemini-2.5-pro",
])("copies of the agent over %s", (model) => {
  it("begin with its conversation, which they read from the cache, and report to it", async () => {
    const fork = (prompt: string) => ({ name: "task", input: { prompt, fork: true } })
    const steps: ScriptStep[] = [
      { calls: [{ name: "read", input: { path: "long.txt" } }] },
      { calls: [fork("CHECK the beginning."), fork("CHECK the end.")] },
      { text: "SAID." },
    ]
    const { conversation, rehearsal, workplace } = await opened({
      steps,
      model,
      emit: () => undefined,
      auto: true,
      files: { "long.txt": "A line of a long file.\n".repeat(1_500) },
    })
    conversation.say("Read it.")
    await conversation.wake()
    const { session } = conversation
    const asked = rehearsal.requests.filter(({ body }) =>
      JSON.stringify(body).includes("You are a copy of the agent"),
    )
    expect(asked).toHaveLength(2)
    for (const { problems, cache, body } of asked) {
      expect(problems).toEqual([])
      expect((cache?.read ?? 0) / (cache?.total ?? 1)).toBeGreaterThan(0.9)
      expect(JSON.stringify(body)).toContain("Another copy of you sees to this call")
    }
    const results = session.log.flatMap((entry) =>
      entry.type === "result" ? [JSON.stringify(entry.output)] : [],
    )
    expect(results.slice(-2)).toEqual([expect.stringContaining("SAID."), expect.stringContaining("SAID.")])
    const children = await workplace.store().subagents(session.id)
    expect(children).toHaveLength(2)
    // What was copied is the parent's to pay for.
    for (const { id } of children)
      expect((await workplace.store().usage(id, 0)).filter(({ is }) => is === "copied")).toHaveLength(1)
  })
})
