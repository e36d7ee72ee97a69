import { describe, expect, it } from "vitest"
import { request, start, told, turn } from "./support/session.js"

describe("a switch of agent", () => {
  it("is told once, by what the model was last told", () => {
    const session = start()
    turn(session)
    session.switchAgent("plan")
    expect(turn(session)).toContain("The mode changed from build to plan. Files may be read but not changed")
    expect(turn(session)).not.toContain("The mode changed")
    session.switchAgent("build")
    expect(turn(session)).toContain(
      "The mode changed from plan to build. Changing files and running commands is allowed",
    )
  })

  it("there and back between two boundaries says nothing", () => {
    const session = start()
    turn(session)
    session.switchAgent("plan")
    session.switchAgent("build")
    expect(turn(session)).not.toContain("The mode changed")
  })

  it("told in a request that was then aborted still counts: the way back is told too", () => {
    const session = start({ agent: "plan" })
    turn(session)
    session.switchAgent("build")
    session.say("Build")
    expect(told(request(session))).toContain("from plan to build")
    session.switchAgent("plan")
    session.abort()
    expect(turn(session)).toContain("The mode changed from build to plan.")
  })

  it("is not told at the start, when nobody has said anything yet", () => {
    const session = start()
    session.switchAgent("plan")
    expect(turn(session)).not.toContain("The mode changed")
  })
})
