import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Usage } from "@sotto/core"
import { type AccountLine, accountOf, allClasses, moneyOf } from "@sotto/core/economy"
import { priceOf, ratesFor } from "@sotto/core/prices"
import type { BilledRequest, RehearsalOptions, ScriptStep } from "@sotto/rehearsal"
import { describe, expect, it, onTestFinished } from "vitest"
import {
  costReport,
  figuresOf,
  forkSession,
  type HarnessEvent,
  OpenQuestions,
  openConversation,
  openProjectRuntime,
} from "../src/index.js"
import type { ModelLink } from "../src/models/model-link.js"
import { withCharges } from "../src/session/loop/charges.js"
import { Durability } from "../src/session/loop/durability.js"
import { LogWriter } from "../src/session/loop/log-writer.js"
import { asking, environment, MODELS, rehearsalFor, sessionOf } from "./models-support.js"
import { call } from "./scene-support.js"

/** A project with a rehearsal of its own, in which sessions are opened and opened again. */
async function project(script: NonNullable<RehearsalOptions["script"]>, config: object = {}) {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "sotto-account-")))
  writeFileSync(join(root, "a.txt"), "one\n")
  writeFileSync(join(root, "sotto.json"), JSON.stringify(config))
  const rehearsal = await rehearsalFor({ script })
  const { PATH = "" } = process.env
  const env = { ...environment(rehearsal.url), PATH, HOME: root, SOTTO_HOME: join(root, "home") }
  const runtime = await openProjectRuntime({
    cwd: root,
    trust: true,
    env,
    calling: { sleep: async () => {} },
  })
  onTestFinished(async () => {
    await runtime.close()
    rmSync(root, { recursive: true })
  })
  const open = async (options: {
    readonly model?: string
    readonly session?: string
    readonly titles?: true
  }) => {
    const events: HarnessEvent[] = []
    const questions = new OpenQuestions(
      () => {},
      () => false,
    )
    const opened = await openConversation({
      ...options,
      ...{ workplace: runtime, questions, yes: () => true, emit: (event) => void events.push(event) },
    })
    let isOpen = true
    const close = async () => {
      if (isOpen) await opened.close()
      isOpen = false
    }
    onTestFinished(close)
    const say = async (text: string) => {
      const { id } = opened.conversation.say(text)
      await opened.settled(new AbortController().signal)
      return id
    }
    return { ...opened, close, say, events, session: opened.conversation.session }
  }
  return { rehearsal, store: () => runtime.store(), open }
}

/** A line as the account has it and as the server has it: the model without its provider, tokens by price class. */
const lineOf = ({ model, usage }: Pick<AccountLine, "model" | "usage">) =>
  JSON.stringify([model.slice(model.indexOf("/") + 1), usage && classes(usage)])
const billOf = ({ model, tokens }: BilledRequest) =>
  JSON.stringify([model, tokens && classes(paidFor(tokens))])
const classes = ({ input, output, cacheRead, cacheWrite }: Usage) => [input, output, cacheRead, cacheWrite]

/** The server counts all input as input, also what the cache had. */
function paidFor({ input, output, cacheRead, cacheWrite }: NonNullable<BilledRequest["tokens"]>): Usage {
  return { input: input - cacheRead - cacheWrite, output, cacheRead, cacheWrite }
}

/** What the server's bills come to in dollars, by price class. */
function dollarsOf(billed: readonly BilledRequest[]): readonly number[] {
  const sums = [0, 0, 0, 0]
  for (const { model, tokens } of billed) {
    const price = priceOf(model)
    if (price === undefined || tokens === undefined) continue
    const { input, output, cacheRead, cacheWrite } = ratesFor(price, tokens.input)
    const rates = [input, output, cacheRead, cacheWrite]
    for (const [i, count] of classes(paidFor(tokens)).entries())
      sums[i] = (sums[i] ?? 0) + (count * (rates[i] ?? 0)) / 1e6
  }
  return sums
}

