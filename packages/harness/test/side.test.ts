import type { Entry, Usage } from "@sotto/core"
import type { ScriptStep } from "@sotto/rehearsal"
import { describe, expect, it } from "vitest"
import { opened } from "./conversation-support.js"

type Billed = Extract<Entry, { type: "billed" }>

/** About 4,000 tokens a file. */
const FILES = Object.fromEntries(
  Array.from({ length: 10 }, (_, i) => [`${i}.txt`, `${i} is a line of a file\n`.repeat(700)]),
)
const READS: readonly ScriptStep[] = Object.keys(FILES).map((path) => ({
  text: "Reading files",
  calls: [{ name: "read", input: { path } }],
}))

const MODELS = [
  "anthropic/claude-sonnet-5-5",
  "openai/gpt-5.6",
  "openai-chat/gpt-5.6",
  "google/gemini-3-pro",
] as const

function billedIn(log: readonly Entry[]): readonly Billed[] {
  return log.filter((entry) => entry.type === "billed")
}

/** What was read, in input-token equivalents. */
function inputOf({ input, cacheRead, cacheWrite }: Usage): number {
  return input + 0.1 * cacheRead + 1.25 * cacheWrite
}

/** A conversation of about 45,000 tokens that the provider has in its cache. */
async function warm(model: string, answers: readonly ScriptStep[], settings: object = {}) {
  const steps = [...READS, { text: "All read." }, ...answers]
  // An economy would drop what was read first.
  const files = { ...FILES, "sotto.json": JSON.stringify({ economy: "off", ...settings }) }
  const found = await opened({ steps, model, emit: () => undefined, files })
  found.conversation.say("Read them all.")
  await found.conversation.wake()
  const last = found.conversation.session.log.findLast((entry) => entry.type === "replied")
  const {
    input = 0,
    cacheRead = 0,
    cacheWrite = 0,
  } = last?.type === "replied" ? (last.reply.usage ?? {}) : {}
  return { ...found, context: input + cacheRead + cacheWrite }
}

describe.each(MODELS)("a summary over %s", (model) => {
  it("reads the conversation from the cache: at most 0.15 of what it is long", async () => {
    const { conversation, rehearsal, context } = await warm(model, [{ text: "SUMMARY" }, { text: "On." }])
    expect(context).toBeGreaterThan(40_000)
    conversation.compact("the file names")
    conversation.say("Go on.")
    await conversation.wake()
    const [bill] = billedIn(conversation.session.log)
    expect(bill).toMatchObject({ purpose: "summary", way: "side" })
    expect(inputOf(bill?.usage ?? never()) / context).toBeLessThan(0.15)
    const { side = 0, transcript = 0 } = bill?.prices ?? {}
    expect(side).toBeLessThan(0.15 * transcript)
    const asked = rehearsal.requests.filter(({ body }) => JSON.stringify(body).includes("the file names"))
    expect(asked).toMatchObject([{ problems: [] }])
    expect(JSON.stringify(rehearsal.requests.at(-1)?.body)).toContain("SUMMARY")
  })
})

describe.each(MODELS)("a title and an outcome over %s", (model) => {
  it("cost at most 0.12 of what the conversation is long", async () => {
    const { conversation, context, workplace } = await warm(model, [{ text: "All was read." }], {
      titles: true,
    })
    const { session } = conversation
    await expect.poll(async () => (await workplace.store().about(session.id)).summary).toBe("All was read.")
    expect((await workplace.store().about(session.id)).title).toBe("Reading files")
    const bills = billedIn(session.log)
    expect(bills).toMatchObject([{ purpose: "title" }, { purpose: "outcome", way: "side" }])
    for (const { usage } of bills) expect(inputOf(usage ?? never()) / context).toBeLessThan(0.12)
  })
})

describe("a side request of the agent", () => {
  const model = MODELS[0]

  it("refuses a call that comes all the same, once, and takes the words that follow", async () => {
    const call: ScriptStep = { calls: [{ name: "read", input: { path: "1.txt" } }] }
    const { conversation, rehearsal } = await warm(model, [call, { text: "SUMMARY" }, { text: "On." }])
    conversation.compact()
    conversation.say("Go on.")
    await conversation.wake()
    expect(billedIn(conversation.session.log).map(({ way }) => way)).toEqual(["side", "side"])
    const refused = (body: unknown) => JSON.stringify(body).includes("no tools can be called while")
    expect(rehearsal.requests.filter(({ body }) => refused(body))).toMatchObject([{ problems: [] }])
    expect(JSON.stringify(rehearsal.requests.at(-1)?.body)).toContain("SUMMARY")
  })

  it("falls back to a transcript when the model only calls tools", async () => {
    const call: ScriptStep = { calls: [{ name: "read", input: { path: "1.txt" } }] }
    const { conversation } = await opened({
      steps: [...READS, { text: "All read." }, call, call, { text: "On." }],
      scripts: [{ when: "Summarise this conversation.", steps: [{ text: "FROM THE TRANSCRIPT" }] }],
      model,
      emit: () => undefined,
      files: FILES,
    })
    conversation.say("Read them all.")
    await conversation.wake()
    conversation.compact()
    conversation.say("Go on.")
    await conversation.wake()
    const bills = billedIn(conversation.session.log)
    expect(bills.map(({ way }) => way)).toEqual(["side", "side", "transcript"])
    expect(bills.every(({ prices }) => prices?.side !== undefined)).toBe(true)
    expect(conversation.session.log.findLast(({ type }) => type === "compacted")).toMatchObject({
      summary: "FROM THE TRANSCRIPT",
    })
  })

  it("is a transcript where the user has given the agent a model of its own", async () => {
    const { conversation } = await opened({
      steps: [{ text: "Yes." }, { text: "On." }],
      scripts: [{ when: "Summarise this conversation.", steps: [{ text: "SHORT" }] }],
      model,
      emit: () => undefined,
      files: { "sotto.json": '{"agents":{"compaction":{"model":"anthropic/claude-haiku-5-5"}}}' },
    })
    conversation.say("Hello.")
    await conversation.wake()
    conversation.compact()
    conversation.say("Go on.")
    await conversation.wake()
    expect(billedIn(conversation.session.log)).toMatchObject([
      { purpose: "summary", way: "transcript", model: "anthropic/claude-haiku-5-5" },
    ])
  })
})

function never(): never {
  throw new Error("The provider reported no usage.")
}
