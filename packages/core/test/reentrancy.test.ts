import {
  defineRule,
  dynamic,
  type Entry,
  type Next,
  pastOf,
  restoreSession,
  type Session,
  type SessionOptions,
  SottoError,
} from "@sotto/core"
import { describe, expect, it } from "vitest"
import { calls, options, request, says, start } from "./support/session.js"

const COMMANDS: Readonly<Record<string, (session: Session) => unknown>> = {
  say: (s) => s.say("x"),
  "say known": (s) => s.say("x", { id: "m" }),
  together: (s) => s.together(() => s.say("x")),
  note: (s) => s.note(dynamic({ type: "x" })),
  observe: (s) => s.observe("date", "today"),
  switchAgent: (s) => s.switchAgent("plan"),
  switchModel: (s) => s.switchModel({ id: "gpt-5.6" }),
  refuseCarrier: (s) => s.refuseCarrier("tool-result"),
  next: (s) => s.next(),
  partial: (s) => s.partial("req-2", says("x")),
  reply: (s) => s.reply("req-2", says("x")),
  result: (s) => s.result("c1", "x"),
  abort: (s) => s.abort(),
  endTurn: (s) => s.endTurn(),
  recover: (s) => s.recover(),
  edit: (s) => s.edit("q", { content: "x" }),
  cancel: (s) => s.cancel("q"),
  compact: (s) => s.compact("x"),
  rewind: (s) => s.rewind("m"),
  redo: (s) => s.redo(),
  offerTools: (s) => s.offerTools([]),
  setReminder: (s) => s.setReminder("critical", false),
  snip: (s) => s.snip(["m"]),
  importMessages: (s) => s.importMessages([]),
}

/** A session whose own parts call back, once `armed`; what they got for it. */
function calling(where: "onAppend" | "rule" | "countTokens" | "now", act: (session: Session) => unknown) {
  const thrown: unknown[] = []
  let armed = false
  const back = (): undefined => {
    if (!armed) return
    try {
      act(session)
    } catch (error) {
      thrown.push(error)
    }
  }
  const parts: Record<typeof where, Partial<SessionOptions>> = {
    onAppend: { onAppend: () => back() },
    rule: { rules: [defineRule({ kind: "mine", decide: () => back() ?? [] })] },
    countTokens: { countTokens: (text) => back() ?? text.length },
    now: { now: () => back() ?? 0 },
  }
  const session: Session = start(parts[where])
  session.say("Go", { id: "m" })
  return {
    session,
    thrown,
    arm: (on: boolean) => {
      armed = on
    },
  }
}

describe.each(["onAppend", "rule", "countTokens", "now"] as const)("inside %s", (where) => {
  it.each(Object.entries(COMMANDS))("%s is refused, and the command that runs goes on", (_, act) => {
    const { session, thrown, arm } = calling(where, act)
    arm(true)
    const sent = request(session)
    arm(false)
    expect(thrown.length).toBeGreaterThan(0)
    for (const error of thrown) {
      expect(error).toBeInstanceOf(SottoError)
      expect(error).toMatchObject({ code: "reentrant" })
    }
    expect(session.log.map(({ type }) => type)).toEqual(["opened", "said", "step"])
    expect(JSON.stringify(restoreSession(options(), copied(session.log)).next())).toBe(
      JSON.stringify({ is: "request", request: sent }),
    )
    session.reply(sent.id, says("done"))
    expect(session.phase).toBe("idle")
  })

  it("asking is allowed", () => {
    const { session, thrown, arm } = calling(where, (s) => [
      s.view(),
      s.ledger(),
      s.asides(),
      s.phase,
      s.queue(),
      pastOf(s, 100),
      s.context,
      s.due(),
      s.fact("date"),
      s.receipt("m"),
      s.log.length,
    ])
    arm(true)
    session.reply(request(session).id, says("done"))
    expect(thrown).toEqual([])
    expect(session.phase).toBe("idle")
  })
})

const copied = (log: readonly Entry[]): Entry[] => JSON.parse(JSON.stringify(log))

