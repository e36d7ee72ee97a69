import type { Session } from "@sotto/core"
import { describe, expect, it } from "vitest"
import { calls, everything, exchange, reopen, request, says, start, told, work } from "./support/session.js"
import { problemsOf } from "./support/validate.js"

/** A turn in which the model has made two calls. */
function calling(): Session {
  const session = start()
  session.say("Go")
  exchange(session, calls("c1", "c2"))
  return session
}

/** What the next prompt is told, and everything before it. */
function afterwards(session: Session): { all: string; new: string } {
  session.say("Next")
  const sent = request(session)
  expect(problemsOf(sent)).toEqual([])
  return { all: everything(sent), new: told(sent) }
}

describe("endTurn", () => {
  it("ends a turn whose results are in: the model is told of no interruption", () => {
    const session = calling()
    session.result("c1", "one")
    session.result("c2", "Task complete.")
    session.endTurn("task_complete")
    expect([session.phase, session.isInTurn, session.next().is]).toEqual(["idle", false, "idle"])
    expect(session.log.at(-1)).toMatchObject({ type: "ended", reason: "task_complete" })
    const sent = afterwards(session)
    expect(sent.all).toContain("Task complete.")
    expect(sent.new).toBe("Next")
    expect(sent.all).not.toMatch(/interrupt|stopped|abort/i)
  })

  it("answers open calls with what is true: that there is no result", () => {
    const session = calling()
    session.result("c1", "Task complete.")
    session.endTurn()
    expect(session.phase).toBe("idle")
    expect(session.result("c2", "late")).toEqual({ taken: false, why: "late" })
    const sent = afterwards(session)
    expect(sent.all).toContain("No result: the turn ended before one was recorded.")
    expect(sent.all).not.toMatch(/interrupt|stopped|abort|late/i)
  })

  it("does not hold what is queued: a message for the next step opens a turn, and then the follow-up does", () => {
    const session = calling()
    session.say("later", { delivery: "after-turn" })
    session.say("steer")
    session.result("c1", "one")
    session.endTurn()
    expect(session.queue().map(({ held }) => held)).toEqual([false, false])
    expect(session.phase).toBe("ready")
    const opened = exchange(session, says("ok"))
    expect([opened.turn, opened.step, told(opened)]).toEqual([2, 1, "steer"])
    expect(told(request(session))).toBe("later")
  })

  it("cuts a request in flight short, keeps what was said, and tells of no interruption", () => {
    const session = start()
    session.say("Go")
    const cut = request(session)
    session.partial(cut.id, {
      parts: [
        { type: "text", text: "I am done" },
        { type: "tool-call", id: "c1", name: "read", input: {} },
      ],
    })
    session.endTurn()
    expect(session.phase).toBe("idle")
    expect(session.reply(cut.id, says("late"))).toEqual({ taken: false, why: "late" })
    const sent = afterwards(session)
    expect(sent.all).toContain("I am done")
    expect(sent.all).toContain("No result")
    expect(sent.all).not.toMatch(/interrupt|stopped|late/i)
  })

  it("leaves a marker where nothing had been said, which names no interruption and is not shown", () => {
    const session = start()
    session.say("Go")
    request(session)
    session.endTurn()
    expect(afterwards(session).all).toMatch(/\[the turn ended here\]/)
    expect(session.view().map(({ role }) => role)).toEqual(["user", "user"])
  })

  it("without a turn does nothing, and leaves a prompt that waits", () => {
    const session = start()
    session.endTurn()
    session.say("Go")
    session.endTurn()
    expect(session.log).toHaveLength(2)
    expect(told(request(session))).toBe("Go")
  })

  it("leaves what an abort holds held", () => {
    const session = calling()
    session.say("waits")
    session.abort()
    session.endTurn()
    expect(session.queue().map(({ held }) => held)).toEqual([true])
  })

  it("restores to the same bytes", () => {
    const session = calling()
    session.result("c1", "one")
    session.endTurn("done")
    const restored = reopen(session)
    for (const one of [session, restored]) one.say("Next", { id: "n" })
    expect(JSON.stringify(request(restored))).toBe(JSON.stringify(request(session)))
    expect(JSON.stringify(restored.view())).toBe(JSON.stringify(session.view()))
  })

  it("only adds to what was sent", () => {
    const session = start()
    session.say("Go")
    const before = [...work(session, "c1").messages]
    session.endTurn()
    session.say("Next")
    const after = [...request(session).messages]
    expect(JSON.stringify(after.slice(0, before.length))).toBe(JSON.stringify(before))
  })
})
