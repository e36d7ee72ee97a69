import { type Agent, explainReminders, SottoError, standardRules } from "@sotto/core"
import { describe, expect, it } from "vitest"
import { CASES } from "./catalogue/cases.js"
import { allTexts } from "./catalogue/texts.js"
import { exchange, request, SOTTO, says, start, told } from "./support/session.js"

/** What only Sotto's own agent has. */
const SOTTOS =
  /\b(todo_write|task_create|task_update|plan_exit|explore|Sotto)\b|\b(task|skill|question|snip) tool\b|as by read|with offset and limit|`pages`/

const THEIRS = {
  read: { name: "ReadFile", path: "file", offset: "from", limit: "count", pages: "range" },
  todo_write: "TodoWrite",
  task_create: "AddTask",
  task_update: "SetTask",
  task: "Delegate",
  skill: "Skill",
  question: "AskUser",
  plan_exit: "ShowPlan",
  snip: "Forget",
  explore: "scout",
} as const

const textsWith = (rules: ReturnType<typeof standardRules>) =>
  CASES.flatMap((one) => allTexts({ ...one, options: { ...one.options, rules } })).filter(
    // What an agent is mentioned by is the user's own word.
    ({ kind }) => kind !== "agent_mention" && kind !== "queued_command",
  )

describe("standardRules", () => {
  it("without names mentions no tool, agent or product, and its texts still read well", () => {
    const texts = textsWith(standardRules())
    expect(texts.length).toBeGreaterThan(100)
    for (const { line, body = "" } of texts) {
      expect(line).not.toMatch(SOTTOS)
      expect(body).not.toMatch(/with offset and limit/)
      expect(line).not.toMatch(/ {2}| [,;:]| \.(\s|$)|undefined|\(\)|,\.|;\./)
    }
  })

  it("calls the tools what the caller calls them", () => {
    const lines = textsWith(standardRules({ tools: THEIRS })).map(({ line, body = "" }) => `${line}\n${body}`)
    const all = lines.join("\n")
    for (const name of Object.values(THEIRS))
      expect(all).toContain(typeof name === "string" ? name : name.name)
    expect(all).toContain('as by ReadFile {"file":')
    expect(all).toContain("with from and count")
    for (const line of lines) expect(line).not.toMatch(SOTTOS)
  })

  it("has Sotto's own texts with Sotto's own names", () => {
    const all = textsWith(standardRules(SOTTO))
      .map(({ line }) => line)
      .join("\n")
    expect(all).toContain("5. Finish: call plan_exit. It shows the plan to the user, who approves it")
    expect(all).toContain("with up to three explore subagents in parallel")
  })

  it("takes some kinds, or leaves some out, and refuses what is no kind", () => {
    const kinds = (options: object) => standardRules(options).map(({ kind }) => kind)
    expect(kinds({ only: ["date_change", "max_steps"] })).toEqual(["max_steps", "date_change"])
    expect(kinds({ without: ["date_change"] })).not.toContain("date_change")
    expect(kinds({ only: ["date_change", "max_steps"], without: ["max_steps"] })).toEqual(["date_change"])
    for (const options of [{ only: ["dates"] }, { without: ["dates"] }])
      expect(() => standardRules(options as never)).toThrow(/"dates".*date_change/s)
  })

  it("refuses a part that no text mentions, and a name that is none", () => {
    expect(() => standardRules({ tools: { todos: "x" } as object })).toThrow(/"todos".*todo_write/s)
    expect(() => standardRules({ tools: { task: " " } })).toThrow(SottoError)
    expect(() => standardRules({ tools: { read: { name: "r", file: "f" } as never } })).toThrow(/"file"/)
  })
})

describe("what a switch of agent says", () => {
  const switched = (to: Partial<Agent>, from: Partial<Agent> = {}) => {
    const agents: Agent[] = [
      { name: "a", ...from },
      { name: "b", ...to },
    ]
    const session = start({ agents, rules: standardRules() })
    session.say("Go")
    exchange(session, says("ok"))
    session.switchAgent("b")
    session.say("On")
    return told(request(session))
  }
  const rule = (permission: string, action: "allow" | "deny") =>
    ({ permission, pattern: "*", action }) as const

  it("nothing of what it may do, where nobody has said", () => {
    expect(switched({})).toContain("The mode changed from a to b.")
    expect(switched({})).not.toMatch(/allowed|may/)
  })

  it("what its description says", () => {
    expect(switched({ description: "Answers in verse." })).toContain(
      "The mode changed from a to b: Answers in verse.",
    )
  })

  it("what its rules say, and no more", () => {
    expect(switched({ permission: [rule("edit", "allow")] })).toContain("Changing files is allowed,")
    expect(switched({ permission: [rule("*", "allow")] })).toContain(
      "Changing files and running commands is allowed",
    )
    expect(switched({ permission: [rule("*", "deny")] })).toContain("Files may not be changed until")
    expect(switched({ permission: [rule("*", "deny"), rule("read", "allow")] })).toContain(
      "Files may be read but not",
    )
  })

  it("that the plan is to be carried out after any agent that plans, whatever its name", () => {
    expect(switched({}, { planning: true })).toContain("Carry out the plan that was made")
    const session = start({ agents: [{ name: "plan" }, { name: "b" }], rules: standardRules() })
    session.say("Go")
    expect(told(exchange(session, says("ok")))).not.toContain("Plan mode")
    session.switchAgent("b")
    session.say("On")
    expect(told(request(session))).not.toContain("Carry out the plan")
  })
})

describe("the paragraph that explains reminders", () => {
  const system = (agent: Partial<Agent>, options: Parameters<typeof start>[0] = {}) => {
    const session = start({ agents: [{ name: "build", ...agent }], ...options })
    session.say("Go")
    return request(session).pins.system
  }
  const rules = standardRules({ product: "Ada" })

  it("follows every prompt, and names the caller's program or none", () => {
    expect(system({ prompt: "You write verse." }, { rules })).toBe(
      `You write verse.\n\n${explainReminders({ product: "Ada" })}`,
    )
    expect(system({}, { rules })).toMatch(/Ada, the program you run in, tells you/)
    expect(system({}, { rules: standardRules() })).toMatch(/\n\nThe program you run in tells you/)
    expect(system({}, { rules: standardRules() })).not.toContain("Sotto")
  })

  it("is not there twice, can be replaced, and can be switched off", () => {
    const prompt = `You are Ada.\n\n${explainReminders({ product: "Ada" })}\n\nAnswer in verse.`
    expect(system({ prompt }, { rules })).toBe(prompt)
    expect(system({ prompt: "P" }, { explainReminders: "Notes come in <system-reminder> tags." })).toBe(
      "P\n\nNotes come in <system-reminder> tags.",
    )
    expect(system({ prompt: "P" }, { explainReminders: false })).toBe("P")
    expect(system({}, { explainReminders: false })).not.toContain("reminder")
  })

  it("leaves an author's own mention of the tags as it is, and nobody else's", () => {
    const prompt = "Heed what stands between <system-reminder> and </system-reminder>."
    expect(system({ prompt }, { explainReminders: false })).toBe(prompt)
    expect(system({ prompt, native: false }, { explainReminders: false })).not.toContain("<system-reminder>")
    const session = start({ agents: [{ name: "build", prompt }], explainReminders: false })
    session.observe("instructions:AGENTS.md", prompt)
    session.say("Go")
    expect(request(session).pins.system.split("<system-reminder>")).toHaveLength(2)
  })
})
