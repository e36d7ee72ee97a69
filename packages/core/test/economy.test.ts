import { readFileSync } from "node:fs"
import {
  createSession,
  dynamic,
  type Entry,
  type Request,
  restoreSession,
  type Session,
  type SessionOptions,
  type ToolDefinition,
} from "@sotto/core"
import * as anthropic from "@sotto/core/anthropic"
import {
  allClasses,
  type BreakEvenSettings,
  breakEven,
  type EconomyAccount,
  explainCost,
  type LifetimeSetting,
  moneyOf,
  ratesOf,
  USUAL_RATES,
  warmthPrices,
} from "@sotto/core/economy"
import * as openai from "@sotto/core/openai"
import * as openaiChat from "@sotto/core/openai-chat"
import { priceOf } from "@sotto/core/prices"
import { cacheModel, expectAppendOnly } from "@sotto/core/testing"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { history, optionsFor, Run } from "./support/history.js"
import { MODELS, options } from "./support/session.js"

const TOOLS: readonly ToolDefinition[] = [
  {
    name: "read",
    description: "Reads a file.",
    inputSchema: { type: "object" },
    safeToRepeat: true,
    results: { reads: "path" },
  },
  {
    name: "edit",
    description: "Edits a file.",
    inputSchema: { type: "object" },
    results: { old: "keep", edits: "path" },
  },
  { name: "bash", description: "Runs a command.", inputSchema: { type: "object" } },
]

/** A session with an economy, and what drives it. */
class Thrifty {
  session: Session
  readonly requests: Request[] = []
  #minutes = 0
  readonly #options: SessionOptions

  constructor(settings: BreakEvenSettings | "off" = {}, more: Partial<SessionOptions> = {}) {
    this.#options = options({
      tools: TOOLS,
      now: () => this.#minutes * 60_000,
      ...(settings !== "off" && { economy: breakEven({ keep: 2_000, ...settings }) }),
      ...more,
    })
    this.session = createSession(this.#options)
    this.session.say("Begin.")
  }

  wait(minutes: number): this {
    this.#minutes += minutes
    return this
  }

  restore(): this {
    this.session = restoreSession(this.#options, JSON.parse(JSON.stringify(this.session.log)))
    return this
  }

  request(): Request {
    const next = this.session.next()
    if (next.is !== "request") throw new Error(`expected a request, got ${next.is}`)
    if (this.requests.at(-1)?.id !== next.request.id) this.requests.push(next.request)
    return next.request
  }

  /** The model calls a tool, and it returns so many tokens. */
  call(name: string, input: Record<string, string>, output: string | number = 2_000, thought = false): this {
    const id = `c${this.session.log.length}`
    this.session.reply(this.request().id, {
      parts: [
        ...(thought ? [{ type: "reasoning", text: "hm", signature: `s${id}` } as const] : []),
        { type: "tool-call", id, name, input },
      ],
    })
    this.session.result(
      id,
      typeof output === "number" ? `${JSON.stringify(input)} ${"word".repeat(output)}` : output,
    )
    return this
  }

  reads(count: number, from = 0, thought = false): this {
    for (let i = 0; i < count; i++) this.call("read", { path: `src/${from + i}.ts` }, 2_000, thought)
    return this
  }

  ends(): this {
    this.session.reply(this.request().id, { parts: [{ type: "text", text: "Done." }] })
    return this
  }

  /** The newest request as text. */
  sent(): string {
    return JSON.stringify(anthropic.encode(this.request()).messages)
  }

  /** Steps at which an epoch began, and why. */
  rebases(): readonly string[] {
    return this.steps().flatMap(({ epoch }) => (epoch ? [epoch.reasons.join("+")] : []))
  }

  steps() {
    return this.session.log.filter(
      (entry): entry is Extract<Entry, { type: "step" }> => entry.type === "step",
    )
  }

  dropped(): readonly string[] {
    return this.steps().flatMap(({ epoch }) => epoch?.dropped?.map(({ text }) => text) ?? [])
  }
}

