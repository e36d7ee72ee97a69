import { join } from "node:path"
import { createSession } from "@sotto/core"
import { afterEach, expect, it, vi } from "vitest"
import { Durability } from "../src/session/loop/durability.js"
import { LogWriter } from "../src/session/loop/log-writer.js"
import { openFile } from "../src/store/store.js"
import { opened } from "./conversation-support.js"
import { temporary } from "./store-support.js"

type Calling = (...args: readonly unknown[]) => unknown

afterEach(() => {
  vi.restoreAllMocks()
})

/** Calls of `Durability` that come while it runs a function it was given, or tells somebody something. */
function callsFromInside(): readonly string[] {
  const found: string[] = []
  const under: string[] = []
  const lent = (name: string, given: unknown): unknown => {
    if (typeof given === "function")
      return (...args: readonly unknown[]) => {
        under.push(name)
        try {
          return (given as Calling)(...args)
        } finally {
          under.pop()
        }
      }
    if (typeof given !== "object" || given === null || given instanceof Promise) return given
    return new Proxy(given, {
      get: (target, key) => {
        const value = Reflect.get(target, key) as unknown
        return typeof value === "function" ? lent(name, value.bind(target)) : value
      },
    })
  }
  const names = Object.getOwnPropertyNames(Durability.prototype).filter((name) => name !== "constructor")
  for (const name of names) {
    const real = Object.getOwnPropertyDescriptor(Durability.prototype, name)
    if (typeof real?.value !== "function") continue
    const called = real.value as Calling
    vi.spyOn(Durability.prototype, name as "command").mockImplementation(function (
      this: Durability,
      ...args: readonly unknown[]
    ) {
      const outer = under.at(-1)
      if (outer !== undefined) found.push(`${name} inside ${outer}`)
      return called.apply(this, args.map((one) => lent(name, one)) as [])
    } as Calling as never)
  }
  return found
}

it("is not entered again while a command, an entry or an event of it is under way", async () => {
  const found = callsFromInside()
  const answers = ["More.", "And more."]
  const shown: string[] = []
  const scene = await opened({
    steps: [
      { calls: [{ name: "read", input: { path: "a.txt" } }] },
      { calls: [{ name: "bash", input: { command: "true" } }] },
      { text: "Done." },
      { text: "Done again." },
      { text: "The end." },
    ],
    auto: true,
    // Whoever is shown something may answer at once.
    emit: (event) => {
      shown.push(event.type)
      const words = event.type === "turn-end" || event.type === "agent" ? answers.shift() : undefined
      if (words !== undefined) scene.conversation.say(words)
    },
  })
  scene.conversation.say("Begin.")
  scene.conversation.switchAgent("plan")
  await scene.end()
  scene.conversation.compact()
  await scene.end()
  scene.conversation.say("Once more.")
  scene.conversation.abort()
  await scene.end()
  expect(answers).toEqual([])
  expect(shown).toContain("tool-result")
  expect(found).toEqual([])
})

it("refuses a command inside a command, and takes the next one", () => {
  const store = openFile(join(temporary(), "sotto.db"))
  const writer = new LogWriter(() => store)
  const durability = new Durability(() => store, writer)
  const session = createSession({
    agents: [{ name: "build" }],
    model: { id: "anthropic/claude-opus-5-5" },
    now: () => 0,
    newId: () => "one",
    onAppend: (entries) => {
      if (entries[0]?.type !== "opened") return writer.append(entries)
      store.create({ cwd: "/work" }, entries)
      durability.open("one", entries.length)
    },
  })
  const inner = () => durability.command(() => session.say("inner"))
  expect(() => durability.command(inner)).toThrow("inside another command")
  durability.command(() => session.say("next"))
  const other = openFile(store.path)
  expect(other.load("one").filter(({ type }) => type === "said")).toHaveLength(1)
  other.close()
  store.close()
})
