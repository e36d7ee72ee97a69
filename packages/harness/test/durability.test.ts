import { execFileSync } from "node:child_process"
import { subscribe, unsubscribe } from "node:diagnostics_channel"
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createSession, type Entry } from "@sotto/core"
import type { ScriptedCall } from "@sotto/rehearsal"
import { expect, onTestFinished, test } from "vitest"
import { Desk, type HarnessEvent, openConversation, openStore, openWorkplace } from "../src/index.js"
import { environment, rehearsalFor } from "./models-support.js"

interface Look {
  readonly when: string
  /** The types of the entries that another process would find now. */
  readonly onDisk: readonly string[]
}

/** What is on disk when a tool has worked, and when something is shown; and the batches in which it got there. */
async function play(calls: readonly ScriptedCall[], answer?: string) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "sotto-durable-")))
  writeFileSync(join(root, "a.txt"), "one\n")
  execFileSync("mkfifo", [join(root, "pipe")])
  const rehearsal = await rehearsalFor({ script: { steps: [{ calls }, { text: "Done." }] } })
  const workplace = await openWorkplace({
    cwd: root,
    env: {
      ...environment(rehearsal.url),
      PATH: process.env.PATH,
      HOME: root,
      SOTTO_HOME: join(root, "home"),
    },
  })
  const looks: Look[] = []
  const look = (when: string) => {
    const other = openStore(workplace.store().path)
    const log = other.load(conversation.session.id)
    other.close()
    looks.push({ when, onDisk: log.slice(begun).map(({ type }) => type) })
  }
  const ran = () => look("ran")
  const desk: Desk = new Desk(
    ({ id }) => {
      look("ask")
      setImmediate(() => desk.answer(id, answer ?? "yes"))
    },
    () => true,
  )
  const { conversation, settled, close } = await openConversation({
    workplace,
    desk,
    emit: (event: HarnessEvent) => {
      if (["tool-call", "tool-result"].includes(event.type)) look(event.type)
      if (event.type === "tool-call" && event.name === "grep") void writeFile(join(root, "pipe"), "one\n")
    },
    yes: () => false,
    model: "anthropic/claude-opus-5-5",
  })
  let begun = Number.POSITIVE_INFINITY
  subscribe("sotto:tool", ran)
  onTestFinished(async () => {
    unsubscribe("sotto:tool", ran)
    await close()
    await workplace.close()
    rmSync(root, { recursive: true })
  })
  conversation.say("Begin.")
  begun = conversation.session.log.length
  await settled(new AbortController().signal)
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
  // Nothing comes out of the pipe before the call is shown.
  const at = await play([{ name: "grep", input: { pattern: "one", path: "pipe" } }])
  expect(at("tool-call")).toContain("replied")
  expect(at("tool-call")).not.toContain("result")
})

test("nobody is asked about a look whose reply is not on disk", async () => {
  const at = await play([{ name: "read", input: { path: "/etc/hosts" } }])
  expect(at("ask")).toContain("replied")
  expect(at("ask")).not.toContain("result")
})

test("a look that a crash cut short is made again, and told before its result", async () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "sotto-again-")))
  writeFileSync(join(root, "a.txt"), "one\n")
  const rehearsal = await rehearsalFor({ script: { steps: [{ text: "Done." }] } })
  const workplace = await openWorkplace({
    cwd: root,
    env: { ...environment(rehearsal.url), HOME: root, SOTTO_HOME: join(root, "home") },
  })
  const log: Entry[] = []
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
  workplace.store().create({ cwd: root }, log)
  workplace.store().release("cut-short")

  const events: string[] = []
  const { settled, close } = await openConversation({
    workplace,
    desk: new Desk(
      () => {},
      () => false,
    ),
    emit: ({ type }) => events.push(type),
    yes: () => false,
    session: "cut-short",
  })
  onTestFinished(async () => {
    await close()
    await workplace.close()
    rmSync(root, { recursive: true })
  })
  await settled(new AbortController().signal)
  const told = events.filter((type) => ["tool-call", "tool-result", "step", "turn-end"].includes(type))
  expect(told).toEqual(["tool-call", "tool-result", "step", "turn-end"])
})