describe("stale results", () => {
  it("are kept until re-reading them has cost what a rebase costs, and then dropped in one rebase", () => {
    const thrifty = new Thrifty().reads(30)
    const rebased = thrifty.steps().filter(({ epoch }) => epoch?.reasons.includes("economy"))
    expect(rebased.length).toBeGreaterThan(1)
    for (const step of thrifty.steps()) {
      const { paid, price, because } = step.economy ?? { paid: 0, price: 0 }
      if (step.epoch?.dropped) expect(because).toBe("break-even")
      else if (price > 0) expect(paid).toBeLessThan(price)
    }
    expect(thrifty.sent()).toContain("[read src/0.ts: about")
    expect(thrifty.sent()).toContain('{\\"path\\":\\"src/29.ts\\"}')
    expect(thrifty.session.context.tokens).toBeLessThan(30_000)
  })

  it("leave a stub that says what it was, how large, and how to get it again", () => {
    const [stub] = new Thrifty().reads(20).dropped()
    expect(stub).toBe(
      "[read src/0.ts: about 2005 tokens, dropped to save cost. Call read again if you need them.]",
    )
  })

  it("come back when the model does what the stub says, and are not dropped again before they are old", () => {
    const thrifty = new Thrifty().reads(20)
    expect(thrifty.sent()).not.toContain('{\\"path\\":\\"src/0.ts\\"} word')
    thrifty.call("read", { path: "src/0.ts" })
    expect(thrifty.sent()).toContain('{\\"path\\":\\"src/0.ts\\"} word')
    thrifty.call("edit", { path: "src/1.ts" }, "Edited.")
    expect(thrifty.sent()).toContain('{\\"path\\":\\"src/0.ts\\"} word')
  })

  it("of calls that cannot be repeated keep their last lines", () => {
    const thrifty = new Thrifty()
    const lines = Array.from({ length: 800 }, (_, i) => `line ${i} of the tests`).join("\n")
    thrifty.call("bash", { command: "npm test" }, lines).reads(20)
    const stub = thrifty.dropped().find((text) => text.startsWith("[bash"))
    expect(stub).toContain("line 799 of the tests")
    expect(stub).toContain("line 785 of the tests")
    expect(stub).not.toContain("line 700 of the tests")
    expect(thrifty.sent()).toContain("line 799 of the tests")
  })

  it("are superseded reads first: a read that a later one of the same file replaces is stale at once", () => {
    const thrifty = new Thrifty({ keep: 1_000_000 }, { model: { id: "claude-sonnet-4-5" } })
    for (let i = 0; i < 30; i++) thrifty.call("read", { path: "./src/same.ts" })
    expect(thrifty.dropped().length).toBeGreaterThan(5)
    const other = new Thrifty({ keep: 1_000_000 })
    for (let i = 0; i < 30; i++) other.call("read", { path: "src/same.ts", offset: String(i) })
    expect(other.dropped()).toEqual([])
  })

  it("never are reads that are younger than the last edit of their file", () => {
    const thrifty = new Thrifty()
    thrifty.call("read", { path: "src/a.ts" }).call("edit", { path: "/work/src/a.ts" }, "Edited.")
    thrifty.call("read", { path: "src/a.ts", offset: "1" }).reads(25)
    expect(thrifty.dropped().filter((text) => text.includes("src/a.ts"))).toHaveLength(1)
    expect(thrifty.sent()).toContain('{\\"path\\":\\"src/a.ts\\",\\"offset\\":\\"1\\"} word')
  })

  it("never are messages, reminders or results that were not sent yet", () => {
    const thrifty = new Thrifty()
    thrifty.call("read", { path: "src/a.ts" }, 30_000)
    expect(thrifty.sent()).toContain('{\\"path\\":\\"src/a.ts\\"} word')
    thrifty.session.note({ type: "critical", text: "Mind the gap." })
    thrifty.session.say("WORDS of the user")
    thrifty.reads(25)
    expect(thrifty.dropped().length).toBeGreaterThan(5)
    expect(thrifty.sent()).toContain("Mind the gap.")
    expect(thrifty.sent()).toContain("WORDS of the user")
  })

  it("are not worth a stub when they are small", () => {
    const thrifty = new Thrifty({ keep: 0 })
    for (let i = 0; i < 60; i++) thrifty.call("read", { path: `${i}` }, 100)
    expect(thrifty.dropped()).toEqual([])
    expect(thrifty.rebases()).toEqual(["start"])
  })
})

