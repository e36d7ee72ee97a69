import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { ScriptStep } from "@sotto/rehearsal"
import { describe, expect, it, onTestFinished } from "vitest"
import { type HarnessEvent, OpenQuestions, openProjectRuntime, type ProjectRuntime } from "../src/index.js"
import { opened } from "./conversation-support.js"

const SAYS_DONE: ScriptStep = { text: "Done." }

const PLAN = ".sotto/plans/own.md"

/** Answers every question with the same words, and remembers what was asked. */
function answering(answer: string) {
  const asked: string[] = []
  const questions: OpenQuestions = new OpenQuestions(
    (question) => {
      asked.push(question.kind === "plan" ? question.path : question.kind)
      queueMicrotask(() => questions.answer(question.id, answer))
    },
    () => true,
  )
  return { asked, questions }
}

const bodies = (rehearsal: { readonly requests: readonly { readonly body: unknown }[] }) =>
  rehearsal.requests.map(({ body }) => JSON.stringify(body))

describe("subagents", () => {
  it("are named to the model, each with what it is for, and the hidden ones are not", async () => {
    const { conversation, rehearsal, end } = await opened({ steps: [SAYS_DONE], emit: () => {} })
    conversation.say("Hello.")
    await end()
    const [first = ""] = bodies(rehearsal)
    expect(first).toContain("Subagents you can call:")
    expect(first).toMatch(/- explore: Finds things in the project/)
    expect(first).not.toContain("- compaction:")
  })
})

describe("a message that arrives while the boundary is being prepared", () => {
  it("goes up with what it mentions", async () => {
    let say = () => {}
    const { conversation, rehearsal, end } = await opened({
      steps: [SAYS_DONE, SAYS_DONE],
      emit: () => {},
      prepare: ({ memories }) => {
        const look = memories.about.bind(memories)
        // The first look at memories is the moment at which the second message arrives.
        memories.about = async (text, told) => {
          say()
          say = () => {}
          return look(text, told)
        }
      },
    })
    say = () => conversation.say("And read @a.txt too.")
    conversation.say("Hello.")
    await end()
    const delivering = bodies(rehearsal).filter((body) => body.includes("And read @a.txt too."))
    expect(delivering[0]).toContain("The user mentioned a.txt")
  })
})

describe("agents that nobody talks to", () => {
  it.each(["title", "compaction", "explore"])("%s cannot be switched to", async (name) => {
    const { conversation } = await opened({ steps: [SAYS_DONE], emit: () => {} })
    expect(() => conversation.switchAgent(name)).toThrow(/Use one of: build, plan\./)
    expect(conversation.session.agent).toBe("build")
  })
})

