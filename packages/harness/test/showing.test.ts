import type { Session } from "@sotto/core"
import { describe, expect, it } from "vitest"
import { EventFeed } from "../src/session/loop/event-feed.js"
import type { HarnessEvent } from "../src/tools/events/events.js"
import { requestOf, sessionOf } from "./models-support.js"

/** What is told of what happens to the session from here on. */
function told(session: Session, happen: () => void): readonly string[] {
  const events: HarnessEvent[] = []
  const nothing = { requests: 0, input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
  const showing = new EventFeed(session, (event) => events.push(event), {
    figures: () => nothing,
    summaryCost: () => undefined,
  })
  const before = session.log.length
  happen()
  for (const entry of session.log.slice(before)) showing.show(entry)
  showing.endTurn()
  return events.flatMap((event) => (event.type === "turn-end" ? [`${event.reason} ${event.steps}`] : []))
}

describe("the end of a turn", () => {
  it("is not told again when a prompt waits in a session that was opened anew", () => {
    const session = sessionOf("anthropic/m")
    session.say("Go")
    session.reply(requestOf(session).id, { parts: [], stop: "refusal" })
    session.say("Next")
    const ends = told(session, () => session.reply(requestOf(session).id, { parts: [], stop: "end" }))
    expect(ends).toEqual(["done 1"])
  })

  it("is told of a turn that a crash left open", () => {
    const session = sessionOf("anthropic/m")
    session.say("Go")
    const { id } = requestOf(session)
    expect(told(session, () => session.reply(id, { parts: [], stop: "length" }))).toEqual(["length 1"])
  })
})