describe("a rebase of the economy", () => {
  it("changes nothing before the first dropped result, and the cache is read up to there", () => {
    const thrifty = new Thrifty()
    for (let i = 0; i < 6; i++) thrifty.call("edit", { path: `${i}` }, 3_000)
    thrifty.reads(30)
    const bodies = thrifty.requests.map((request) => anthropic.encode(request))
    const cache = cacheModel("anthropic")
    const uses = bodies.map((body) => cache.request(body))
    const at = thrifty.steps().findIndex(({ epoch }) => epoch?.reasons.includes("economy"))
    expect(at).toBeGreaterThan(6)
    expect(uses[at]?.read).toBeGreaterThan(18_000)
    expect(anthropic.validate(bodies[at])).toEqual([])
  })

  it("waits while reasoning of an open tool turn has to come back unchanged", () => {
    const thrifty = new Thrifty().reads(30, 0, true)
    expect(thrifty.rebases()).toEqual(["start"])
    thrifty.ends().session.say("Go on.")
    thrifty.request()
    expect(thrifty.rebases()).toEqual(["start", "economy"])
  })

  it("closes the turn where it is told to, and the turn goes on", () => {
    const thrifty = new Thrifty({ reasoning: "close" }).reads(30, 0, true)
    expect(thrifty.rebases().slice(0, 2)).toEqual(["start", "economy"])
    expect(thrifty.session.isInTurn).toBe(true)
    const closed = thrifty.requests.find((request) =>
      JSON.stringify(request.messages).includes("Go on with what you were doing"),
    )
    expect(JSON.stringify(closed?.messages)).toContain("[old tool results were dropped here]")
    for (const request of thrifty.requests) expect(anthropic.validate(anthropic.encode(request))).toEqual([])
    expect(
      thrifty.session.view().some(({ parts }) => JSON.stringify(parts).includes("were dropped here")),
    ).toBe(false)
  })

  it("asks the API to drop reasoning that no longer fits, where it is told to and the API can", () => {
    const thrifty = new Thrifty(
      { reasoning: "drop" },
      { model: { id: MODELS.system, dialect: "anthropic" } },
    ).reads(45, 0, true)
    expect(thrifty.rebases()).toContain("economy")
    const body = anthropic.encode(thrifty.request()) as unknown as { thinking: object; messages: unknown[] }
    expect(body.thinking).toEqual({
      type: "adaptive",
      block_binding: { prefix_mismatch_behavior: "drop_block" },
    })
    expect(JSON.stringify(body.messages)).toContain('"type":"thinking"')
    expect(anthropic.validate(body)).toEqual([])
    const elsewhere = new Thrifty({ reasoning: "drop" }).reads(30, 0, true)
    expect(elsewhere.rebases()).toEqual(["start"])
  })

  it("is decided again in the same way by a session that is restored at any step", () => {
    const whole = new Thrifty().reads(30)
    const stopped = new Thrifty()
    for (let i = 0; i < 30; i++) stopped.restore().reads(1, i)
    expect(JSON.stringify(stopped.session.log)).toBe(JSON.stringify(whole.session.log))
  })

  it("is in the ledger, with what was paid and what it costs", () => {
    const thrifty = new Thrifty().reads(30)
    const rows = thrifty.session.ledger().filter(({ kind }) => kind === "economy")
    const decided = rows.filter(({ economy }) => economy?.because === "break-even")
    expect(decided.length).toBe(thrifty.rebases().length - 1)
    expect(decided[0]?.economy?.stale).toBeGreaterThan(5_000)
    expect(decided[0]?.economy?.price).toBeGreaterThan(1_000)
  })
})

