import { renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { expect, test } from "vitest"
import type { HarnessEvent } from "../src/index.js"
import { openFile } from "../src/store/store.js"
import { opened } from "./conversation-support.js"
import { program, run, temporary } from "./store-support.js"

/** Keeps everybody else from writing to the store, from its first word until its input ends. */
const LOCKER = `
import { createRequire } from "node:module"
const Sqlite = createRequire(import.meta.url)("libsql")
const other = new Sqlite(process.argv[2])
other.exec("BEGIN IMMEDIATE")
writeSync(1, "locked\\n")
process.stdin.on("end", () => { other.exec("ROLLBACK"); other.close(); writeSync(1, "free\\n") }).resume()
`

const NOTHING_DONE = ["step", "delivered", "text", "turn-end"]

test("a command that failed while another process had the store locked did not happen, and can be sent again", async () => {
  const events: HarnessEvent[] = []
  const { workplace, rehearsal, conversation, end } = await opened({
    steps: [{ text: "One." }, { text: "Two." }],
    emit: (event) => events.push(event),
  })
  const locker = run(program(temporary(), LOCKER), workplace.store().path)
  expect(await locker.line()).toBe("locked")
  const before = conversation.session.log.length
  const refused = /another process is writing to it/
  expect(() => conversation.say("Begin.", { id: "m" })).toThrow(refused)
  expect(() => conversation.switchAgent("plan")).toThrow(refused)
  expect(conversation.session.log).toHaveLength(before)
  expect(conversation.session.agent).toBe("build")
  expect(conversation.session.queue()).toEqual([])
  locker.child.stdin?.end()
  expect(await locker.line()).toBe("free")
  await end()
  expect(events.filter(({ type }) => type === "queued" || NOTHING_DONE.includes(type))).toEqual([])
  expect(rehearsal.requests).toHaveLength(0)

  conversation.say("Begin.", { id: "m" })
  conversation.switchAgent("plan")
  await end()
  expect(events.filter(({ type }) => type === "queued")).toEqual([{ type: "queued", id: "m" }])
  expect(events.filter(({ type }) => type === "delivered")).toHaveLength(1)
  const said = (await workplace.store().load(conversation.session.id)).filter(({ type }) => type === "said")
  expect(said).toHaveLength(1)
}, 60_000)

/** What can happen to the files of a store while it is in use. */
const MISHAPS: Readonly<Record<string, (path: string) => void>> = {
  "the database was removed": (path) => rmSync(path),
  "the database was replaced": (path) => {
    renameSync(path, `${path}.old`)
    openFile(join(dirname(path), "fresh.db")).close()
    renameSync(join(dirname(path), "fresh.db"), path)
  },
  "the log was removed": (path) => rmSync(`${path}-wal`),
  "the log was replaced": (path) => {
    renameSync(`${path}-wal`, `${path}-wal.old`)
    writeFileSync(`${path}-wal`, "")
  },
  "the folder was renamed": (path) => renameSync(dirname(path), `${dirname(path)}-elsewhere`),
  "everything was removed": (path) => rmSync(dirname(path), { recursive: true }),
}

test.each(Object.keys(MISHAPS))("nothing is accepted or acted on once %s", async (mishap) => {
  const events: HarnessEvent[] = []
  const { workplace, rehearsal, conversation, end } = await opened({
    steps: [{ text: "One." }, { text: "Two." }],
    emit: (event) => events.push(event),
    isBroken: "Somebody removed",
  })
  conversation.say("Begin.")
  await end()
  conversation.say("Wait for it.", { id: "passive", delivery: "passive" })
  events.length = 0
  const before = conversation.session.log.length
  MISHAPS[mishap]?.(workplace.store().path)
  const commands = {
    say: () => conversation.say("Again.", { id: "m" }),
    edit: () => conversation.edit("passive", { content: "Wait longer." }),
    cancel: () => conversation.cancel("passive"),
    agent: () => conversation.switchAgent("plan"),
    model: () => conversation.switchModel({ id: "openai/gpt-5.6" }),
    auto: () => conversation.setAuto(true),
  }
  for (const [name, command] of Object.entries(commands))
    expect(command, name).toThrow(/^Somebody removed, moved or replaced .*sessions\.db/)
  await end()
  expect(conversation.session.log).toHaveLength(before)
  expect(conversation.session.queue().map(({ id }) => id)).toEqual(["passive"])
  // Whoever waits hears why nothing goes on.
  expect(events.filter(({ type }) => type !== "error")).toEqual([])
  expect(rehearsal.requests).toHaveLength(1)
})

test("what the work itself brings is not acted on once the store was moved away", async () => {
  const errors: string[] = []
  const { workplace, rehearsal, conversation, end } = await opened({
    steps: [{ calls: [{ name: "read", input: { path: "a.txt" } }] }, { text: "Done." }],
    emit: (event) => {
      if (event.type === "step") MISHAPS["the folder was renamed"]?.(workplace.store().path)
      if (event.type === "error") errors.push(event.message)
    },
    isBroken: "Somebody removed",
  })
  conversation.say("Begin.")
  await end()
  expect(errors).toEqual([expect.stringContaining("Somebody removed")])
  expect(rehearsal.requests).toHaveLength(1)
})

test("an abort that cannot be kept stops the work all the same, and is told", async () => {
  const events: HarnessEvent[] = []
  const { workplace, conversation, end } = await opened({
    steps: [{ text: "One two three four five six seven eight nine ten." }],
    emit: (event) => {
      events.push(event)
      if (event.type !== "step") return
      MISHAPS["the database was removed"]?.(workplace.store().path)
      conversation.abort("enough")
    },
    isBroken: "Somebody removed",
  })
  conversation.say("Begin.")
  await end()
  expect(events).toContainEqual({ type: "error", message: expect.stringContaining("Somebody removed") })
  expect(events).toContainEqual(expect.objectContaining({ type: "turn-end", reason: "error", steps: 1 }))
})

test("a message that is sent again is acknowledged again, and delivered once", async () => {
  const events: HarnessEvent[] = []
  const { rehearsal, conversation, end } = await opened({
    steps: [{ text: "One." }],
    emit: (event) => events.push(event),
  })
  const receipt = conversation.say("Begin.", { id: "m" })
  expect(conversation.say("Begin.", { id: "m" })).toEqual(receipt)
  await end()
  expect(conversation.say("Begin.", { id: "m" })).toMatchObject({ id: "m", state: "delivered" })
  await end()
  expect(events.filter(({ type }) => type === "queued")).toEqual(
    Array.from({ length: 3 }, () => ({ type: "queued", id: "m" })),
  )
  expect(events.filter(({ type }) => type === "delivered")).toHaveLength(1)
  expect(rehearsal.requests).toHaveLength(1)
})
