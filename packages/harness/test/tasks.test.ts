import { spawn } from "node:child_process"
import { once } from "node:events"
import { appendFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createSession, restoreSession, type Session, type SessionOptions } from "@sotto/core"
import { expect, onTestFinished, test } from "vitest"
import { ToolError } from "../src/platform/text/errors.js"
import { taskStatusTool } from "../src/tools/task-status.js"
import type { Work } from "../src/tools/tasks/task.js"
import { Tasks } from "../src/tools/tasks/tasks.js"
import { tellOfLostTasks, tellOfTasks, tellProgress } from "../src/tools/tasks/tell.js"
import type { ToolContext } from "../src/tools/tool.js"

const NO_CONTEXT = {} as ToolContext
const OPTIONS: SessionOptions = {
  agents: [{ name: "build" }],
  model: { id: "claude-sonnet-4-5" },
  now: () => 0,
  newId: () => "s",
}

/** A session and its tasks, with a folder for what they print. */
async function office(session = createSession(OPTIONS)) {
  const folder = await mkdtemp(join(tmpdir(), "sotto-tasks-"))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const tasks = new Tasks(() => 7)
  tellOfTasks(tasks, session, (text, options) => session.say(text, options))
  const print = (id: string, text: string) => appendFileSync(join(folder, id), text)
  const begin = (id: string, more: Partial<Work> = {}) =>
    tasks.begin({
      id,
      kind: "command",
      description: `does ${id}`,
      output: join(folder, id),
      stop: async () => undefined,
      ...more,
    })
  return { tasks, session, print, begin, status: taskStatusTool(tasks) }
}

/** What the next request tells beside the prompt. */
function toldAt(session: Session, words: string): readonly string[] {
  session.say(words)
  const next = session.next()
  if (next.is !== "request") throw new Error("nothing to ask")
  session.reply(next.request.id, { parts: [{ type: "text", text: "Yes." }], stop: "end" })
  return session.asides(1).map(({ text }) => text)
}

test("what is new is what was printed since it was last told", async () => {
  const { tasks, begin, print } = await office()
  begin("a")
  expect(tasks.news("a")).toBe("")
  print("a", "one\n")
  expect(tasks.news("a")).toBe("one")
  expect(tasks.news("a")).toBe("")
  print("a", "two\nthr")
  expect(tasks.news("a")).toBe("two\nthr")
  print("a", "ee\n")
  expect(tasks.news("a")).toBe("ee")
})

test("of much that is new the end is told, whole characters only, and how much is left out", async () => {
  const { tasks, begin, print } = await office()
  begin("a")
  print("a", `x${"€".repeat(3_000)}\nend\n`)
  const news = tasks.news("a")
  expect(news).toMatch(/^\[\d+ bytes before this are in the file\]\n€+\nend$/)
  expect(Buffer.byteLength(news)).toBeLessThan(4_200)
})

test("the model lists its tasks, looks at one, and is told what there is when it names none", async () => {
  const { begin, print, status } = await office()
  expect(await status.run({}, NO_CONTEXT)).toEqual({ content: "There are no background tasks." })
  await expect(status.run({ id: "a" }, NO_CONTEXT)).rejects.toThrow('There is no task "a". There are none.')
  begin("a")
  begin("b", { kind: "agent", who: "alice", lasting: true })
  print("a", "halfway\n")
  expect(await status.run({}, NO_CONTEXT)).toEqual({
    content: "a (command, running): does a\nb (agent, running): does b",
  })
  expect((await status.run({ id: "a" }, NO_CONTEXT)).content).toMatch(
    /^a \(command, running\): does a\nIts output is in .*\nNew since you were last told:\nhalfway$/,
  )
  expect((await status.run({ id: "alice" }, NO_CONTEXT)).content).toMatch(
    /^b .*\n.*\nNothing new since you were last told\.$/,
  )
  await expect(status.run({ stop: true }, NO_CONTEXT)).rejects.toThrow(/by `id`\. There are: a, b\./)
  await expect(status.access({ id: "zoe", stop: true }, NO_CONTEXT)).rejects.toThrow(ToolError)
})

test("ending an agent's work needs the permission to have agents work, ending a command does not", async () => {
  const { begin, status } = await office()
  begin("a")
  begin("b", { kind: "agent", who: "general" })
  expect(await status.access({ id: "b" }, NO_CONTEXT)).toEqual([])
  expect(await status.access({ id: "a", stop: true }, NO_CONTEXT)).toEqual([])
  expect(await status.access({ id: "b", stop: true }, NO_CONTEXT)).toEqual([
    { permission: "task", target: "general" },
  ])
})