describe("free moments", () => {
  const stale = () => new Thrifty({ keep: 2_000 }).reads(6)

  it("are pauses that the cache does not outlive", () => {
    const thrifty = stale().wait(4)
    thrifty.request()
    expect(thrifty.rebases()).toEqual(["start"])
    const gone = stale().wait(6)
    gone.request()
    expect(gone.rebases()).toEqual(["start", "economy"])
    expect(gone.steps().at(-1)?.economy).toMatchObject({ because: "pause", price: 0 })
    expect(gone.dropped().length).toBe(4)
  })

  it("fold what changed into the system prompt and renew the tools, though nothing is stale", () => {
    const thrifty = new Thrifty()
    thrifty.session.observe("date", "2026-11-15")
    thrifty.ends()
    thrifty.session.observe("date", "2026-11-16")
    thrifty.session.offerTools([
      ...TOOLS,
      { name: "more", description: "More.", inputSchema: { type: "object" } },
    ])
    thrifty.wait(90).session.say("I am back.")
    const { pins } = thrifty.request()
    expect(thrifty.rebases()).toEqual(["start", "economy"])
    expect(pins.system).toContain("2026-11-16")
    expect(pins.tools.map(({ name }) => name)).toContain("more")
    thrifty.ends().wait(90).session.say("Again.")
    thrifty.request()
    expect(thrifty.rebases()).toHaveLength(2)
  })

  it("come with a restored session too", () => {
    const thrifty = stale().restore().wait(120)
    thrifty.request()
    expect(thrifty.rebases()).toEqual(["start", "economy"])
  })

  it("are another model, which has one rebase for both", () => {
    const thrifty = stale()
    thrifty.session.switchModel({ id: "gpt-5.6" })
    thrifty.request()
    expect(thrifty.rebases()).toEqual(["start", "model"])
    expect(thrifty.dropped().length).toBe(4)
    expect(thrifty.steps().at(-1)?.economy?.because).toBe("model")
  })

  it("are a refused carrier, but never for what the refused request brought", () => {
    const thrifty = new Thrifty({}, { model: { id: MODELS.system } }).reads(8)
    thrifty.session.note({ type: "critical", text: "Mind the gap." })
    thrifty.request()
    thrifty.session.refuseCarrier("system-message")
    const sent = JSON.stringify(thrifty.request().messages)
    expect(sent).toContain("[read src/0.ts: about")
    expect(sent).toContain('{\\"path\\":\\"src/7.ts\\"} word')
  })
})

describe("the lifetime of Anthropic's cache", () => {
  const turn = (thrifty: Thrifty, minutes: number) => {
    thrifty.wait(minutes).session.say("More.")
    thrifty.call("read", { path: `src/${thrifty.session.log.length}.ts` }, 3_000).ends()
  }
  const markersOf = (request: Request) => [
    ...new Set(JSON.stringify(anthropic.encode(request)).match(/"cache_control":\{[^}]*\}/g)),
  ]

  it("becomes an hour when pauses of minutes come again, and all markers of a request say the same", () => {
    const thrifty = new Thrifty({ keep: 1_000_000 }).ends()
    for (let i = 0; i < 4; i++) turn(thrifty, 12)
    const asked = thrifty.requests.map((request) => request.cacheLifetime)
    expect(asked[0]).toBeUndefined()
    expect(asked.at(-1)).toBe(3_600)
    for (const request of thrifty.requests) {
      expect(anthropic.validate(anthropic.encode(request))).toEqual([])
      expect(markersOf(request)).toHaveLength(1)
      const pieces = anthropic.encodeBytes(request).map((piece) => new TextDecoder().decode(piece))
      expect(JSON.parse(pieces.join(""))).toEqual(anthropic.encode(request))
    }
    // A marker that says something else changes no byte that was sent.
    expectAppendOnly(thrifty.requests.map((request) => anthropic.encode(request)))
  })

  it("stays five minutes where nobody pauses, or for longer than an hour", () => {
    for (const minutes of [1, 180]) {
      const thrifty = new Thrifty({ keep: 1_000_000 }).ends()
      for (let i = 0; i < 6; i++) turn(thrifty, minutes)
      expect(thrifty.requests.every(({ cacheLifetime }) => cacheLifetime === undefined)).toBe(true)
    }
  })

  it("goes back to five minutes when the pauses are over", () => {
    const thrifty = new Thrifty({ keep: 1_000_000 }).ends()
    for (let i = 0; i < 4; i++) turn(thrifty, 12)
    for (let i = 0; i < 12; i++) turn(thrifty, 1)
    turn(thrifty, 90)
    expect(thrifty.requests.at(-1)?.cacheLifetime).toBeUndefined()
  })
})

