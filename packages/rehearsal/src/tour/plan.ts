import type { Json } from "@sotto/core"
import type { OfferedTool, ReadConversation, ToldText } from "../conversation/conversation.js"
import { TOUR_PROMPTS } from "./prompts.js"
import { sampleInput, type Wishes } from "./sample.js"

export interface PlannedCall {
  readonly name: string
  readonly input: { readonly [key: string]: Json }
}

const ITEMS = ["Look around", "Read a file", "Say what was seen"]

/** Only tools that look and do not touch, and `ls`. */
const STEPS: readonly (readonly { readonly tools: readonly string[]; readonly wishes: Wishes }[])[] = [
  [
    { tools: ["todo_write", "TodoWrite"], wishes: todos(0) },
    { tools: ["glob", "Glob"], wishes: { pattern: "*" } },
  ],
  [{ tools: ["bash", "Bash", "shell"], wishes: { command: "ls", description: "List the files here" } }],
  [
    { tools: ["read", "Read", "read_file"], wishes: path("README.md") },
    { tools: ["grep", "Grep"], wishes: { pattern: "TODO" } },
  ],
  [{ tools: ["todo_write", "TodoWrite"], wishes: todos(ITEMS.length - 1) }],
]

const HARMLESS = /^(read|list|get|search|find|glob|grep|ls|view|show|fetch)([_A-Z-]|$)/

const PATH = "sotto-tour.md"
const LINES = "# Written by Sotto's tour\n\nSotto takes this file away again when you leave.\n"

/** What the terminal's tour has it write. */
const WRITTEN = { path: PATH, content: LINES }

const THE_PLAN = `# A small change

1. Write \`${PATH}\` with one line more.

Nothing is changed before you approve this.
`

/** What that plan comes to. */
const CARRIED_OUT = { path: PATH, content: `${LINES}This line was planned, and you approved the plan.\n` }

/** Lists the calls of each step of the tour, among the tools that this request defines. */
export function planFor(
  { tools }: ReadConversation,
  asked: string,
  told: readonly ToldText[],
): readonly (readonly PlannedCall[])[] {
  const write = tools.find(({ name }) => name === "write")
  if (asked === TOUR_PROMPTS.plan) {
    const file = PLAN_FILE.exec(told.map(({ text }) => text).join("\n"))?.[0]
    const exit = tools.find(({ name }) => name === "plan_exit")
    if (file !== undefined && write && exit) {
      const plan = [[callOf(write, { path: file, content: THE_PLAN })], [callOf(exit, {})]]
      return isApproved(told) ? [...plan, [callOf(write, CARRIED_OUT)]] : plan
    }
  }
  const steps = harmless(tools)
  if (asked !== TOUR_PROMPTS.around || write === undefined) return steps
  const list = tools
    .filter(({ name }) => name === "todo_write")
    .map((tool) => callOf(tool, todos(ITEMS.length)))
  return [...steps.slice(0, -1), [...list, callOf(write, WRITTEN)]]
}

/** Where the reminder of plan mode says that the plan belongs. */
const PLAN_FILE = /\.sotto\/plans\/[^\s,;"]+\.md/

function isApproved(told: readonly ToldText[]): boolean {
  return told.some(({ from, text }) => from === "tool" && /\buser approved\b/i.test(text))
}

function harmless(tools: readonly OfferedTool[]): readonly (readonly PlannedCall[])[] {
  const known = STEPS.map((step) =>
    step.flatMap(({ tools: names, wishes }) => {
      const tool = tools.find(({ name }) => names.includes(name))
      return tool ? [callOf(tool, wishes)] : []
    }),
  ).filter((calls) => calls.length > 0)
  if (known.length > 0) return known
  return tools
    .filter(({ name }) => HARMLESS.test(name))
    .slice(0, 4)
    .map((tool) => [callOf(tool, { ...path("README.md"), pattern: "*", query: "rehearsal" })])
}

function callOf(tool: OfferedTool, wishes: Wishes): PlannedCall {
  return { name: tool.name, input: sampleInput(tool.schema, wishes) }
}

function path(name: string): Wishes {
  return { path: name, file_path: name, filePath: name, file: name, filename: name }
}

function todos(done: number): Wishes {
  const status = (i: number) => (i < done ? "completed" : i === done ? "in_progress" : "pending")
  return { todos: ITEMS.map((content, i) => ({ content, status: status(i) })) }
}