describe("plan_exit", () => {
  const leave: ScriptStep = { calls: [{ name: "plan_exit", input: {} }] }

  it("does not offer a plan that another session wrote", async () => {
    const { asked, questions } = answering("approve")
    const { root, conversation, rehearsal, end } = await opened({
      steps: [leave, SAYS_DONE],
      emit: () => {},
      questions,
    })
    mkdirSync(join(root, ".sotto/plans"), { recursive: true })
    writeFileSync(join(root, ".sotto/plans/somebody-elses.md"), "# Another plan\n")
    conversation.switchAgent("plan")
    conversation.say("Plan it.")
    await end()
    expect(asked).toEqual([])
    expect(bodies(rehearsal)[1]).toContain("There is no plan yet.")
    expect(conversation.session.agent).toBe("plan")
  })

  it("goes back to the agent that planning was entered from", async () => {
    const { questions } = answering("approve")
    const { conversation, end } = await opened({
      steps: [{ calls: [{ name: "write", input: { path: PLAN, content: "# Plan\n" } }] }, leave, SAYS_DONE],
      emit: () => {},
      questions,
      files: { ".sotto/agents/careful.md": "---\nmode: primary\n---\nYou are careful.\n" },
    })
    conversation.switchAgent("careful")
    conversation.switchAgent("plan")
    conversation.say("Plan it.")
    await end()
    expect(conversation.session.agent).toBe("careful")
  })

  it.each([
    ["approve and ask before each edit", ["permission"]],
    ["Approve, and ask before each edit.", ["permission"]],
    ["approve and accept edits", []],
    ["approve", []],
  ])("keeps to what the approval says of edits, although auto was on: %s", async (answer, expected) => {
    const { asked, questions } = answering(answer)
    const { root, conversation, rehearsal, end } = await opened({
      steps: [
        { calls: [{ name: "write", input: { path: PLAN, content: "# Plan\n" } }] },
        leave,
        { calls: [{ name: "write", input: { path: "b.txt", content: "b\n" } }] },
        SAYS_DONE,
      ],
      emit: () => {},
      questions,
      auto: true,
    })
    conversation.setAuto(true)
    conversation.switchAgent("plan")
    conversation.say("Plan it.")
    await end()
    expect(asked.slice(1)).toEqual(expected)
    expect(conversation.auto).toBe(answer === "approve")
    // The words of the approval are no answer to a question about an edit.
    expect(existsSync(join(root, "b.txt"))).toBe(expected.length === 0)
    expect(bodies(rehearsal)[2]?.includes("Auto mode is off")).toBe(answer !== "approve")
  })

  it.each([
    ["a rule", { permission: { edit: "allow" } }],
    ["a rule for everything", { permission: { "*": "allow" } }],
    ["a rule of the agent", { agents: { build: { permission: { edit: "allow" } } } }],
  ])("asks before each edit, although %s allows it", async (_, config) => {
    const { asked, questions } = answering("approve and ask before each edit")
    const { root, conversation, end } = await opened({
      steps: [
        { calls: [{ name: "write", input: { path: PLAN, content: "# Plan\n" } }] },
        leave,
        { calls: [{ name: "write", input: { path: "b.txt", content: "b\n" } }] },
        SAYS_DONE,
      ],
      emit: () => {},
      questions,
      files: { "sotto.json": JSON.stringify(config) },
    })
    conversation.switchAgent("plan")
    conversation.say("Plan it.")
    await end()
    expect(asked).toEqual([PLAN, "permission"])
    expect(existsSync(join(root, "b.txt"))).toBe(false)
  })

  it("offers the plan from before, where this planning has left it as it is", async () => {
    const { asked, questions } = answering("approve")
    const { conversation, end } = await opened({
      steps: [
        { calls: [{ name: "write", input: { path: PLAN, content: "# Plan\n" } }] },
        SAYS_DONE,
        SAYS_DONE,
        leave,
        SAYS_DONE,
      ],
      emit: () => {},
      questions,
    })
    for (const [agent, words] of [
      ["plan", "Plan it."],
      ["build", "Wait."],
      ["plan", "It is fine as it is."],
    ] as const) {
      conversation.switchAgent(agent)
      conversation.say(words)
      await end()
    }
    expect(asked).toEqual([PLAN])
    expect(conversation.session.agent).toBe("build")
  })

  it("names the plan after the local day", async () => {
    const { conversation, end } = await opened({ steps: [SAYS_DONE], emit: () => {} })
    conversation.switchAgent("plan")
    conversation.say("Plan it.")
    await end()
    const plan = conversation.session.fact("plan:file") as { readonly path: string }
    expect(plan.path).toContain(String(conversation.session.fact("date")))
  })
})