describe("a lifetime that the user names", () => {
  const asked = (lifetime: LifetimeSetting, id: string, dialect: "openai" | "openai-chat" = "openai") => {
    const model = id.startsWith("claude") ? { id } : { id, dialect }
    return new Thrifty({ lifetime }, { model }).request()
  }

  it.each([
    ["5m", "claude-opus-5-5", undefined],
    ["1h", "claude-opus-5-5", 3_600],
    ["12h", "claude-opus-5-5", 3_600],
    ["1h", "gpt-5.6", undefined],
    ["12h", "gpt-5.6", 43_200],
    ["auto", "gpt-5.6", undefined],
    ["12h", "gpt-5.5", undefined],
    ["12h", "gemini-3-pro", undefined],
  ] as const)("%s is for %s the longest that its provider offers up to that: %s", (lifetime, id, seconds) => {
    const model = id.startsWith("gemini") ? { id } : undefined
    const request = model ? new Thrifty({ lifetime }, { model }).request() : asked(lifetime, id)
    expect(request.cacheLifetime).toBe(seconds)
  })

  it("is asked of OpenAI's Responses API only, and is valid there", () => {
    const body = openai.encode(asked("12h", "gpt-5.6"))
    expect(body.prompt_cache_options).toEqual({ mode: "explicit", ttl: "12h" })
    expect(openai.validate(body)).toEqual([])
    const chat = openaiChat.encode(asked("12h", "gpt-5.6", "openai-chat"))
    expect(chat.prompt_cache_options).toEqual({ mode: "explicit" })
  })

  it("unnamed is half an hour with OpenAI from GPT-5.6 on, after which stale results cost nothing to drop", () => {
    for (const [minutes, rebases] of [
      [25, 1],
      [35, 2],
    ] as const) {
      const thrifty = new Thrifty({ keep: 2_000 }, { model: { id: "gpt-5.6" } }).reads(6).wait(minutes)
      thrifty.request()
      expect(thrifty.rebases()).toHaveLength(rebases)
    }
  })
})

