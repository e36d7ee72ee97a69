import { join } from "node:path"
import fc from "fast-check"
import { expect, onTestFinished, test } from "vitest"
import { type Awaitable, type HarnessEvent, OpenQuestions, openConversation } from "../src/index.js"
import { StoreError } from "../src/store/error.js"
import { readStored } from "../src/store/read.js"
import { openStore } from "../src/store/store.js"
import { opened } from "./conversation-support.js"
import { storeAt, storeKinds } from "./store-kinds.js"
import { stored, temporary, work } from "./store-support.js"

/** An export with some of everything, of the agent itself and of the engine. */
async function exports(): Promise<readonly (readonly string[])[]> {
  const { workplace, conversation, end } = await opened({
    steps: [
      { calls: [{ name: "read", input: { path: "a.txt" } }], text: "I look." },
      { text: "Done." },
      { text: "Twice." },
    ],
    emit: () => {},
  })
  conversation.say("Look at @a.txt.", { id: "first" })
  conversation.say("And then stop.", { delivery: "after-turn" })
  await end()
  conversation.switchAgent("plan")
  conversation.setAuto(true)
  conversation.abort("enough")
  const agent = await workplace.store().exportJsonl(conversation.session.id)

  const store = await openStore(join(temporary(), "sotto.db"))
  onTestFinished(() => store.close())
  const session = await stored(store, "engine")
  work(session, "Read it")
  work(session, "And again")
  session.observe("todos", [{ content: "x", status: "pending" }])
  session.note({ type: "file.edited", path: "a.ts", actor: "user" })
  session.compact("It was read.", { tail: 0, closeTurn: true })
  session.offerTools([{ name: "grep", description: "Searches.", inputSchema: { type: "object" } }])
  session.say("Wait", { id: "waits", delivery: "after-turn", origin: { kind: "channel", server: "ci" } })
  session.edit("waits", { content: "Wait longer" })
  session.cancel("waits")
  session.next()
  session.abort("enough")
  session.say("Go on")
  return [agent, await store.exportJsonl("engine")]
}

type Path = readonly (string | number)[]

/** Every place in a piece of JSON, but the root. */
function placesIn(value: unknown, path: Path = []): readonly Path[] {
  if (value === null || typeof value !== "object") return []
  return Object.entries(value).flatMap(([name, inner]) => {
    const here = [...path, Array.isArray(value) ? Number(name) : name]
    return [here, ...placesIn(inner, here)]
  })
}

/** A number that JSON can write and no number type can hold. */
const TOO_BIG = "1e999"
const DEEP = `${"[".repeat(50_000)}${"]".repeat(50_000)}`
/** By names, so that a failure can be printed. */
const WRONG: Readonly<Record<string, string | undefined>> = {
  nothing: undefined,
  tooBig: TOO_BIG,
  deep: DEEP,
  ...Object.fromEntries(
    [
      ...["null", "true", "false", "0", "-1", "1.5", "9e15", "-9e15", "1e300", '""', '"x"', '"\\ud800"'],
      ...["[]", "[null]", "{}", '{"type":"text"}', '{"__proto__":{"type":"text"}}', '"\\u0000"'],
    ].map((json) => [json, json]),
  ),
}

/** The line with another value at a place, or with nothing there. */
function mutated(line: string, path: Path, value: string | undefined): string {
  const root = JSON.parse(line)
  let at = root
  for (const name of path.slice(0, -1)) at = at[name]
  const last = path.at(-1) as string
  const mark = "\u0001here\u0001"
  if (value !== undefined) at[last] = mark
  else if (Array.isArray(at)) at.splice(Number(last), 1)
  else delete at[last]
  return JSON.stringify(root).replace(JSON.stringify(mark), () => value ?? "")
}

test.each(storeKinds())(
  "an export in which anything was changed is refused with the reason, or works like any other, in $name",
  async ({ place }) => {
    const logs = await exports()
    const spots = logs.flatMap((lines, log) =>
      lines.flatMap((line, index) => placesIn(JSON.parse(line)).map((path) => ({ log, index, path }))),
    )
    const store = await storeAt(place())
    let refused = 0
    const change = fc.record({
      spot: fc.constantFrom(...spots),
      wrong: fc.constantFrom(...Object.keys(WRONG)),
    })
    await fc.assert(
      fc.asyncProperty(change, async ({ spot, wrong }) => {
        const lines = (logs[spot.log] ?? []).map((line, i) =>
          i === spot.index ? mutated(line, spot.path, WRONG[wrong]) : line,
        )
        const id = await importing(() => store.importJsonl(lines.join("\n")))
        if (id === undefined) {
          refused++
          expect(await store.list()).toEqual([])
          return
        }
        const [listed] = await store.list()
        expect(listed?.damaged).toBeUndefined()
        expect(new Date(listed?.updated ?? Number.NaN).toISOString()).toBeTruthy()
        const session = await readStored(store, id)
        session.view()
        session.asides()
        session.ledger()
        const exported = await store.exportJsonl(id)
        await store.delete(id)
        expect(await store.importJsonl(exported.join("\n"))).toBe(id)
        await store.delete(id)
      }),
      { numRuns: 400, seed: 16 },
    )
    // Most of what can be changed may not be.
    expect(refused).toBeGreaterThan(150)
  },
)

/** Facts, signals, memos and inputs may be any data, and those who read them have to live with it. */
const FREE = /^(fact\.value|fact\.last|signal|memos|reply\.parts\.\d+\.input|output)(\.|$)/

test("a session whose facts, signals and inputs are other ones than expected can be gone on with", async () => {
  const [lines = []] = await exports()
  const spots = lines.flatMap((line, index) =>
    placesIn(JSON.parse(line))
      .filter((path) => FREE.test(path.join(".")))
      .map((path) => ({ index, path })),
  )
  expect(spots.length).toBeGreaterThan(20)
  const shown: HarnessEvent[] = []
  const { workplace } = await opened({
    steps: Array.from({ length: 200 }, () => ({ text: "Well." })),
    emit: () => {},
  })
  const store = workplace.store()
  const questions = new OpenQuestions(
    () => {},
    () => false,
  )
  let gone = 0
  for (const [i, { index, path }] of spots.entries()) {
    const wrong = Object.values(WRONG)[i % Object.keys(WRONG).length]
    const changed = lines.map((line, at) => (at === index ? mutated(line, path, wrong) : line))
    const id = await importing(() => store.importJsonl(changed.join("\n")))
    if (id === undefined) continue
    shown.length = 0
    const emit = (event: HarnessEvent) => void shown.push(event)
    const { conversation, settled, close } = await openConversation({
      ...{ workplace, questions, emit, yes: () => false, session: id, model: "anthropic/claude-opus-5-5" },
    })
    conversation.say("Go on.")
    await settled(new AbortController().signal)
    await close()
    expect(shown, path.join(".")).toContainEqual(
      expect.objectContaining({ type: "turn-end", reason: "done" }),
    )
    await store.delete(id)
    gone++
  }
  expect(gone).toBeGreaterThan(10)
})

/** The id, or undefined if it was refused in words that help. */
async function importing(work: () => Awaitable<string>): Promise<string | undefined> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    expect(["bad-import", "newer"]).toContain(error.code)
    expect(error.message).toMatch(/^(Line \d+ of the export |The export's entries )/)
    expect(error.message).toContain("Nothing was imported.")
    return undefined
  }
}
