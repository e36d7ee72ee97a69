import type { ScriptStep } from "@sotto/rehearsal"
import { call, says, type TourScene } from "../stage.js"
import { WITH_MCP } from "./files.js"

export function looks(steps: number): readonly ScriptStep[] {
  return Array.from({ length: steps }, (_, i) => call("glob", { pattern: `*.${i}` }))
}

const skill = (description: string, text: string, more = "") =>
  `---\ndescription: ${description}\n${more}---\n${text}\n`

/** A command that lives until it is stopped. */
const ENDLESS = call("bash", { command: "echo begun; sleep 60", background: true })

/** Kinds about lists, background tasks, teams, skills, subagents, hooks and MCP servers. */
export const WORK_SCENES: readonly TourScene[] = [
  {
    kind: "todo_reminder",
    when: "the todo list has something left to do and was not written for 10 steps",
    story: "The model writes a todo list, and works for 11 steps without looking at it.",
    answers: [
      call("todo_write", { todos: [{ content: "Write the tests", status: "pending" }] }),
      ...looks(11),
      says("The tests are still to be written."),
    ],
    play: (stage) => stage.ask("Begin."),
  },
  {
    kind: "task_reminder",
    when: "the shared task list has something left to do and was not written for 10 steps",
    story: "The model puts a task on the list of its team, and works for 11 steps without looking at it.",
    answers: [
      call("task_create", { content: "Write the tests", owner: "alice" }),
      ...looks(11),
      says("The tests are still to be written."),
    ],
    play: (stage) => stage.ask("Begin."),
  },
  {
    kind: "task_status",
    when: "a background task was stopped, its progress was asked for, or it still runs after a compaction",
    story: "The model starts a command in the background. The user stops the command, and goes on.",
    answers: [ENDLESS, says("It runs."), says("I do not start it again.")],
    play: async (stage) => {
      await stage.ask("Start the watcher.")
      for (const { id } of stage.tasks.list()) await stage.tasks.stop(id)
      await stage.ask("And now?")
    },
  },
  {
    kind: "team_context",
    when: "the agent works in a team, or the team changed",
    story: "The model starts a subagent as a member of its team.",
    answers: [
      call("task", { agent: "general", prompt: "Alice, begin.", background: true, name: "alice" }),
      says("Alice works."),
      says("Alice is done."),
    ],
    others: [{ when: "Alice, begin.", steps: [ENDLESS, says("I am done.")] }],
    play: (stage) => stage.ask("Have Alice do it."),
  },
  {
    kind: "skill_listing",
    when: "the set of skills differs from what the system prompt lists",
    story: "The user adds a skill to the project between two turns.",
    answers: [says("Hello."), says("There is a skill now.")],
    play: async (stage) => {
      await stage.ask("Hello.")
      stage.put(".sotto/skills/release/SKILL.md", skill("How to release.", "Tag first."))
      await stage.ask("How do we release?")
    },
  },
  {
    kind: "invoked_skills",
    when: "a compaction replaced the text of a skill in use",
    story: "The model uses a skill. Then the conversation is compacted, and the user goes on.",
    files: { ".sotto/skills/release/SKILL.md": skill("How to release.", "Tag first.") },
    answers: [
      call("skill", { name: "release" }),
      says("I tag."),
      says("A release began."),
      says("I publish."),
    ],
    play: async (stage) => {
      await stage.ask("Release it.")
      stage.conversation.compact()
      await stage.ask("Go on.")
    },
  },
  {
    kind: "skill_discovery",
    when: "a call touched something that a skill is about",
    story: "A skill is about *.sql files. The model reads one.",
    files: {
      ".sotto/skills/tables/SKILL.md": skill("How tables change.", "By migrations.", "paths: '*.sql'\n"),
      "one.sql": "select 1;\n",
    },
    answers: [call("read", { path: "one.sql" }), says("I look at the skill.")],
    play: (stage) => stage.ask("Read one.sql."),
  },
  {
    kind: "agent_listing",
    when: "the set of subagents that may be called differs from what the system prompt lists",
    story: "The user switches to an agent of their own, which may not call the subagent explore.",
    config: { agents: { solo: { mode: "primary", permission: { task: { explore: "deny" } } } } },
    answers: [says("Hello."), says("I look myself.")],
    play: async (stage) => {
      await stage.ask("Hello.")
      stage.conversation.switchAgent("solo")
      await stage.ask("Find the parser.")
    },
  },
  {
    kind: "output_style",
    when: "an output style was set or changed",
    story: "The user chooses another output style.",
    files: { ".sotto/styles/brief.md": "---\ndescription: In a line\n---\nAnswer in one line.\n" },
    answers: [says("In one line.")],
    play: (stage) => {
      stage.conversation.setStyle("brief")
      return stage.ask("What is this?")
    },
  },
  {
    kind: "tools_change",
    when: "an MCP server came, went, or offers other tools",
    story:
      "The model calls a tool of an MCP server. From then on the server offers one more. The user goes on.",
    door: "The MCP server is a script of 30 lines in the workspace of the scene.",
    ...WITH_MCP,
    answers: [call("mcp__notes__unlock"), says("They are unlocked."), says("I can search them now.")],
    play: async (stage) => {
      await stage.ask("Unlock the notes.")
      await stage.mcpTools(2)
      await stage.ask("What do they say of releases?")
    },
  },
  {
    kind: "loop_detected",
    when: "a tool is called with the same input again and again; in the agent `sotto`, three times in a row",
    story: "The model makes the same call three times.",
    answers: [
      ...Array.from({ length: 3 }, () => call("glob", { pattern: "*.ts" })),
      says("I try something else."),
    ],
    play: (stage) => stage.ask("Find the parser."),
  },
  {
    kind: "hook_stopped_continuation",
    when: "a hook stopped the turn",
    story: "A hook stops the turn after the first call. The user asks again.",
    files: { "stop.mjs": 'console.log(JSON.stringify({ stop: "The office is closed." }))\n' },
    config: { hooks: { after_tool: [{ name: "office", command: `"${process.execPath}" stop.mjs` }] } },
    answers: [...looks(1), says("Tomorrow, then.")],
    play: async (stage) => {
      await stage.ask("Begin.")
      await stage.ask("Why did you stop?")
    },
  },
  {
    kind: "async_hook_response",
    when: "a hook has something to say, at once or, if it runs beside the turn, later",
    story: "A hook runs with every prompt of the user, and prints a line.",
    files: { "ticket.mjs": 'console.log("Ticket 42 is open.")\n' },
    config: { hooks: { prompt: [{ name: "tickets", command: `"${process.execPath}" ticket.mjs` }] } },
    answers: [says("I look at ticket 42.")],
    play: (stage) => stage.ask("What is to be done?"),
  },
]
