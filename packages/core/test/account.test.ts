import { createSession, forkLog, type Reply, restoreSession, type Session, type Usage } from "@sotto/core"
import {
  accountOf,
  addAccounts,
  allClasses,
  breakEven,
  explainCost,
  moneyOf,
  NOTHING_SPENT,
  SessionAccount,
  usageRowOf,
} from "@sotto/core/economy"
import { type Price, priceOf } from "@sotto/core/prices"
import { describe, expect, it } from "vitest"
import { options } from "./support/session.js"

const usage = (input: number, output = 0, cacheRead = 0, cacheWrite = 0): Usage => ({
  ...{ input, output, cacheRead, cacheWrite },
})
const OPUS = "anthropic/claude-opus-5-5"
const opened = (model = OPUS) => createSession(options({ model: { id: model } }))

/** Takes one step that the model answers in words. */
function answer(session: Session, used: Usage | undefined): string {
  const { id } = session.say("Go on.")
  const next = session.next()
  if (next.is !== "request") throw new Error("no request")
  const reply: Reply = { parts: [{ type: "text", text: "Done." }], ...(used && { usage: used }) }
  session.reply(next.request.id, reply)
  return id
}

const purposes = (session: Session) =>
  accountOf(session.log, priceOf).lines.map(({ purpose, usage: used }) => [purpose, used?.input])