describe("keeping the cache during a wait", () => {
  it("costs a read, and spares what writing costs more: less where stale results would be dropped", () => {
    const rates = { read: 0.1, write: 1.25, writeHour: 2, output: 5 }
    const account = { tokens: 100_000, stale: 0, rates } as EconomyAccount
    expect(warmthPrices(account)).toEqual({ refresh: 10_065, spared: 115_000 })
    expect(warmthPrices({ ...account, stale: 40_000 }).spared).toBe(65_000)
    expect(warmthPrices({ ...account, extended: true }).spared).toBe(190_000)
    expect(warmthPrices({ ...account, stale: 100_000 }).spared).toBe(0)
  })

  it("costs what the page says", () => {
    const tokens = 100_000
    const minutesOf: Readonly<Record<string, number>> = { minutes: 1, hour: 60, hours: 60 }
    const page = readFileSync(new URL("../../../docs/cost.md", import.meta.url), "utf8")
    const table = /<!-- computed: .*\n([\s\S]*?)<!-- end of what is computed -->/.exec(page)?.[1] ?? ""
    const rows = table.trim().split("\n").slice(2)
    const prices = (wait: number, model: string, every: number, lifetime: number) => {
      const rates = ratesOf(model, tokens)
      const { refresh, spared } = warmthPrices({ tokens, stale: 0, rates } as EconomyAccount)
      const kept = Math.min(Math.ceil(wait / every) - 1, Math.ceil(spared / refresh) - 1)
      const used = (kept * every + lifetime >= wait ? rates.read : rates.write) * tokens
      return [kept * refresh + used, (wait <= lifetime ? rates.read : rates.write) * tokens]
    }
    const expected = ["4 minutes", "10 minutes", "1 hour", "2 hours", "6 hours"].map((wait) => {
      const [count, unit] = wait.split(" ")
      const minutes = Number(count) * (minutesOf[unit ?? ""] ?? 0)
      const figures = [...prices(minutes, "claude-opus-5-5", 4.5, 5), ...prices(minutes, "gpt-5.6", 29, 30)]
      return `| ${wait} | ${figures.map((one) => Math.round(one).toLocaleString("en")).join(" | ")} |`
    })
    expect(rows).toEqual(expected)
  })
})

describe("a summary", () => {
  it("pays when re-reading the conversation has cost as much, and not below a size", () => {
    const thrifty = new Thrifty({ summaryFrom: 20_000 })
    let at = 0
    while (!thrifty.session.economy?.summaryPays && at < 400) thrifty.call("edit", { path: `${at++}` }, 500)
    expect(at).toBeLessThan(400)
    expect(thrifty.session.economy?.tokens).toBeGreaterThan(20_000)
    thrifty.session.compact("All is well.", { tail: 2_000, why: "price" })
    thrifty.call("edit", { path: "next" }, 500)
    expect(thrifty.session.economy).toMatchObject({ summaryPays: false, summary: { paid: 0 } })
  })
})

describe("an economy that is not there", () => {
  it("logs nothing and changes no byte", () => {
    const on = new Thrifty({ keep: 1_000_000 }).reads(12)
    const off = new Thrifty("off").reads(12)
    expect(JSON.stringify(off.session.log)).not.toContain("economy")
    const bytes = ({ requests }: Thrifty) =>
      requests.map((request) => JSON.stringify(anthropic.encode(request)))
    expect(bytes(on)).toEqual(bytes(off))
  })
})

describe("over random histories", () => {
  it("no result is dropped twice, none before it was read, and rebases of every kind occur", () => {
    const seen = new Map<string, number>()
    fc.assert(
      fc.property(history, fc.constantFrom("wait", "close", "drop"), ({ setup, commands }, economy) => {
        // Only where reasoning is tied to earlier bytes can the API be asked to drop it.
        const model = economy === "drop" ? MODELS.system : setup.model
        const begun = { ...setup, model, economy } as const
        const run = new Run(begun, createSession(optionsFor(begun)))
        for (const one of commands) run.do(one)
        const { log } = run.session
        const dropped = log.flatMap((entry) => {
          if (entry.type === "carrier") return entry.dropped ?? []
          return entry.type === "step" ? (entry.epoch?.dropped ?? []) : []
        })
        if (!log.some(({ type }) => type === "rewound"))
          expect(new Set(dropped.map(({ id }) => id)).size).toBe(dropped.length)
        const read = new Set<string>()
        for (const entry of log) {
          if (entry.type === "step")
            for (const { id } of entry.epoch?.dropped ?? []) expect(read.has(id)).toBe(true)
          if (entry.type === "replied")
            for (const { seq, type } of log) if (type === "result" && seq < entry.seq) read.add(`r${seq}`)
          if (
            entry.type === "aborted" ||
            entry.type === "ended" ||
            (entry.type === "said" && entry.interrupts) ||
            (entry.type === "edited" && entry.interrupts)
          )
            for (const { seq, type } of log) if (type === "result" && seq < entry.seq) read.add(`r${seq}`)
          const kind = entry.type === "step" && (entry.epoch?.reasoning ?? entry.economy?.because)
          if (kind) seen.set(kind, (seen.get(kind) ?? 0) + 1)
        }
      }),
      { seed: 20261116, numRuns: 500 },
    )
    for (const kind of ["break-even", "pause", "model", "close", "drop"])
      expect(seen.get(kind) ?? 0, kind).toBeGreaterThan(0)
  })
})

