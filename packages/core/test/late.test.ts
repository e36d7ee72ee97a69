import { type Session, SottoError, type Taken } from "@sotto/core"
import { describe, expect, it } from "vitest"
import { calls, exchange, reopen, request, says, start, work } from "./support/session.js"

const LATE: Taken = { taken: false, why: "late" }
const TAKEN: Taken = { taken: true }

/** Asks for a reply of the past, and checks that nothing was logged. */
function expectLate(session: Session, act: () => Taken): void {
  const before = JSON.stringify([session.log, session.phase, session.pending, session.view()])
  expect(act()).toEqual(LATE)
  expect(JSON.stringify([session.log, session.phase, session.pending, session.view()])).toBe(before)
}

function asked(): { session: Session; id: string } {
  const session = start()
  session.say("Go", { id: "go" })
  return { session, id: request(session).id }
}

/** What can happen to a request before its reply comes. */
const ENDS: Readonly<Record<string, (session: Session, id: string) => void>> = {
  "was answered": (session, id) => session.reply(id, says("first")),
  "was aborted": (session) => session.abort(),
  "was cut short by a message": (session) => session.say("stop", { delivery: "now" }),
  "was cut short by the end of the turn": (session) => session.endTurn(),
  "was replaced with another carrier": (session) => session.refuseCarrier("tool-result"),
}

describe("a reply to a request that", () => {
  it.each(Object.entries(ENDS))("%s is late, also after restoring", (_, end) => {
    const { session, id } = asked()
    end(session, id)
    expectLate(session, () => session.reply(id, says("late")))
    expectLate(session, () => session.partial(id, says("late")))
    const restored = reopen(session)
    expectLate(restored, () => restored.reply(id, says("late")))
  })

  it("was compacted or rewound away is late", () => {
    const { session, id } = asked()
    session.reply(id, says("done"))
    session.compact("Summary.")
    session.say("More")
    const newer = exchange(session, says("ok")).id
    expectLate(session, () => session.reply(id, says("late")))
    session.rewind("go")
    for (const one of [id, newer]) expectLate(session, () => session.reply(one, says("late")))
  })

  it("is awaited is taken, once", () => {
    const { session, id } = asked()
    expect(session.partial(id, says("I"))).toEqual(TAKEN)
    expect(session.reply(id, says("I think"))).toEqual(TAKEN)
    expectLate(session, () => session.reply(id, says("I think")))
  })

  it.each(["req-9", "req-0", "req-1", "req-", "req-02", "req-1e0", "", "req-__proto__"])(
    "was never made, %j, is an error",
    (id) => {
      const { session } = asked()
      for (const act of [() => session.reply(id, says("?")), () => session.partial(id, says("?"))])
        expect(act).toThrow(expect.objectContaining({ code: "no-reply-awaited" }))
    },
  )
})

describe("a result of a call that", () => {
  const CLOSED: Readonly<Record<string, (session: Session) => void>> = {
    "has a result": (session) => session.result("c1", "first"),
    "was aborted": (session) => session.abort(),
    "was closed with its turn": (session) => session.endTurn(),
  }
  it.each(Object.entries(CLOSED))("%s is late, also after restoring", (_, close) => {
    const { session, id } = asked()
    session.reply(id, calls("c1", "c2"))
    close(session)
    expectLate(session, () => session.result("c1", "late"))
    const restored = reopen(session)
    expectLate(restored, () => restored.result("c1", "late", { error: true }))
  })

  it("was recovered is late", () => {
    const { session, id } = asked()
    session.reply(id, { parts: [{ type: "tool-call", id: "c1", name: "bash", input: {} }] })
    const restored = reopen(session)
    restored.recover()
    expectLate(restored, () => restored.result("c1", "late"))
  })

  it("was compacted or rewound away is late", () => {
    const session = start()
    session.say("Go", { id: "go" })
    work(session, "c1")
    exchange(session, says("done"))
    session.compact("Summary.")
    session.say("More")
    exchange(session, says("ok"))
    expectLate(session, () => session.result("c1", "late"))
    session.rewind("go")
    expectLate(session, () => session.result("c1", "late"))
    const restored = reopen(session)
    expectLate(restored, () => restored.result("c1", "late"))
  })

  it("goes by the provider's id, which was not fit to be ours, is late too", () => {
    const { session, id } = asked()
    session.reply(id, { parts: [{ type: "tool-call", id: "a b", name: "read", input: {} }] })
    expect(session.result("a b", "first")).toEqual(TAKEN)
    expectLate(session, () => session.result("a b", "second"))
    expectLate(session, () => session.result("a_b", "second"))
  })

  it("the model never made is an error, also after other calls", () => {
    const { session, id } = asked()
    session.reply(id, calls("c1"))
    for (const unknown of ["c9", ""])
      expect(() => session.result(unknown, "?")).toThrow(expect.objectContaining({ code: "unknown-call" }))
  })

  it("has the wrong shape is an error, late or not", () => {
    const { session, id } = asked()
    session.abort()
    expect(() => session.reply(id, { parts: "?" } as never)).toThrow(SottoError)
    expect(() => session.partial(id, { parts: "?" } as never)).toThrow(SottoError)
  })
})

describe("what was said so far, as a function", () => {
  it("is asked when the call is cut short, and not before", () => {
    const { session, id } = asked()
    let said = "I"
    let times = 0
    session.partial(id, () => {
      times++
      return says(said)
    })
    said = "I was about to"
    expect(times).toBe(0)
    session.say("stop", { delivery: "now" })
    expect(times).toBe(1)
    expect([...request(session).messages][1]?.content).toEqual([{ type: "text", text: "I was about to" }])
  })

  it("is checked when it is asked: a wrong one stops the command and changes nothing", () => {
    const { session, id } = asked()
    session.partial(id, () => ({ parts: 1 }) as never)
    expect(() => session.abort()).toThrow(/partial: reply\.parts/)
    expect(session.phase).toBe("awaiting-reply")
    session.partial(id, says("I"))
    session.abort()
    expect(session.phase).toBe("idle")
  })
})

describe("a watcher", () => {
  it("hears of each command that changed the log, once it is done", () => {
    const session = start()
    const seen: string[] = []
    const stop = session.watch(() => seen.push(`${session.log.length} ${session.phase}`))
    session.say("Go")
    session.next()
    session.next()
    session.abort()
    session.abort()
    expect(seen).toEqual(["2 ready", "3 awaiting-reply", "4 idle"])
    stop()
    session.say("More")
    expect(seen).toHaveLength(3)
  })

  it("hears once of what is run together, and nothing of what was taken back", () => {
    const session = start()
    let times = 0
    session.watch(() => times++)
    session.together(() => {
      session.say("one")
      session.say("two")
    })
    expect(times).toBe(1)
    expect(() =>
      session.together(() => {
        session.say("three")
        throw new Error("no")
      }),
    ).toThrow("no")
    expect(times).toBe(1)
  })

  it("may give commands", () => {
    const session = start()
    const stop = session.watch(() => {
      stop()
      session.note({ type: "critical", text: "heard" })
    })
    session.say("Go")
    expect(session.log.map(({ type }) => type)).toEqual(["opened", "said", "noted"])
  })
})
