import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import {
  capabilitiesIn,
  forgetUpdate,
  type HarnessEvent,
  keepUpdate,
  loadConfig,
  offeredModels,
  priceIn,
  readUpdate,
  updateFile,
} from "../src/index.js"
import { opened } from "./conversation-support.js"

const LATER = "2027-03-01"
const NEW = "anthropic/claude-opus-6"

const listOf = (models: object, asOf = LATER) => JSON.stringify({ asOf, source: "a test", models })

function home(files: Readonly<Record<string, string>> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "sotto-models-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  const env = { HOME: folder, SOTTO_HOME: folder }
  return { folder, env, load: () => loadConfig({ cwd: folder, env }) }
}

/** A session of one step that asks a model, with files in its folder. */
async function asked(files: Readonly<Record<string, string>>, model = NEW) {
  const events: HarnessEvent[] = []
  const { conversation, end, workplace } = await opened({
    ...{
      steps: [{ text: "Done." }, { text: "Again." }],
      files,
      model,
      emit: (event) => void events.push(event),
    },
  })
  conversation.say("Go on.")
  await end()
  const step = conversation.session.log.find((entry) => entry.type === "step")
  if (step?.type !== "step") throw new Error("There is no step.")
  const account = events.flatMap((event) => (event.type === "turn-end" ? [event.account] : [])).at(-1)
  return { events, step, account, workplace, conversation }
}

describe("an update of models", () => {
  it("reaches what a session counts, what its economy goes by, and what it takes the model to accept", async () => {
    const price = { input: 100, output: 0, cacheRead: 50, cacheWrite: 100 }
    const models = { "claude-opus-6": { price, contextWindow: 70_000, capabilities: { images: false } } }
    const { step, account, workplace } = await asked({ "home/models.json": listOf(models) })
    const sent = (account?.input ?? 0) + (account?.cacheWrite ?? 0)
    expect(sent).toBeGreaterThan(1_000)
    expect(account?.cost).toBeCloseTo((sent * 100) / 1e6, 9)
    expect(account).not.toHaveProperty("assumed")
    expect(step.economy?.rates).toMatchObject({ read: 0.5, write: 1, output: 0 })
    expect(workplace.modelNamed(NEW).capabilities).toEqual({ contextWindow: 70_000, images: false })
    expect(step.epoch?.pins.capabilities).toMatchObject({ contextWindow: 70_000, images: false })
  })

  it("stops a session at its limit of money", async () => {
    const models = { "claude-opus-6": { price: { input: 1_000_000, output: 1 } } }
    const files = {
      "home/models.json": listOf(models),
      "sotto.json": JSON.stringify({ limits: { session: { cost: 100 } } }),
    }
    const steps = [{ calls: [{ name: "read", input: { path: "a.txt" } }] }, { text: "Never." }]
    const events: HarnessEvent[] = []
    const { conversation, end } = await opened({
      ...{ steps, files, model: NEW, emit: (event) => void events.push(event) },
    })
    conversation.say("Go on.")
    await end()
    expect(events.at(-1)).toMatchObject({ type: "turn-end", reason: "limit", steps: 1 })
  })

  it("counts less than sotto.json, field by field", async () => {
    const models = { "claude-opus-6": { price: { input: 7, output: 8 }, contextWindow: 70_000 } }
    const { load } = home({
      "models.json": listOf(models),
      "sotto.json": JSON.stringify({ models: { [NEW]: { price: { output: 9 }, contextWindow: 80_000 } } }),
    })
    const config = await load()
    expect(priceIn(config, NEW)).toMatchObject({ input: 7, output: 9 })
    expect(capabilitiesIn(config, NEW)).toEqual({ contextWindow: 80_000 })
  })

  it("counts less than a row of Sotto's own that was compared later, for its price and for its window", async () => {
    const words = { price: { input: 100, output: 100 }, contextWindow: 1_000 }
    const models = { "claude-opus-5": words, "claude-opus-6": words }
    const { load } = home({ "models.json": listOf(models, "2026-11-17") })
    const config = await load()
    expect(priceIn(config, "anthropic/claude-opus-5")).toMatchObject({ input: 5 })
    expect(capabilitiesIn(config, "anthropic/claude-opus-5")).toEqual({})
    expect(priceIn(config, NEW)).toMatchObject({ input: 100 })
    expect(capabilitiesIn(config, NEW)).toEqual({ contextWindow: 1_000 })
    const { load: later } = home({ "models.json": listOf(models) })
    expect(priceIn(await later(), "anthropic/claude-opus-5")).toMatchObject({ input: 100 })
  })

  it("is offered among the models to choose from", async () => {
    const models = {
      "claude-opus-6": { price: { input: 7, output: 8 }, contextWindow: 70_000 },
      "openai-chat/qwen-9": { price: { input: 1, output: 1 } },
      "unheard-of": { price: { input: 1, output: 1 } },
    }
    const { load, env } = home({ "models.json": listOf(models) })
    const offered = offeredModels(await load(), env)
    const names = offered.map(({ name }) => name)
    expect(offered.find(({ name }) => name === NEW)).toMatchObject({
      ...{ contextWindow: 70_000, price: { input: 7 } },
    })
    expect(names).toContain("openai-chat/qwen-9")
    expect(names.some((name) => name.includes("unheard-of"))).toBe(false)
  })

  it("is left out with a word if its file is damaged, and nothing else is", async () => {
    const { load } = home({
      "models.json": listOf({ "claude-opus-6": { price: { input: "7", output: 8 } } }),
      "sotto.json": '{"think":"low"}',
    })
    const config = await load()
    expect(config).toMatchObject({ think: "low" })
    expect(config).not.toHaveProperty("update")
    expect(config.notices?.join()).toMatch(
      /models\.json is left out.*models\.claude-opus-6\.price\.input: This is string "7"\. Use a number.*sotto models reset/,
    )
  })

  it("is kept whole, for its owner only, and forgotten", () => {
    const { env } = home()
    const update = {
      asOf: LATER,
      source: "a test",
      models: { "claude-opus-6": { price: { input: 1, output: 2 } } },
    }
    expect(readUpdate(env)).toEqual({})
    keepUpdate(env, update)
    expect(statSync(updateFile(env)).mode & 0o777).toBe(0o600)
    expect(JSON.parse(readFileSync(updateFile(env), "utf8"))).toEqual(update)
    expect(readUpdate(env)).toEqual({ update })
    expect([forgetUpdate(env), forgetUpdate(env), readUpdate(env)]).toEqual([true, false, {}])
  })
})

describe("a model whose price is assumed", () => {
  it("counts for the account and for limits, and is named", async () => {
    const { account, step } = await asked({})
    expect(account?.cost).toBeGreaterThan(0)
    expect(account).toMatchObject({ assumed: { [NEW]: "claude-opus-5-5" } })
    expect(step.economy?.rates.read).toBe(0.05)
    const events: HarnessEvent[] = []
    const { conversation, end } = await opened({
      steps: [{ calls: [{ name: "read", input: { path: "a.txt" } }] }, { text: "Never." }],
      files: { "sotto.json": JSON.stringify({ limits: { turn: { cost: 0.0001 } } }) },
      ...{ model: NEW, emit: (event) => void events.push(event) },
    })
    conversation.say("Go on.")
    await end()
    expect(events.at(-1)).toMatchObject({ type: "turn-end", reason: "limit", steps: 1 })
  })
})
