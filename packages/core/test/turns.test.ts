import type { AssistantPart } from "@sotto/core"
import { describe, expect, it } from "vitest"
import {
  calls,
  everything,
  exchange,
  request,
  says,
  spoke,
  start,
  tail,
  told,
  work,
} from "./support/session.js"
import { problemsOf } from "./support/validate.js"

describe("a turn", () => {
  it("goes from a prompt through calls to the final answer, and its phases say what is awaited", () => {
    const session = start()
    const phases = [session.phase]
    session.say("Start")
    phases.push(session.phase)
    const sent = request(session)
    phases.push(session.phase)
    session.reply(sent.id, calls("c1"))
    phases.push(session.phase)
    session.result("c1", "done")
    phases.push(session.phase)
    exchange(session, says("final"))
    phases.push(session.phase)
    expect(phases).toEqual(["idle", "ready", "awaiting-reply", "awaiting-results", "ready", "idle"])
  })

  it("says what is pending without deciding anything", () => {
    const session = start()
    session.say("Start")
    const entries = session.log.length
    expect(session.pending).toEqual({ is: "idle" })
    expect(session.log).toHaveLength(entries)
    const sent = request(session)
    expect(session.pending).toEqual({ is: "request", request: sent })
    session.reply(sent.id, calls("c1", "c2"))
    session.result("c1", "done")
    expect(session.pending).toMatchObject({ is: "waiting", calls: [{ id: "c2" }] })
    expect(session.pending).toEqual(session.next())
  })

  it("waits for the whole batch of results, and names the calls that are open", () => {
    const session = start()
    session.say("Start")
    exchange(session, calls("c1", "c2"))
    session.result("c2", "two")
    expect(session.next()).toMatchObject({ is: "waiting", calls: [{ id: "c1" }] })
    session.result("c1", "one")
    expect(tail(request(session))[0]?.content).toMatchObject([{ callId: "c1" }, { callId: "c2" }])
  })

  it("counts steps from 1 in every turn", () => {
    const session = start()
    session.say("One")
    work(session, "c1")
    exchange(session, says("done"))
    session.say("Two")
    expect(request(session)).toMatchObject({ turn: 2, step: 1 })
  })

  it("a fact that changes while idle starts nothing, and waits for the next prompt", () => {
    const session = start()
    session.say("One")
    exchange(session, says("done"))
    session.observe("date", "2026-11-16")
    expect(session.next().is).toBe("idle")
    session.say("Two")
    expect(told(request(session))).toContain("2026-11-16")
  })
})

describe("the last step", () => {
  const limited = (steps: number) => start({ agents: [{ name: "build", steps }] })

  it("forbids calls, keeps the tools, and says so", () => {
    const session = limited(2)
    session.say("Start")
    const first = work(session, "c1")
    const last = request(session)
    expect([first.toolChoice, last.toolChoice]).toEqual(["auto", "none"])
    expect(last.pins.tools).toBe(first.pins.tools)
    expect(spoke(session, 2)).toEqual(["max_steps"])
  })

  it("a call made all the same is refused and never asked for, and the turn is over", () => {
    const session = limited(1)
    session.say("Start")
    exchange(session, calls("c1"))
    expect([session.phase, session.next().is]).toEqual(["idle", "idle"])
    session.say("Again")
    const sent = request(session)
    expect(everything(sent)).toContain("Not run: no tools can be called on the last step of a turn.")
    expect(problemsOf(sent)).toEqual([])
  })

  it("comes at once when the agent is switched to one with fewer steps than were taken", () => {
    const session = start()
    session.say("Start")
    for (const id of ["c1", "c2", "c3", "c4"]) work(session, id)
    session.switchAgent("brief")
    expect(request(session)).toMatchObject({ step: 5, toolChoice: "none" })
    expect(spoke(session, 5)).toEqual(["max_steps", "build_switch"])
  })
})

describe("replies", () => {
  it.each<[string, readonly AssistantPart[]]>([
    ["an empty one", []],
    ["a blank one", [{ type: "text", text: " \n" }]],
  ])("%s ends the turn and leaves a marker", (_, parts) => {
    const session = start()
    session.say("Start")
    exchange(session, { parts })
    expect(session.phase).toBe("idle")
    session.say("Hello?")
    expect([...request(session).messages][1]?.content).toMatchObject([
      { text: "[no reply]", synthetic: true },
    ])
    expect(problemsOf(request(session))).toEqual([])
  })

  it.each([
    ["used twice in one reply", ["same", "same"]],
    ["left out", ["", ""]],
  ])("call ids %s are made unique, and results find their calls", (_, ids) => {
    const session = start()
    session.say("Start")
    exchange(session, calls(...ids))
    const next = session.next()
    const open = next.is === "waiting" ? next.calls.map(({ id }) => id) : []
    expect(new Set(open).size).toBe(2)
    for (const id of ids) session.result(id, "done")
    expect(problemsOf(request(session))).toEqual([])
  })

  it("a call id used again in a later step is another call", () => {
    const session = start()
    session.say("Start")
    work(session, "c1", "first")
    work(session, "c1", "second")
    expect(told(request(session))).toBe("second")
    expect(problemsOf(request(session))).toEqual([])
  })

  it("one that comes after the abort of its request is not taken, also while another is out", () => {
    const session = start()
    session.say("Start")
    const aborted = request(session)
    session.abort()
    session.say("Go on")
    const current = request(session)
    expect(session.reply(aborted.id, says("late"))).toEqual({ taken: false, why: "late" })
    session.reply(current.id, says("on time"))
    expect(JSON.stringify(session.view())).not.toContain("late")
  })
})
