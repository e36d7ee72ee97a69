import { subscribe, unsubscribe } from "node:diagnostics_channel"
import fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { createSession, type Entry } from "@sotto/core"
import type { ScriptedCall } from "@sotto/rehearsal"
import { expect, onTestFinished, test } from "vitest"
import { OpenQuestions, type ProjectRuntime } from "../src/index.js"
import { openFile } from "../src/store/store.js"
import { opened } from "./conversation-support.js"

interface Look {
  readonly when: string
  /** The types of the entries that another process would find now. */
  readonly onDisk: readonly string[]
}

/** What is on disk when a tool has worked, and when something is shown. */
async function play(calls: readonly ScriptedCall[], files: Readonly<Record<string, string>> = {}) {
  const looks: Look[] = []
  const look = (when: string) => {
    const other = openFile(workplace.store().path)
    const log = other.load(conversation.session.id)
    other.close()
    looks.push({ when, onDisk: log.slice(begun).map(({ type }) => type) })
  }
  const questions: OpenQuestions = new OpenQuestions(
    ({ id }) => {
      look("ask")
      setImmediate(() => questions.answer(id, "yes"))
    },
    () => true,
  )
  let begun = Number.POSITIVE_INFINITY
  const { rehearsal, workplace, conversation, end } = await opened({
    steps: [{ calls }, { text: "Done." }],
    files,
    questions,
    emit: (event) => {
      if (["tool-call", "tool-result"].includes(event.type)) look(event.type)
    },
  })
  const ran = () => look("ran")
  subscribe("sotto:tool", ran)
  onTestFinished(() => {
    unsubscribe("sotto:tool", ran)
  })
  conversation.say("Begin.")
  begun = conversation.session.log.length
  await end()
  expect(rehearsal.requests.map(({ status }) => status)).toEqual([200, 200])
  return (when: string) => looks.find((one) => one.when === when)?.onDisk ?? []
}

test("the reply is on disk before a call is carried out that does something", async () => {
  const at = await play([{ name: "bash", input: { command: "echo x >> a.txt" } }])
  expect(at("ask")).toContain("replied")
  expect(at("ran")).toContain("replied")
  expect(at("ran")).not.toContain("result")
})

test("what only looks shares one transaction with its reply and the next step, and is shown after", async () => {
  const at = await play([{ name: "read", input: { path: "a.txt" } }])
  expect(at("ran")).not.toContain("replied")
  for (const shown of ["tool-call", "tool-result"])
    expect(at(shown)).toEqual(expect.arrayContaining(["replied", "result", "step"]))
})

test("beside a call that does something, none is carried out before the reply is on disk", async () => {
  const at = await play([
    { name: "read", input: { path: "a.txt" } },
    { name: "bash", input: { command: "true" } },
  ])
  expect(at("ran")).toContain("replied")
})

test("a look that takes its time waits for nobody, and its reply is on disk meanwhile", async () => {
  // Longer than a disk takes.
  const large = { "large.txt": "two two two\n".repeat(20_000_000) }
  const at = await play([{ name: "grep", input: { pattern: "(t|w|o| ){9}x", path: "large.txt" } }], large)
  expect(at("tool-call")).toContain("replied")
  expect(at("tool-call")).not.toContain("result")
})

test("nobody is asked about a look whose reply is not on disk", async () => {
  const at = await play([{ name: "read", input: { path: "/etc/hosts" } }])
  expect(at("ask")).toContain("replied")
  expect(at("ask")).not.toContain("result")
})

test("a look that a crash cut short is made again, and told before its result", async () => {
  const log: Entry[] = []
  const cutShort = async (workplace: ProjectRuntime) => {
    const before = createSession({
      agents: workplace.agents,
      model: { id: "anthropic/claude-opus-5-5" },
      tools: [{ name: "read", description: "", inputSchema: { type: "object" }, safeToRepeat: true }],
      now: () => 0,
      newId: () => "cut-short",
      onAppend: (entries) => log.push(...entries),
    })
    before.say("Begin.")
    const next = before.next()
    if (next.is !== "request") throw new Error(`expected a request, got ${next.is}`)
    before.reply(next.request.id, {
      parts: [{ type: "tool-call", id: "c1", name: "read", input: { path: "a.txt" } }],
      stop: "tool-calls",
    })
    await workplace.store().create({ cwd: workplace.cwd }, log)
    await workplace.store().release("cut-short")
  }
  const events: string[] = []
  const { end } = await opened({
    steps: [{ text: "Done." }],
    emit: ({ type }) => events.push(type),
    session: "cut-short",
    prepare: cutShort,
  })
  await end()
  const told = events.filter((type) => ["tool-call", "tool-result", "step", "turn-end"].includes(type))
  expect(told).toEqual(["tool-call", "tool-result", "step", "turn-end"])
})