describe("the plan file", () => {
  const pathOf = ({ session }: Awaited<ReturnType<typeof opened>>["conversation"]) =>
    (session.fact("plan:file") as { readonly path: string }).path

  it("is named after what the user wants planned, not after the first prompt of the session", async () => {
    const { conversation, end } = await opened({ steps: [SAYS_DONE, SAYS_DONE], emit: () => {} })
    conversation.say("What is in this folder?")
    await end()
    conversation.switchAgent("plan")
    conversation.say([
      { type: "text", text: "Rewrite the parser!" },
      { type: "text", text: "(a note that only I see)", ignored: true },
    ])
    await end()
    expect(pathOf(conversation)).toMatch(/-rewrite-the-parser\.md$/)
  })

  it("is another one at each planning, and the plan from before is shown beside it", async () => {
    const write = (content: string): ScriptStep => ({
      calls: [{ name: "write", input: { path: PLAN, content } }],
    })
    const { root, conversation, rehearsal, end } = await opened({
      steps: [write("# The first plan\n"), ...Array<ScriptStep>(4).fill(SAYS_DONE)],
      emit: () => {},
    })
    conversation.switchAgent("plan")
    conversation.say("Plan the parser.")
    await end()
    conversation.switchAgent("build")
    conversation.say("Build it.")
    await end()
    expect(bodies(rehearsal).at(-1)).toContain(`Carry out the plan in ${PLAN}`)
    conversation.switchAgent("plan")
    conversation.say("Plan the lexer.")
    await end()
    const second = pathOf(conversation)
    expect(second).toMatch(/-plan-the-lexer\.md$/)
    const entering = bodies(rehearsal).at(-1) ?? ""
    expect(entering).toContain(`nothing may be changed except the plan file, ${second}`)
    expect(entering).toContain(`There is a plan from before, in ${PLAN}`)
    expect(entering).toContain("# The first plan")
    expect(
      conversation.session.asides().filter(({ text }) => text.includes("# The first plan")),
    ).toHaveLength(1)
    // Nothing was written in this planning.
    conversation.switchAgent("build")
    conversation.say("Leave it.")
    await end()
    expect(
      bodies(rehearsal)
        .at(-1)
        ?.match(/Carry out/g),
    ).toHaveLength(1)
    expect(existsSync(join(root, second))).toBe(false)
  })

  it("goes up once after a compaction, also where a later planning wrote nothing", async () => {
    const { conversation, end } = await opened({
      steps: [
        { calls: [{ name: "write", input: { path: PLAN, content: "# The one plan\n" } }] },
        { calls: [{ name: "read", input: { path: PLAN } }] },
        SAYS_DONE,
        SAYS_DONE,
        SAYS_DONE,
      ],
      scripts: [
        { when: "[the user]", steps: [{ text: "A plan was written." }] },
        { when: "A plan was written.", steps: [SAYS_DONE] },
      ],
      emit: () => {},
    })
    for (const [agent, words] of [
      ["plan", "Plan it."],
      ["build", "Wait."],
      ["plan", "Look again."],
    ] as const) {
      conversation.switchAgent(agent)
      conversation.say(words)
      await end()
    }
    conversation.compact()
    conversation.say("Go on.")
    await end()
    const told = conversation.session.asides().filter(({ text }) => text.includes("# The one plan"))
    expect(told.map(({ kind, turn }) => `${kind} ${turn}`)).toEqual([
      "plan_mode_reentry 3",
      "plan_file_reference 4",
    ])
  })

  it("goes on being the plan from before, if the model writes there", async () => {
    const write = (content: string): ScriptStep => ({
      calls: [{ name: "write", input: { path: PLAN, content } }],
    })
    const read: ScriptStep = { calls: [{ name: "read", input: { path: PLAN } }] }
    const { conversation, end } = await opened({
      steps: [write("# One\n"), SAYS_DONE, SAYS_DONE, read, write("# One, better\n"), SAYS_DONE],
      emit: () => {},
    })
    for (const [agent, words] of [
      ["plan", "Plan the parser."],
      ["build", "Wait."],
      ["plan", "Plan it better."],
    ] as const) {
      conversation.switchAgent(agent)
      conversation.say(words)
      await end()
    }
    expect(conversation.session.fact("plan:file")).toEqual({ path: PLAN, content: "# One, better\n" })
  })

  it("is unfinished where the list that is all done was made before it", async () => {
    const todos = [{ content: "Old work", status: "completed" }]
    const { conversation, rehearsal, end } = await opened({
      steps: [
        { calls: [{ name: "todo_write", input: { todos } }] },
        SAYS_DONE,
        { calls: [{ name: "write", input: { path: PLAN, content: "# Plan\n" } }] },
        SAYS_DONE,
        { calls: [{ name: "todo_write", input: { todos: [{ content: "New work", status: "completed" }] } }] },
        SAYS_DONE,
      ],
      emit: () => {},
    })
    conversation.say("Do the old work.")
    await end()
    conversation.switchAgent("plan")
    conversation.say("Plan it.")
    await end()
    conversation.switchAgent("build")
    conversation.say("Build it.")
    await end()
    expect(bodies(rehearsal).at(-1)).toContain(`Carry out the plan in ${PLAN}`)
    expect(conversation.session.fact("plan:file")).toMatchObject({ path: PLAN, finished: true })
  })

  it("is this session's own, also where another session was asked the same on the same day", async () => {
    const { asked, questions } = answering("approve")
    const steps: readonly ScriptStep[] = [{ calls: [{ name: "plan_exit", input: {} }] }, SAYS_DONE]
    const first = await opened({ steps, emit: () => {} })
    first.conversation.switchAgent("plan")
    first.conversation.say("Plan it.")
    await first.end()
    const files = { [pathOf(first.conversation)]: "# Another session's plan\n" }
    const { conversation, rehearsal, end } = await opened({ steps, emit: () => {}, questions, files })
    conversation.switchAgent("plan")
    conversation.say("Plan it.")
    await end()
    expect(asked).toEqual([])
    expect(pathOf(conversation)).toMatch(/-plan-it-2\.md$/)
    expect(bodies(rehearsal).join()).not.toContain("Another session's plan")
  })

  it.each(["build", "plan"])("is told once after a compaction, with %s active", async (agent) => {
    const { conversation, rehearsal, end } = await opened({
      steps: [
        { calls: [{ name: "write", input: { path: PLAN, content: "# The one plan\n" } }] },
        { calls: [{ name: "read", input: { path: PLAN } }] },
        SAYS_DONE,
        { text: "A plan was written." },
      ],
      // The summary is asked for in the cheaper way: beside the conversation, or with a transcript of it.
      scripts: [
        { when: "[the user]", steps: [{ text: "A plan was written." }] },
        { when: "A plan was written.", steps: [SAYS_DONE] },
      ],
      emit: () => {},
      auto: true,
    })
    conversation.switchAgent("plan")
    conversation.say("Plan it.")
    await end()
    conversation.switchAgent(agent)
    conversation.compact()
    conversation.say("Go on.")
    await end()
    expect(bodies(rehearsal).at(-1)).toContain("A plan was written.")
    const told = conversation.session.asides().filter(({ text }) => text.includes("# The one plan"))
    expect(told.map(({ kind }) => kind)).toEqual(["plan_file_reference"])
  })
})

