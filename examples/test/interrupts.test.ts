import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Entry, Reply, Session } from "@sotto/core"
import { expectAppendOnly } from "@sotto/core/testing"
import { startRehearsal } from "@sotto/rehearsal"
import { refuseRefusals } from "@sotto/rehearsal/testing"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { aiSdk, langGraph, OWN_LOOPS } from "./support/agents.js"
import { openGate } from "./support/gate.js"
import type { Open } from "./support/story.js"

/** The examples on five APIs. LangGraph asks for whole answers, so that it has no middle of anything. */
const STREAMING: Readonly<Record<string, Open>> = { ...OWN_LOOPS, "the AI SDK": aiSdk("claude-opus-5-5") }
const ALL: Readonly<Record<string, Open>> = { ...STREAMING, LangGraph: langGraph }

const WORDS = "Alpha beta gamma delta epsilon."
const INPUT = { path: "a.txt", text: "one two three four five six seven eight nine ten eleven twelve" }
const QUEUED = "Mind the queue."
const AFTER = "Go another way."

const SCRIPT = [
  { text: WORDS, calls: [{ name: "write", input: INPUT }] },
  ...Array.from({ length: 4 }, () => ({ text: "As you wish." })),
]

interface Stage {
  readonly session: Session
  /** What the model was sent, whole. */
  bodies(): readonly unknown[]
  /** What the user was shown so far. */
  heard(): string
  /** What the session would keep of the reply, if it were interrupted now. */
  soFar(): Reply["parts"]
  readonly held: Promise<void>
  /** Runs the agent. Ends when it is done, or when it was interrupted. */
  run(): Promise<void>
  /** Leaves words in the queue, presses Esc, and says what to do instead. */
  interrupt(): void
}

/** An agent between a rehearsal and a gate that holds the first response at an event. */
async function stage(
  open: Open,
  passes: (event: string, place: number) => boolean,
  write: (stage: Stage) => Promise<string> = async () => "written",
): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), "sotto-interrupt-"))
  const rehearsal = await startRehearsal({ script: SCRIPT })
  const gate = await openGate(rehearsal.url, (event, { response, event: place }) =>
    response === 0 ? passes(event, place) : true,
  )
  onTestFinished(async () => {
    await gate.close()
    await rehearsal.close()
    rmSync(folder, { recursive: true })
    // The rehearsal refuses what the provider would refuse.
    refuseRefusals(rehearsal.requests)
  })
  let heard = ""
  let partial: Reply | (() => Reply) = { parts: [] }
  let controller = new AbortController()
  const agent = open({
    url: gate.url,
    log: join(folder, "log.jsonl"),
    deeds: { read: async () => "text", write: () => write(made) },
    onText: (text) => {
      heard += text
    },
  })
  const { session } = agent
  const keep = session.partial.bind(session)
  session.partial = (id, reply) => {
    partial = reply
    return keep(id, reply)
  }
  const made: Stage = {
    session,
    bodies: () => rehearsal.requests.map(({ body }) => body),
    heard: () => heard,
    soFar: () => (typeof partial === "function" ? partial() : partial).parts,
    held: gate.held,
    async run() {
      controller = new AbortController()
      await agent.run(controller.signal)
    },
    interrupt() {
      session.say(QUEUED)
      controller.abort()
      session.say(AFTER)
    },
  }
  session.say("Begin.")
  return made
}

/** Goes on after the interrupt: the words arrive once, nothing that was sent has changed, what was said is kept. */
async function expectToGoOn({ session, bodies, run }: Stage, kept: readonly string[]): Promise<void> {
  await run()
  expect(session.phase).toBe("idle")
  const last = JSON.stringify(bodies().at(-1))
  for (const words of [QUEUED, AFTER, ...kept])
    expect([words, last.split(words).length - 1]).toEqual([words, 1])
  expect(last).not.toContain("too late")
  expectAppendOnly(bodies())
  expect(session.queue()).toEqual([])
  expect(JSON.stringify(session.view())).toContain("As you wish.")
}

const aborts = (log: readonly Entry[]) => log.filter(({ type }) => type === "aborted").length

describe.each(Object.entries(ALL))("%s, interrupted", (_, open) => {
  it("before the first event", async () => {
    const on = await stage(open, () => false)
    const running = on.run()
    await on.held
    on.interrupt()
    await running
    expect([on.bodies().length, aborts(on.session.log)]).toEqual([1, 1])
    await expectToGoOn(on, [])
  })

  it("between the boundary and the send: nothing is sent", async () => {
    const on = await stage(open, () => true)
    const unwatch = on.session.watch(() => {
      if (on.session.log.at(-1)?.type !== "step") return
      unwatch()
      on.interrupt()
    })
    await on.run()
    expect(on.bodies()).toEqual([])
    await expectToGoOn(on, [])
  })

  it("while a tool runs: its late result is dropped", async () => {
    let finish = (_: string) => {}
    const on = await stage(
      open,
      () => true,
      async ({ interrupt }) => {
        await new Promise(setImmediate)
        interrupt()
        return new Promise((resolve) => {
          finish = resolve
        })
      },
    )
    await on.run()
    const before = on.session.log.length
    finish("too late")
    await new Promise(setImmediate)
    expect(on.session.log).toHaveLength(before)
    await expectToGoOn(on, [WORDS, "Stopped by the user before it finished."])
  })

  it('by a message with delivery "now" before the first event', async () => {
    const on = await stage(open, () => false)
    const running = on.run()
    await on.held
    on.session.say(QUEUED)
    on.session.say(AFTER, { delivery: "now" })
    await running
    expect(aborts(on.session.log)).toBe(0)
    await expectToGoOn(on, [])
  })
})

describe.each(Object.entries(STREAMING))("%s, interrupted", (name, open) => {
  /** All APIs but these bring the input of a call in pieces. */
  const isWhole = name === "@google/genai"

  it("in the middle of the text: what was said is kept", async () => {
    const on = await stage(open, (event) => !event.includes("gamma"))
    const running = on.run()
    await vi.waitFor(() => expect(on.heard()).toContain("beta"))
    on.interrupt()
    await running
    await expectToGoOn(on, [on.heard().trim()])
  })

  it("in the middle of a tool's input: the text is kept, and the call is dropped", async () => {
    const on = await stage(open, (event) => !event.includes(isWhole ? "functionCall" : "seven"))
    const running = on.run()
    await on.held
    await vi.waitFor(() => {
      expect(on.heard()).toBe(WORDS)
      const call = on.soFar().find((part) => part.type === "tool-call")
      if (!isWhole && name !== "the AI SDK") expect(call).toMatchObject({ unfinished: true })
    })
    on.interrupt()
    await running
    await expectToGoOn(on, [WORDS])
    expect(JSON.stringify(on.bodies().at(-1))).not.toContain("a.txt")
  })

  it('by a message with delivery "now" in the middle of the text: it goes on by itself', async () => {
    const on = await stage(open, (event) => !event.includes("gamma"))
    const running = on.run()
    await vi.waitFor(() => expect(on.heard()).toContain("beta"))
    const said = on.heard().trim()
    on.session.say(QUEUED)
    on.session.say(AFTER, { delivery: "now" })
    await running
    expect([on.bodies().length, aborts(on.session.log)]).toEqual([2, 0])
    await expectToGoOn(on, [said])
  })
})
