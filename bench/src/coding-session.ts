import {
  type AssistantPart,
  createSession,
  type Reply,
  type Request,
  type Rule,
  type Session,
} from "@sotto/core"
import { Chance } from "./chance.js"

const FILES = withFirst(Array.from({ length: 60 }, (_, i) => `src/part-${i}.ts`))
const WORDS = [
  "parse",
  "token",
  "const",
  "return",
  "the",
  "error",
  "when",
  "list",
  "value",
  "node",
  "read",
  "of",
] as const
const SKILLS = ["release", "pdf", "migrations", "profiling"] as const

/** What is planned for a certain step, beside what chance brings. */
const PLANNED: Readonly<Record<number, (session: Session) => void>> = {
  30: (session) => session.observe("environment:branch", "fix/unicode"),
  45: (session) =>
    session.observe("output_style", {
      name: "terse",
      text: "Short sentences. No lists where a sentence does.",
    }),
  60: (session) => session.observe("nested:packages/cli/AGENTS.md", text(new Chance(1), 500)),
  75: (session) => session.observe("auto", true),
  90: (session) =>
    session.observe("instructions:AGENTS.md", INSTRUCTIONS.replace("House rule 4", "A stricter rule")),
  100: (session) =>
    session.observe("skills", [...skillList(), { name: "charts", description: "How figures are drawn." }]),
  110: (session) => session.observe("auto", false),
  120: (session) => session.observe("date", "2026-11-16"),
  140: (session) => session.observe("tools:tracker", { tools: [{ name: "search" }, { name: "comment" }] }),
  150: (session) => session.note({ type: "loop.detected", tool: "bash", times: 4 }),
  170: (session) =>
    session.note({ type: "hook.answered", hook: "format", message: "Two files were formatted." }),
}

const INSTRUCTIONS = Array.from(
  { length: 20 },
  (_, i) => `House rule ${i}: keep functions small and named.`,
).join("\n")

/** A coding session of so many steps, the same for every set of rules. Returns it with every request it made. */
export function codingSession(seed: number, steps: number, rules: readonly Rule[]) {
  const chance = new Chance(seed)
  const session = open(rules)
  const requests: Request[] = []
  let turn = 0
  while (requests.length < steps) {
    startTurn(session, chance, turn++)
    const length = chance.between(7, 16)
    for (let i = 1; requests.length < steps; i++) {
      const next = session.next()
      if (next.is !== "request") break
      requests.push(next.request)
      PLANNED[requests.length]?.(session)
      if (requests.length === 130) {
        session.abort("the user pressed Esc")
        break
      }
      const isLast = i >= length || next.request.toolChoice === "none"
      const calls = isLast ? [] : callIds(chance, requests.length)
      session.reply(next.request.id, reply(chance, calls))
      if (isLast) continue
      for (const call of calls) session.result(call, text(chance, chance.between(1_000, 4_000)))
      happen(session, chance, requests.length)
    }
  }
  return { session, requests }
}

function open(rules: readonly Rule[]): Session {
  const session = createSession({
    agents: [{ name: "build", steps: 40 }, { name: "plan" }],
    agent: "plan",
    // Large enough for all of it: a compaction would leave less to count.
    model: { id: "claude-sonnet-4-5", capabilities: { contextWindow: 1_000_000 } },
    tools: ["bash", "edit", "glob", "grep", "read", "skill", "task", "todo_write", "write"].map((name) => ({
      name,
      description: `What ${name} does, what it takes, and when another tool is the better one. `.repeat(4),
      inputSchema: { type: "object", properties: { path: { type: "string" }, text: { type: "string" } } },
    })),
    rules,
    now: () => 0,
    newId: () => "bench",
  })
  session.observe("date", "2026-11-15")
  session.observe("environment:branch", "main")
  session.observe("environment:platform", "linux")
  session.observe("instructions:AGENTS.md", INSTRUCTIONS)
  session.observe("skills", skillList())
  session.observe("tools:tracker", {
    tools: [{ name: "search" }],
    instructions: "Search before you comment.",
  })
  return session
}