describe("a question about a call", () => {
  it("that is answered after a switch to plan mode lets nothing be changed", async () => {
    let conversation: Awaited<ReturnType<typeof opened>>["conversation"] | undefined
    const questions: OpenQuestions = new OpenQuestions(
      ({ id }) =>
        queueMicrotask(() => {
          conversation?.switchAgent("plan")
          questions.answer(id, "allow")
        }),
      () => true,
    )
    const session = await opened({
      steps: [{ calls: [{ name: "write", input: { path: "b.txt", content: "b\n" } }] }, SAYS_DONE],
      emit: () => {},
      questions,
    })
    conversation = session.conversation
    conversation.say("Write it.")
    await session.end()
    expect(existsSync(join(session.root, "b.txt"))).toBe(false)
    expect(bodies(session.rehearsal)[1]).toContain("`b.txt` was not changed: the agent plan only reads.")
  })
})

describe("what is denied", () => {
  it.each<[string, ScriptStep]>([
    ["write", { calls: [{ name: "write", input: { path: "a.txt", content: "x" } }] }],
    ["edit", { calls: [{ name: "edit", input: { path: "a.txt", old: "one", new: "x" } }] }],
  ])("is said to be denied before %s asks to have it read first", async (_, step) => {
    const { conversation, rehearsal, end } = await opened({ steps: [step, SAYS_DONE], emit: () => {} })
    conversation.switchAgent("plan")
    conversation.say("Change it.")
    await end()
    expect(bodies(rehearsal)[1]).toContain("`a.txt` was not changed: the agent plan only reads.")
    expect(bodies(rehearsal)[1]).not.toMatch(/[Rr]ead (it|a\.txt) (first|before)/)
  })
})

describe("an instruction file that the model has read", () => {
  it("is announced once when it is deleted, as instructions that no longer apply", async () => {
    const { root, conversation, end } = await opened({
      steps: [{ calls: [{ name: "read", input: { path: "AGENTS.md" } }] }, SAYS_DONE, SAYS_DONE],
      emit: () => {},
      files: { "AGENTS.md": "Be brief.\n" },
    })
    conversation.say("Read it.")
    await end()
    rmSync(join(root, "AGENTS.md"))
    conversation.say("Go on.")
    await end()
    const told = conversation.session.asides().filter(({ text }) => text.includes("AGENTS.md"))
    expect(told.map(({ kind }) => kind)).toEqual(["instructions_change"])
  })
})

describe("a compaction", () => {
  it("summarises what the model received, and leaves the prompt that waits in the user's words", async () => {
    const { conversation, rehearsal, end } = await opened({
      steps: [SAYS_DONE],
      scripts: [
        { when: "[the user]", steps: [{ text: "They began." }] },
        { when: "They began.", steps: [SAYS_DONE] },
      ],
      emit: () => {},
    })
    conversation.say("First words.")
    await end()
    conversation.compact()
    conversation.say("Second words.")
    await end()
    const [, summarising = "", next = ""] = bodies(rehearsal)
    expect(summarising).toContain("First words.")
    expect(summarising).not.toContain("Second words.")
    expect(next).toMatch(/They began\..*Second words\./s)
  })
})