describe("a command inside another", () => {
  it("is refused in a getter of the input", () => {
    const session = start()
    const part = {
      type: "text",
      get text() {
        session.say("from within")
        return "x"
      },
    }
    expect(() => session.say([part as { type: "text"; text: string }])).toThrow(
      /content\.0\.text cannot be read/,
    )
    expect(session.log).toHaveLength(1)
  })

  it("of another session is not", () => {
    const other = start()
    const session = start({ onAppend: () => void other.say("from there") })
    session.say("Go")
    expect(other.log.length).toBe(3)
  })

  it("a rule's is told in the ledger if it does not catch the error", () => {
    const rules = [
      defineRule({
        kind: "mine",
        decide: () => {
          session.say("more")
          return []
        },
      }),
    ]
    const session: Session = start({ rules })
    session.say("Go")
    request(session)
    expect(session.ledger()).toContainEqual(
      expect.objectContaining({
        kind: "mine",
        outcome: "failed",
        error: expect.stringContaining("another one"),
      }),
    )
    expect(session.queue()).toEqual([])
  })

  it("leaves the session usable when the command that ran throws", () => {
    let full = true
    const session = start({
      onAppend: ([entry]) => {
        if (full && entry?.type === "said") throw new Error("disk full")
      },
    })
    expect(() => session.say("Go")).toThrow("disk full")
    full = false
    expect(session.say("Go").state).toBe("queued")
  })
})

describe("an asynchronous onAppend", () => {
  it("does not compile, and is refused before the entry takes effect", () => {
    // @ts-expect-error a promise cannot be waited for
    const never: SessionOptions = { ...options(), onAppend: async () => {} }
    expect(() => start(never)).toThrow(expect.objectContaining({ code: "not-synchronous" }))
    let isAsync = false
    const session = start({
      onAppend: () => (isAsync ? (Promise.reject(new Error("late")) as never) : undefined),
    })
    isAsync = true
    expect(() => session.say("Go")).toThrow(/onAppend returned a promise.*await the store/)
    expect(session.log).toHaveLength(1)
    expect(session.phase).toBe("idle")
    isAsync = false
    expect(session.say("Go").state).toBe("queued")
  })

  it("compiles with whatever else a function may return", () => {
    const log: Entry[] = []
    const fine: readonly SessionOptions["onAppend"][] = [
      (entries) => log.push(...entries),
      (entries) => {
        log.push(...entries)
      },
      () => undefined,
      () => null,
      () => "text",
      () => expect(log).toBeDefined(),
      undefined,
    ]
    for (const onAppend of fine) start(onAppend ? { onAppend } : {}).say("Go")
    expect(log).toHaveLength(4)
  })

  it("is no way for together() either: nothing of it happens", () => {
    const session = start()
    const attempt = () =>
      session.together(async () => {
        session.say("Go")
      })
    expect(attempt).toThrow(expect.objectContaining({ code: "not-synchronous" }))
    expect(session.log).toHaveLength(1)
    expect(session.queue()).toEqual([])
  })
})

/** A store that takes its time, and may lose power before it is done. */
class SlowStore {
  readonly durable: Entry[] = []
  async append(entries: readonly Entry[]): Promise<void> {
    await Promise.resolve()
    this.durable.push(...copied(entries))
  }
}

describe("a log in an asynchronous store", () => {
  /** The loop of docs/persistence.md: nothing is sent, run or shown before what led to it is durable. */
  async function run(session: Session, store: SlowStore, waiting: Entry[], act: (next: Next) => void) {
    for (;;) {
      const next = session.next()
      await store.append(waiting.splice(0))
      if (next.is === "idle") return
      act(next)
    }
  }

  it("has every entry that anybody acted on", async () => {
    const store = new SlowStore()
    const waiting: Entry[] = []
    const session = start({ onAppend: (entries) => waiting.push(...entries) })
    session.say("Go")
    let replies = 0
    await run(session, store, waiting, (next) => {
      // Whatever happens here could be the last thing that happens: the store knows as much as the session.
      expect(JSON.stringify(restoreSession(options(), store.durable).next())).toBe(JSON.stringify(next))
      if (next.is === "request")
        session.reply(next.request.id, replies++ < 3 ? calls(`c${replies}`) : says("done"))
      if (next.is === "waiting") for (const { id } of next.calls) session.result(id, "output")
    })
    expect(store.durable).toEqual(session.log)
    expect(session.phase).toBe("idle")
  })
})