const long = (words: string) => `${words} ${"word ".repeat(3_000)}`

describe.each(MODELS)("the account of a session on %s", (model) => {
  it("equals what the server billed: subagents, summaries, titles, broken attempts, an abort and a rewind", async () => {
    const broken: ScriptStep = { text: "This breaks off in the middle of it.", fail: [{ drop: "middle" }] }
    const { rehearsal, open, store } = await project({
      scripts: [
        {
          when: "/^Look around/",
          steps: [call("read", { path: "a.txt" }), { ...broken, text: "There is one file, called a." }],
        },
      ],
      steps: [
        call("task", { agent: "explore", prompt: "Look around." }),
        broken,
        { text: "This is said slowly so that it can be cut short.", tokenDelay: 40 },
        { text: "Third." },
        { text: "Fourth." },
        { text: "Fifth." },
      ],
    })
    const { session, conversation, say, events, account, close } = await open({ model, titles: true })
    await say(long("Begin."))
    conversation.say("Second")
    const cut = conversation.wake()
    await expect.poll(() => events.filter(({ type }) => type === "text").length).toBeGreaterThan(8)
    conversation.abort("enough")
    await cut
    const third = await say("Third")
    await conversation.rewind(third)
    conversation.compact()
    await conversation.wake()
    await say("Fourth")
    await close()

    const report = await costReport(store(), session.id, session.log, priceOf)
    const [child] = await store().subagents(session.id)
    const below = accountOf(await store().load(child?.id ?? ""), priceOf)
    const lines = [...accountOf(session.log, priceOf).lines, ...below.lines]
    await expect.poll(() => rehearsal.billed.length).toBe(lines.length)
    expect(lines.map(lineOf).sort()).toEqual(rehearsal.billed.map(billOf).sort())
    expect(new Set(report.purposes.map(({ purpose }) => purpose))).toEqual(
      new Set(["step", "retry", "title", "outcome", "summary"]),
    )
    expect(below.lines.map(({ purpose }) => purpose)).toEqual(["step", "retry", "step"])
    expect(classes(report.sum.dollars)).toEqual(
      dollarsOf(rehearsal.billed).map((dollars) => expect.closeTo(dollars, 9)),
    )
    expect(figuresOf(account())).toEqual(figuresOf(report.sum))
    const told = events.filter((event) => event.type === "usage")
    expect(told).toHaveLength(lines.filter(({ usage }) => usage !== undefined).length)
    expect(told.reduce((sum, usage) => sum + allClasses(usage), 0)).toBe(allClasses(report.sum.tokens))
  })
})

const MODEL = "anthropic/claude-opus-5-5"
const reads = (times: number) => Array.from({ length: times }, () => call("read", { path: "a.txt" }))