describe("the steps of a turn", () => {
  it("are what the agent says, else what maxSteps says, and never more than was asked for on the command line", async () => {
    const agents = { long: { mode: "primary", steps: 9, prompt: "Work." } }
    const { workplace } = await opened({
      steps: [SAYS_DONE],
      emit: () => {},
      files: { "sotto.json": JSON.stringify({ maxSteps: 4, agents }) },
    })
    const stepsOf = (place: { readonly agents: ProjectRuntime["agents"] }) =>
      ["long", "build"].map((name) => place.agents.find((agent) => agent.name === name)?.steps)
    expect(stepsOf(workplace)).toEqual([9, 4])
    const { cwd, env } = workplace
    const asked = await openProjectRuntime({ cwd, env, trust: true, maxSteps: 6 })
    onTestFinished(() => asked.close())
    expect(stepsOf(asked)).toEqual([6, 4])
  })
})

describe("an agent of mode all", () => {
  const neglected: readonly ScriptStep[] = [
    { calls: [{ name: "todo_write", input: { todos: [{ content: "Look.", status: "pending" }] } }] },
    ...Array.from({ length: 12 }, () => ({ calls: [{ name: "glob", input: { pattern: "*" } }] })),
    SAYS_DONE,
  ]
  const nudged = "has not been brought up to date"
  const files = { ".sotto/agents/both.md": "---\nmode: all\ndescription: Does both.\n---\nYou work.\n" }

  it("is nudged about its list when the user talks to it", async () => {
    const { conversation, rehearsal, end } = await opened({ steps: neglected, emit: () => {}, files })
    conversation.switchAgent("both")
    conversation.say("Begin.")
    await end()
    expect(bodies(rehearsal).join()).toContain(nudged)
  })

  it("is not when it works for another agent", async () => {
    const { conversation, rehearsal, end } = await opened({
      steps: [{ calls: [{ name: "task", input: { agent: "both", prompt: "Child." } }] }, SAYS_DONE],
      scripts: [{ when: "/^Child/", steps: neglected }],
      emit: () => {},
      files,
    })
    conversation.say("Begin.")
    await end()
    expect(rehearsal.requests.length).toBeGreaterThan(12)
    expect(bodies(rehearsal).join()).not.toContain(nudged)
  })
})

describe("going back", () => {
  it("to before a plan was approved has the agent plan again", async () => {
    const { questions } = answering("approve")
    const { conversation, end } = await opened({
      steps: [
        { calls: [{ name: "write", input: { path: PLAN, content: "# Plan\n" } }] },
        { calls: [{ name: "plan_exit", input: {} }] },
        SAYS_DONE,
      ],
      emit: () => {},
      questions,
    })
    conversation.switchAgent("plan")
    const { id } = conversation.say("Plan it.")
    await end()
    expect(conversation.session.agent).toBe("build")
    await conversation.rewind(id)
    expect(conversation.session.agent).toBe("plan")
  })
})

describe("a finished background task", () => {
  it("is announced as what it is, and a failed one as failed", async () => {
    const { conversation, rehearsal, end } = await opened({
      steps: [
        { calls: [{ name: "bash", input: { command: "exit 3", background: true } }] },
        { calls: [{ name: "bash", input: { command: "sleep 1" } }] },
        SAYS_DONE,
        SAYS_DONE,
      ],
      emit: () => {},
      auto: true,
    })
    conversation.say("Start it.")
    await end()
    const told = bodies(rehearsal).join("\n")
    expect(told).toContain("A background command failed:")
    expect(told).not.toContain("A background agent completed a task:")
  })

  it("of an agent says what it was asked and where its output is", async () => {
    const events: HarnessEvent[] = []
    const { conversation, rehearsal, end } = await opened({
      steps: [
        {
          calls: [
            { name: "task", input: { agent: "explore", prompt: "Find the parser.", background: true } },
          ],
        },
        SAYS_DONE,
        SAYS_DONE,
        SAYS_DONE,
        SAYS_DONE,
      ],
      emit: (event) => void events.push(event),
    })
    conversation.say("Start it.")
    await end()
    const report = bodies(rehearsal).join("\n")
    expect(report).toMatch(/The agent explore \(agent-1\) reports:.*It was asked: \\"Find the parser\.\\"\./)
    const [, output = ""] = /What it did is in ([^\\"]+\.txt)\./.exec(report) ?? []
    expect(existsSync(output)).toBe(true)
    expect(readFileSync(output, "utf8")).toContain("Done.")
  })
})

describe("critical reminders", () => {
  it("are told in the words of the embedding program", async () => {
    const { conversation, rehearsal, end } = await opened({ steps: [SAYS_DONE], emit: () => {} })
    conversation.remind("The build machine is going down at noon.")
    conversation.say("Hello.")
    await end()
    expect(bodies(rehearsal)[0]).toContain("The build machine is going down at noon.")
  })
})