describe("the account of a session", () => {
  it("has every step, those before a rewind too, and every request beside the steps", () => {
    const session = opened()
    answer(session, usage(10))
    const second = answer(session, usage(20))
    session.bill({ purpose: "title", model: "anthropic/claude-haiku-4-5", usage: usage(5) })
    session.rewind(second)
    answer(session, usage(30))
    session.bill({ purpose: "retry", model: OPUS, usage: usage(31) })
    expect(purposes(session)).toEqual([
      ["step", 10],
      ["step", 20],
      ["title", 5],
      ["step", 30],
      ["retry", 31],
    ])
    expect(accountOf(session.log, priceOf).total).toMatchObject({ requests: 5, unpriced: 0, uncounted: 0 })
    expect(
      explainCost(session.log, priceOf).purposes.map(({ purpose, sum }) => [purpose, sum.requests]),
    ).toEqual([
      ["step", 3],
      ["title", 1],
      ["retry", 1],
    ])
  })

  it("takes what a provider does not count for nothing", () => {
    const session = opened()
    answer(session, { input: 10, output: null, cacheRead: 5 } as unknown as Usage)
    expect(accountOf(session.log, priceOf).total.tokens).toEqual(usage(10, 0, 5, 0))
  })

  it("has a reply that was cut short with what the provider had counted by then, whatever cut it short", () => {
    const cuts: readonly ((session: Session) => void)[] = [
      (session) => void session.abort(),
      (session) => session.endTurn(),
      (session) => void session.say("Stop.", { delivery: "now" }),
    ]
    for (const cut of cuts) {
      const session = opened()
      session.say("Go on.")
      const next = session.next()
      if (next.is !== "request") throw new Error("no request")
      session.partial(next.request.id, { parts: [], usage: usage(40, 3) })
      cut(session)
      expect(accountOf(session.log, priceOf).total.tokens).toEqual(usage(40, 3))
    }
  })

  it("marks a reply that was not counted, and leaves out a request that was never answered", () => {
    const session = opened()
    answer(session, undefined)
    session.say("Go on.")
    session.next()
    session.abort()
    expect(accountOf(session.log, priceOf).total).toMatchObject({ requests: 1, uncounted: 1 })
  })

  it("prices each request by its own model, its length, and how long its cache is kept", () => {
    const session = opened("anthropic/claude-sonnet-4-5")
    answer(session, usage(1_000_000))
    session.switchModel({ id: "anthropic/claude-haiku-5-5" })
    answer(session, usage(100_000))
    answer(session, usage(100_001))
    session.bill({
      purpose: "summary",
      model: "anthropic/claude-sonnet-4-5",
      usage: usage(0, 0, 0, 1_000_000),
    })
    session.bill({
      ...{ purpose: "summary", model: "anthropic/claude-sonnet-4-5", cacheLifetime: 3_600 },
      usage: usage(0, 0, 0, 1_000_000),
    })
    const money = accountOf(session.log, priceOf).lines.map(({ dollars }) => dollars && allClasses(dollars))
    expect(money).toEqual([3, 0.01, 0.0500005, 3.75, 6].map((one) => expect.closeTo(one, 9)))
  })

  it("prices the writes of a step by the lifetime that the step asked for", () => {
    const economy = breakEven({ lifetime: "1h" })
    const session = createSession(options({ model: { id: OPUS }, economy }))
    answer(session, usage(0, 0, 0, 1_000_000))
    const { dollars, equivalents } = accountOf(session.log, priceOf).total
    expect(dollars.cacheWrite).toBeCloseTo(8)
    expect(equivalents.cacheWrite).toBeCloseTo(2_000_000)
    expect(accountOf(session.log, () => undefined).total.equivalents.cacheWrite).toBe(2_000_000)
  })

  it("says how many requests have no known price, and prices the others", () => {
    const session = opened()
    answer(session, usage(1_000_000))
    session.bill({ purpose: "title", model: "home/unheard-of", usage: usage(10, 10) })
    const { total } = accountOf(session.log, priceOf)
    expect(total).toMatchObject({ requests: 2, unpriced: 1 })
    expect(allClasses(total.dollars)).toBeCloseTo(4)
    expect(allClasses(total.equivalents)).toBeCloseTo(1_000_060)
    expect(moneyOf(total)).toBeUndefined()
  })

  it("prices a model that is not known like its family, counts the money, and says whose price it took", () => {
    const session = opened()
    answer(session, usage(1_000_000))
    session.bill({ purpose: "title", model: "anthropic/claude-opus-6", usage: usage(1_000_000) })
    session.bill({ purpose: "title", model: "home/unheard-of", usage: usage(10) })
    const { total, lines } = accountOf(session.log, priceOf)
    expect(lines.map(({ assumed }) => assumed)).toEqual([undefined, "claude-opus-5-5", undefined])
    expect(total).toMatchObject({ unpriced: 1, assumed: { "anthropic/claude-opus-6": "claude-opus-5-5" } })
    expect(allClasses(total.dollars)).toBeCloseTo(8)
    expect(addAccounts(NOTHING_SPENT, total).assumed).toEqual(total.assumed)
  })

  it("takes the price that held when the request was made", () => {
    let at = Date.parse("2026-12-31T23:00:00Z")
    const session = createSession({ ...options({ model: { id: "google/gemini-3.8-flash" } }), now: () => at })
    answer(session, usage(1_000_000))
    at = Date.parse("2027-01-01T00:00:00Z")
    answer(session, usage(1_000_000))
    const money = accountOf(session.log, priceOf).lines.map(({ dollars }) => dollars && allClasses(dollars))
    expect(money).toEqual([0.75, 1.5])
  })

  it("leaves a fork without what its origin has paid, and prices its steps by the model it goes on with", () => {
    const session = opened()
    answer(session, usage(10))
    session.bill({ purpose: "title", model: OPUS, usage: usage(5) })
    const id = answer(session, usage(20))
    const log = forkLog(session.log, id, "fork") ?? []
    const fork = restoreSession(options({ model: { id: OPUS } }), log)
    expect(accountOf(fork.log, priceOf).total.requests).toBe(0)
    const again = answer(fork, usage(1_000_000))
    expect(moneyOf(accountOf(fork.log, priceOf).total)).toBeCloseTo(4)
    const second = restoreSession(options(), forkLog(fork.log, again, "second") ?? [])
    expect(accountOf(second.log, priceOf).total.requests).toBe(0)
  })

  it("is the same from rows of a store, and entry by entry", () => {
    const session = opened()
    answer(session, usage(10))
    const whole = new SessionAccount(priceOf)
    whole.takeLog(session.log)
    session.bill({ purpose: "outcome", model: OPUS, usage: usage(7) })
    answer(session, usage(20, 2))
    expect(whole.takeLog(session.log).map(({ purpose }) => purpose)).toEqual(["outcome", "step"])
    const rows = new SessionAccount(priceOf)
    for (const entry of session.log) {
      const row = usageRowOf(entry)
      if (row) rows.take(row)
    }
    expect(rows.lines).toEqual(whole.lines)
    expect(whole).toMatchObject({ steps: 2, next: session.log.length })
  })

  it("counts no equivalents for a model that costs nothing", () => {
    const session = opened()
    answer(session, usage(10, 10))
    const free: Price = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cacheWriteHour: 0 }
    const { total } = accountOf(session.log, () => free)
    expect([allClasses(total.equivalents), moneyOf(total)]).toEqual([0, 0])
  })
})