describe("a limit of money", () => {
  it("holds for the session and its subagents together, and the subagent says why it was stopped", async () => {
    const { open, rehearsal } = await project(
      {
        scripts: [{ when: "/^Look around/", steps: [...reads(20), { text: "Nothing." }] }],
        steps: [call("task", { agent: "explore", prompt: "Look around." }), ...reads(20), { text: "Done." }],
      },
      { limits: { session: { cost: 0.02 } } },
    )
    const { say, events, account } = await open({ model: MODEL })
    await say("Begin.")
    const spent = moneyOf(account()) ?? 0
    const dearest = Math.max(...rehearsal.billed.map((one) => dollarsOf([one]).reduce((a, b) => a + b)))
    expect(spent).toBeGreaterThanOrEqual(0.02)
    expect(spent).toBeLessThan(0.02 + dearest)
    const [report] = events.flatMap((event) => (event.type === "tool-result" ? [event.output] : []))
    expect(report).toContain(
      "The agent was stopped. The limit of $0.02 is reached for the session and its subagents together (limits.session).",
    )
    expect(events.filter(({ type }) => type === "step")).toHaveLength(1)
    expect(events.at(-1)).toMatchObject({
      type: "turn-end",
      reason: "limit",
      account: { cost: expect.closeTo(spent, 9) },
    })
    const before = rehearsal.billed.length
    await say("Go on.")
    expect(rehearsal.billed.length).toBeGreaterThan(before)
  })

  it("of a turn counts what its subagents use, and begins anew with the next turn", async () => {
    const { open } = await project(
      {
        scripts: [{ when: "/^Look around/", steps: [...reads(2), { text: "Nothing." }] }],
        steps: [
          call("task", { agent: "explore", prompt: "Look around." }),
          ...[...reads(2), { text: "Next." }],
        ],
      },
      { limits: { turn: { tokens: 4_000 } } },
    )
    const { say, events } = await open({ model: MODEL })
    await say("Begin.")
    expect(events.at(-1)).toMatchObject({ type: "turn-end", reason: "limit", steps: 1 })
    await say("Go on.")
    expect(events.at(-1)).toMatchObject({ type: "turn-end", reason: "done" })
  })

  it("counts steps for each session by itself", async () => {
    const { open } = await project(
      {
        scripts: [{ when: "/^Look around/", steps: [...reads(2), { text: "Nothing." }] }],
        steps: [...reads(2), call("task", { agent: "explore", prompt: "Look around." }), { text: "Done." }],
      },
      { limits: { session: { steps: 3 }, turn: { steps: 3 } } },
    )
    const { say, events } = await open({ model: MODEL })
    await say("Begin.")
    expect(events.at(-1)).toMatchObject({ type: "turn-end", reason: "limit", account: { requests: 6 } })
    const report = events.flatMap((event) => (event.type === "tool-result" ? [event.output] : [])).at(-1)
    expect(report).toBe("Nothing.")
  })
})

describe("the account", () => {
  it("is known to a session that is opened again, with its subagents', and not to a fork", async () => {
    const { open, store } = await project({
      scripts: [{ when: "/^Look around/", steps: [{ text: "Nothing." }] }],
      steps: [
        ...[call("task", { agent: "explore", prompt: "Look around." }), { text: "Done." }],
        ...[{ text: "Again." }, { text: "More." }],
      ],
    })
    const first = await open({ model: MODEL })
    await first.say("Begin.")
    const prompt = await first.say("Again.")
    const spent = figuresOf(first.account())
    expect(spent.requests).toBe(4)
    await first.close()
    const { id } = first.session
    const again = await open({ session: id })
    expect(figuresOf(again.account())).toEqual(spent)
    await again.close()
    const fork = await open({ session: await forkSession(store(), id, prompt) })
    expect(fork.account().requests).toBe(0)
    await fork.say("More.")
    expect(figuresOf(fork.account())).toMatchObject({ requests: 1 })
    expect(figuresOf(fork.account()).cost).toBeGreaterThan(0)
  })

  it("has a request beside the steps that was cut short, once, and leaves a step to the entry that cuts it short", async () => {
    const usage: Usage = { input: 7, output: 1, cacheRead: 2, cacheWrite: 3 }
    for (const [asks, purposes] of [
      ["beside", ["retry"]],
      ["step", []],
    ] as const) {
      const session = sessionOf(MODEL)
      const noStore = () => {
        throw new Error("no store")
      }
      const durability = new Durability(noStore, new LogWriter(noStore))
      const user = new AbortController()
      const model: ModelLink = {
        call: async (_, { signal, onPartial }) => {
          onPartial(() => ({ parts: [], usage }))
          user.abort()
          throw signal.reason
        },
      }
      const ignore = () => undefined
      const listen = { signal: user.signal, onDelta: ignore, onPartial: ignore, onRetry: ignore }
      const call = withCharges(model, { session, durability }, asks).call(asking(MODEL), listen)
      await expect(call).rejects.toBe(user.signal.reason)
      const { lines } = accountOf(session.log, priceOf)
      expect(lines.map(({ purpose }) => purpose)).toEqual(purposes)
      for (const line of lines) expect(line).toMatchObject({ model: MODEL, usage })
    }
  })
})