/** What asks the disk from now on, in the order in which it asks. It has nothing before it is told so. */
function slowDisk() {
  const asking: ((failure: Error | null) => void)[] = []
  let heard = () => {}
  const real = fs.fdatasync
  fs.fdatasync = ((_: number, done: (failure: Error | null) => void) => {
    asking.push(done)
    heard()
  }) as typeof fs.fdatasync
  syncBuiltinESMExports()
  onTestFinished(() => {
    fs.fdatasync = real
    syncBuiltinESMExports()
  })
  return async () => {
    while (asking.length === 0)
      await new Promise<void>((resolve) => {
        heard = resolve
      })
    const [done] = asking.splice(0, 1)
    if (done === undefined) throw new Error("nobody asks")
    return done
  }
}

test("nothing is sent or shown before the disk has it", async () => {
  const shown: string[] = []
  const { rehearsal, conversation, end } = await opened({
    steps: [{ calls: [{ name: "read", input: { path: "a.txt" } }] }, { text: "Done." }],
    emit: ({ type }) => shown.push(type),
  })
  const asked = slowDisk()
  conversation.say("Begin.")
  const first = await asked()
  // Had it been sent, it would have come before this.
  await fetch(rehearsal.url)
  expect(rehearsal.requests.filter(({ status }) => status === 200)).toHaveLength(0)
  expect(shown).not.toContain("step")
  first(null)
  const second = await asked()
  await fetch(rehearsal.url)
  expect(rehearsal.requests.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(shown).not.toContain("tool-result")
  second(null)
  const third = await asked()
  third(null)
  await end()
  expect(rehearsal.requests.filter(({ status }) => status === 200)).toHaveLength(2)
  expect(shown.filter((type) => type === "error")).toEqual([])
})

test("a summary is asked for only of what the disk has", async () => {
  const { rehearsal, conversation, end } = await opened({
    steps: [{ calls: [{ name: "read", input: { path: "a.txt" } }] }, { text: "Done." }],
    emit: () => {},
  })
  const answered = () => rehearsal.requests.filter(({ status }) => status === 200).length
  const asked = slowDisk()
  conversation.say("Begin.")
  const first = await asked()
  conversation.compact()
  first(null)
  const second = await asked()
  await fetch(rehearsal.url)
  expect(answered()).toBe(1)
  second(null)
  // What the summary cost is on disk before the turn goes on.
  const third = await asked()
  expect(answered()).toBe(2)
  third(null)
  void (async () => {
    for (;;) (await asked())(null)
  })()
  await end()
  expect(answered()).toBeGreaterThan(2)
})

test("a disk that failed once is not believed again: nothing is sent, and it is said", async () => {
  const errors: string[] = []
  const { rehearsal, conversation, end } = await opened({
    steps: [{ text: "Done." }],
    isBroken: true,
    emit: (event) => {
      if (event.type === "error") errors.push(event.message)
    },
  })
  const asked = slowDisk()
  conversation.say("Begin.")
  const first = await asked()
  first(Object.assign(new Error("EIO: i/o error, fdatasync"), { code: "EIO" }))
  await end()
  expect(errors).toEqual([expect.stringMatching(/^The store .* cannot be used: EIO.*Check that the disk/)])
  expect(() => conversation.say("Again.")).toThrow("EIO")
  expect(rehearsal.requests).toHaveLength(0)
})

test("who aborts while the disk is waited for stops what was to be sent", async () => {
  const shown: string[] = []
  const { rehearsal, conversation, end } = await opened({
    steps: [{ text: "Done." }],
    emit: ({ type }) => shown.push(type),
  })
  const asked = slowDisk()
  conversation.say("Begin.")
  const first = await asked()
  conversation.abort()
  first(null)
  await end()
  expect(shown).toContain("interrupted")
  expect(rehearsal.requests).toHaveLength(0)
})