function startTurn(session: Session, chance: Chance, turn: number): void {
  const { id } = session.say(text(chance, chance.between(80, 400)), { id: `prompt-${turn}` })
  if (turn === 2) {
    session.observe("plan:file", { path: ".sotto/plan.md", content: text(chance, 900) })
    session.switchAgent("build")
  }
  if (turn === 9) session.note({ type: "session.resumed", away: "14 hours" })
  if (chance.percent(25)) session.observe("ide:file", chance.one(FILES))
  if (chance.percent(20)) {
    const from = chance.between(1, 400)
    session.observe("ide:selection", { file: chance.one(FILES), from, to: from + 4, text: text(chance, 160) })
  }
  if (chance.percent(15)) {
    const path = chance.one(FILES)
    session.note({
      type: "mention.file",
      message: id,
      path,
      content: text(chance, chance.between(400, 1_200)),
    })
  }
  if (chance.percent(15))
    session.note({
      type: "memory.matched",
      id: `memory-${turn}`,
      title: "Conventions",
      content: text(chance, 200),
    })
}

/** What else happens during a step. */
function happen(session: Session, chance: Chance, step: number): void {
  keepList(session, step)
  if (chance.percent(3)) {
    const before = text(chance, 600)
    const after = before.replace("\n", `\n${text(chance, 60)}\n`)
    session.note({ type: "file.edited", path: chance.one(FILES), before, after, actor: "ann" })
  }
  if (chance.percent(10)) report(session, chance)
  if (chance.percent(3)) session.say(text(chance, chance.between(40, 160)))
  if (chance.percent(3)) session.note({ type: "skill.relevant", ...chance.one(withFirst(skillList())) })
  if (chance.percent(1.5))
    session.say(`Task ${step}: 41 tests passed.`, { origin: { kind: "task-notification" } })
  if (chance.percent(1.5))
    session.note({ type: "task.progress", id: `b${step}`, description: "the tests", news: "12 of 41 passed" })
}

/** Kept, every few steps, but for two stretches in which the agent does not look at it. */
function keepList(session: Session, step: number): void {
  const neglected = (step >= 80 && step < 105) || (step >= 160 && step < 180)
  if (step % 4 !== 1 || neglected) return
  const items = Array.from({ length: 6 }, (_, i) => ({
    content: `Part ${i + 1} of the work on the parser.`,
    status: i < step / 35 ? "completed" : "pending",
  }))
  session.observe("todos", items)
  session.note({ type: "todo.written" })
}

function report(session: Session, chance: Chance): void {
  const items = Array.from({ length: chance.between(0, 2) }, () => {
    const line = chance.between(1, 900)
    return {
      line,
      severity: "error",
      message: `Type '${chance.one(WORDS)}' is not assignable.`,
      source: "ts",
    }
  })
  session.note({ type: "diagnostics", path: chance.one(FILES), items })
}

/** One or two calls a step. */
function callIds(chance: Chance, step: number): readonly string[] {
  return Array.from({ length: chance.between(1, 2) }, (_, i) => `call-${step}.${i}`)
}

function reply(chance: Chance, calls: readonly string[]): Reply {
  const said = { type: "text", text: text(chance, chance.between(80, 500)) } as const
  const called = calls.map((id): AssistantPart => {
    const input = { path: chance.one(FILES), text: text(chance, chance.between(20, 1_500)) }
    return { type: "tool-call", id, name: "read", input }
  })
  return { parts: [said, ...called] }
}

function skillList() {
  return SKILLS.map((name) => ({ name, description: `How ${name} is done in this project.` }))
}

function withFirst<T>(items: readonly T[]): readonly [T, ...T[]] {
  const [first, ...rest] = items
  if (first === undefined) throw new Error("The list is empty.")
  return [first, ...rest]
}

/** Lines of words, so many characters long. */
function text(chance: Chance, length: number): string {
  let lines = ""
  while (lines.length < length) {
    for (let i = 0; i < 9; i++) lines += `${chance.one(WORDS)} `
    lines += `${chance.between(0, 9_999)}\n`
  }
  return lines.slice(0, length)
}
