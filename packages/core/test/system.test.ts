import { removed, unavailable } from "@sotto/core"
import { describe, expect, it } from "vitest"
import { exchange, MODELS, reopen, request, says, spoke, start, told } from "./support/session.js"

describe("the system prompt", () => {
  function nextDay(system: "pinned" | "recompute") {
    const session = start({ system })
    session.observe("date", "2026-11-15")
    session.say("One")
    const before = exchange(session, says("done"))
    session.observe("date", "2026-11-16")
    session.say("Two")
    return { session, before, after: request(session) }
  }

  it("pinned: the bytes stay, and the difference travels", () => {
    const { before, after } = nextDay("pinned")
    expect(after.pins).toBe(before.pins)
    expect(told(after)).toContain("The date is now 2026-11-16; it was 2026-11-15.")
  })

  it("recompute: the prompt is made anew, and nothing is said beside it", () => {
    const { session, after } = nextDay("recompute")
    expect(after.pins.system).toContain("- date: 2026-11-16")
    expect(told(after)).toBe("Two")
    expect(spoke(session, 1)).not.toContain("date_change")
  })

  it("layer 3 is the text given with a message, told as a change, for the turn it opens", () => {
    const session = start()
    session.say("One", { system: "Answer in French." })
    expect(exchange(session, says("oui")).pins.system.endsWith("Answer in French.")).toBe(true)
    session.say("Two", { system: "Answer in Greek." })
    expect(told(exchange(session, says("nai")))).toContain("Answer in Greek.")
    session.say("Three")
    expect(told(request(session))).toContain("The additional instructions given before no longer apply.")
  })

  it("what cannot be read at the moment keeps its value; what is gone is said once", () => {
    const session = start()
    session.observe("instructions:AGENTS.md", "Use tabs.")
    const turn = (text: string) => {
      session.say(text)
      return told(exchange(session, says("ok")))
    }
    turn("One")
    session.observe("instructions:AGENTS.md", unavailable())
    expect(turn("Two")).toBe("Two")
    session.observe("instructions:AGENTS.md", removed())
    expect(turn("Three")).toContain("The instructions in AGENTS.md are gone and no longer apply.")
    expect(turn("Four")).toBe("Four")
  })

  it("sorts the tools, whatever the agent", () => {
    const session = start()
    session.say("One")
    expect(request(session).pins.tools.map(({ name }) => name)).toEqual(["bash", "read"])
  })

  it("explains reminders to an agent with a prompt of its own, unless that is switched off", () => {
    const agents = [{ name: "poet", prompt: "You write verse." }]
    const system = (options: object) => {
      const session = start({ agents, ...options })
      session.say("One")
      return request(session).pins.system
    }
    expect(system({})).toMatch(/^You write verse\.\n\n.*<system-reminder> tags/)
    expect(system({ explainReminders: false })).toBe("You write verse.")
  })

  it("lists the subagents that may be called", () => {
    const session = start()
    session.observe("agents", [{ name: "explore", description: "Finds things." }])
    session.say("One")
    expect(request(session).pins.system).toContain("Subagents you can call:\n- explore: Finds things.")
  })

  it("stays as it was sent when the session is restored with other tools and texts, until the next rebase", () => {
    const before = { agents: [{ name: "build", prompt: "Old prompt." }] }
    const session = start(before)
    session.say("One")
    const sent = exchange(session, says("done"))
    const restored = reopen(session, { agents: [{ name: "build", prompt: "New prompt." }], tools: [] })
    restored.say("Two")
    expect(exchange(restored, says("done")).pins).toEqual(sent.pins)
    restored.switchModel({ id: MODELS.developer })
    restored.say("Three")
    expect(request(restored).pins).toMatchObject({
      system: expect.stringMatching(/^New prompt\./),
      tools: [],
    })
  })
})