test("several that end at once are each told once, in the order in which they ended", async () => {
  const { tasks, session, begin } = await office()
  for (const id of ["a", "b", "c"]) begin(id)
  for (const id of ["b", "c", "a"]) tasks.end(id, "finished", `${id} is done`)
  tasks.end("b", "failed", "b once more")
  expect(session.queue().map(({ content, origin }) => [content, origin.kind])).toEqual(
    ["b", "c", "a"].map((id) => [[{ type: "text", text: `${id} is done` }], "task-notification"]),
  )
  expect(tasks.list().map(({ state }) => state)).toEqual(["finished", "finished", "finished"])
})

test("what was stopped is told with what it had printed, and says nothing more itself", async () => {
  const { tasks, session, begin, print, status } = await office()
  begin("a", { stop: async () => tasks.end("a", "failed", "I was killed") })
  print("a", "last words\n")
  expect(await status.run({ id: "a", stop: true }, NO_CONTEXT)).toEqual({ content: "a is stopped." })
  expect(await status.run({ id: "a", stop: true }, NO_CONTEXT)).toMatchObject({ error: true })
  expect(session.queue()).toEqual([])
  const [told, ...more] = toldAt(session, "Well?")
  expect(told).toMatch(
    /The background command a \(does a\) was stopped by you\. Its output is in .*\n.*last words/s,
  )
  expect(more).toEqual([])
  expect(toldAt(session, "And now?")).toEqual([])
})

test("progress is told on request: only what is new, and not to start it again", async () => {
  const { tasks, session, begin, print } = await office()
  begin("a")
  print("a", "one\n")
  expect(tellProgress(tasks, session, "a")).toBe(true)
  expect(toldAt(session, "Well?").join()).toMatch(/a \(does a\) is running.*Do not start it again.*one/s)
  print("a", "two\n")
  tellProgress(tasks, session, "a")
  const told = toldAt(session, "And now?").join()
  expect(told).toContain("two")
  expect(told).not.toContain("one")
  expect(tellProgress(tasks, session, "b")).toBe(false)
})

test("one that runs on is told again after a compaction, one that has ended is not", async () => {
  const { tasks, session, begin } = await office()
  begin("a")
  begin("b")
  toldAt(session, "Begin.")
  tasks.end("b", "finished", "b is done")
  toldAt(session, "Go on.")
  session.compact("What was said so far.")
  const told = toldAt(session, "Well?").filter((text) => text.includes("background command"))
  expect(told).toEqual([expect.stringContaining("a (does a) is still running.")])
})

test("what ran when the program ended is told once as stopped; what had told its end is not", async () => {
  const { tasks, session, begin } = await office()
  begin("a")
  const orphan = spawn("sleep", ["1000"], { detached: true, stdio: "ignore" })
  onTestFinished(() => void orphan.kill())
  await once(orphan, "spawn")
  begin("b", { pid: orphan.pid ?? 0 })
  begin("c")
  toldAt(session, "Begin.")
  tasks.end("c", "finished", "c is done")
  // A crash between the message and the fact.
  const log = session.log.filter((entry) => entry.type !== "observed" || entry.fact.is !== "removed")
  const again = restoreSession(
    OPTIONS,
    log.map((entry, seq) => ({ ...entry, seq })),
  )
  tellOfLostTasks(again)
  const told = toldAt(again, "Go on.").filter((text) => text.includes("was stopped"))
  expect(told).toHaveLength(2)
  expect(told.join()).toMatch(/a \(does a\) was stopped.*It ended with the program that ran it\./s)
  expect(told.join()).toMatch(
    /b \(does b\) was stopped.*may still run.*the user can end them with kill -- -\d+/s,
  )
  tellOfLostTasks(again)
  expect(toldAt(again, "And now?").filter((text) => text.includes("was stopped"))).toEqual([])
})

test("a lasting task works again, is at work meanwhile, and ends only when it is stopped", async () => {
  const { tasks, session, begin } = await office()
  begin("a", { kind: "agent", who: "alice", lasting: true })
  expect(tasks.atWork()).toEqual(["alice"])
  tasks.end("a", "finished", "first report")
  expect(tasks.atWork()).toEqual([])
  tasks.resume("a")
  tasks.resume("a")
  expect(tasks.atWork()).toEqual(["alice"])
  tasks.end("a", "finished", "second report")
  expect(session.queue().map(({ id }) => id)).toEqual(["a-ended-1", "a-ended-2"])
  expect(await tasks.stop("a", "the user")).toBe(true)
  tasks.resume("a")
  expect(tasks.list()).toMatchObject([{ state: "stopped", run: 2 }])
})

test("closing ends everything and tells nobody", async () => {
  const { tasks, session, begin } = await office()
  const stopped: string[] = []
  begin("a", { stop: async () => void stopped.push("a") })
  begin("b", { lasting: true, stop: async () => void stopped.push("b") })
  begin("c", { stop: async () => void stopped.push("c") })
  tasks.end("b", "finished", "b is done")
  tasks.end("c", "finished", "c is done")
  const before = session.log.length
  await tasks.close()
  expect(stopped).toEqual(["a", "b"])
  expect(session.log.length).toBe(before)
})