describe("what the model is told of it", () => {
  it("says that results go by themselves, and that a summary comes when it pays", () => {
    const told = (economy: boolean) => {
      const thrifty = new Thrifty({ keep: 1_000_000 }, { model: { id: MODELS.system }, snip: true })
      thrifty.session.observe("compaction:auto", true)
      if (economy) thrifty.session.observe("economy", "break-even")
      thrifty.call("edit", { path: "a" }, 1_000).call("edit", { path: "b" }, 260_000)
      thrifty.call("edit", { path: "c" }, 1_000).request()
      const lines = thrifty.session.asides().map(({ kind, text }) => [kind, text])
      return Object.fromEntries(lines) as Record<string, string>
    }
    expect(told(true).context_efficiency).toContain("Old tool results are dropped without that when it pays.")
    expect(told(true).compaction_reminder).toContain("when that pays, and always before the context is full")
    expect(told(false).context_efficiency).not.toContain("pays")
    expect(told(false).compaction_reminder).toContain("compacted automatically before the context is full")
  })
})

describe("prices", () => {
  it("are those of the table, of the user, or the usual ratios", () => {
    expect(ratesOf("claude-sonnet-4-5", 1_000)).toEqual({ read: 0.1, write: 1.25, writeHour: 2, output: 5 })
    expect(ratesOf("gpt-5.5", 1_000)).toMatchObject({ read: 0.1, write: 1 })
    expect(ratesOf("a/model-nobody-knows", 1_000)).toEqual(USUAL_RATES)
    expect(
      ratesOf("own", 1, { own: { input: 2, output: 4, cacheRead: 1, cacheWrite: 3, cacheWriteHour: 3 } }),
    ).toMatchObject({ read: 0.5, write: 1.5, output: 2 })
  })
})

describe("the report of a session's cost", () => {
  it("says what was paid for, what it consisted of, each decision and what it saved", () => {
    const thrifty = new Thrifty()
    thrifty.session.observe(dynamic("date"), "2026-11-15")
    thrifty.reads(30)
    thrifty.session.reply(thrifty.request().id, {
      parts: [{ type: "text", text: "Done." }],
      usage: { input: 100, output: 1_000, cacheRead: 10_000, cacheWrite: 1_000 },
    })
    const report = explainCost(thrifty.session.log, priceOf)
    expect(report.sum).toMatchObject({ requests: 31, uncounted: 30, unpriced: 0 })
    expect(allClasses(report.sum.equivalents)).toBeCloseTo(100 + 5_000 + 1_000 + 1_250)
    expect(moneyOf(report.sum)).toBeCloseTo((7_350 * 3) / 1e6)
    expect(report.sent[0]?.what).toBe("tool results")
    const drops = report.decisions.filter(({ is }) => is === "dropped")
    expect(drops).toHaveLength(thrifty.rebases().length - 1)
    for (const one of drops) if (one.is === "dropped") expect(one.paid).toBeGreaterThanOrEqual(one.price)
    expect(report.saved).toBeGreaterThan(0)
    const unknown = explainCost(thrifty.session.log, () => undefined)
    expect(unknown.spent.map(({ dollars }) => dollars)).toEqual([undefined, undefined, undefined, undefined])
    expect(moneyOf(unknown.sum)).toBeUndefined()
  })
})
