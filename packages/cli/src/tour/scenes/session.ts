import { call, type Stage, says, type TourScene, WAITS } from "../stage.js"
import { looks } from "./work.js"

const PLAN = ".sotto/plans/tour.md"
const WRITES_PLAN = call("write", { path: PLAN, content: "# Plan\n\n1. Write notes.md.\n" })

/** A quarter of a window of a million tokens, and some more. */
const LONG_TEXT = "All of this has to be in the conversation. ".repeat(25_000)

async function planThenBuild(stage: Stage): Promise<void> {
  await stage.ask("Plan the notes.")
  stage.conversation.switchAgent("build")
  await stage.ask("Go ahead.")
}

/** Kinds about modes, limits, messages, and the session itself. */
export const SESSION_SCENES: readonly TourScene[] = [
  {
    kind: "plan_mode",
    when: "plan mode is on: in full each time it begins, in short afterwards",
    story: "The user switches to plan mode, and asks for a plan.",
    agent: "plan",
    answers: [WRITES_PLAN, says("The plan is written.")],
    play: (stage) => stage.ask("Plan the notes."),
  },
  {
    kind: "plan_mode_reentry",
    when: "plan mode begins where a plan exists already",
    story: "The user has a plan made and begun, and comes back to plan mode.",
    agent: "plan",
    answers: [WRITES_PLAN, says("The plan is written."), says("Done."), says("I go on with the plan.")],
    play: async (stage) => {
      await planThenBuild(stage)
      stage.conversation.switchAgent("plan")
      await stage.ask("Now the plan again.")
    },
  },
  {
    kind: "plan_mode_exit",
    when: "plan mode was left while the agent stayed",
    story: "A program turns planning on for the agent build, and off again.",
    door: "In `sotto` another agent plans. The scene sets the fact `plan:active`, as a program with @sotto/core does.",
    answers: [says("I plan."), says("I begin.")],
    play: async (stage) => {
      stage.session.observe("plan:active", true)
      await stage.ask("How would you do it?")
      stage.session.observe("plan:active", false)
      await stage.ask("Do it.")
    },
  },
  {
    kind: "plan_file_reference",
    when: "a compaction replaced a plan that is not finished",
    story: "The user has a plan made. Then the conversation is compacted, and the user goes on.",
    agent: "plan",
    answers: [
      WRITES_PLAN,
      says("The plan is written."),
      says("A plan was made."),
      says("I go on with the plan."),
    ],
    play: async (stage) => {
      await stage.ask("Plan the notes.")
      stage.conversation.compact()
      await stage.ask("Go on.")
    },
  },
  {
    kind: "build_switch",
    when: "the agent is another than the one the model was last told of",
    story: "The user has a plan made, and switches to the agent build.",
    agent: "plan",
    answers: [WRITES_PLAN, says("The plan is written."), says("I begin.")],
    play: planThenBuild,
  },
  {
    kind: "auto_mode",
    when: "auto mode was switched on",
    story: "The user switches auto mode on.",
    answers: [says("I go on without asking.")],
    play: (stage) => {
      stage.conversation.setAuto(true)
      return stage.ask("Go on.")
    },
  },
  {
    kind: "auto_mode_exit",
    when: "auto mode was switched off",
    story: "The user switches auto mode on, and off again after a turn.",
    answers: [says("I go on without asking."), says("I ask again.")],
    play: async (stage) => {
      stage.conversation.setAuto(true)
      await stage.ask("Go on.")
      stage.conversation.setAuto(false)
      await stage.ask("What now?")
    },
  },
  {
    kind: "max_steps",
    when: "this is the last step that the turn may have",
    story: "A turn may have two steps. The model would like to have more.",
    maxSteps: 2,
    answers: [...looks(1), says("One folder is looked at. The rest remains.")],
    play: (stage) => stage.ask("Look at everything."),
  },
  {
    kind: "context_efficiency",
    when: "snip is enabled and the context grew by 10,000 tokens since the last snip, compaction or nudge",
    story: "The user has enabled snip. The model reads a large file.",
    files: { "large.log": "a line of the log\n".repeat(2_000) },
    config: { snip: true },
    answers: [
      ...looks(1),
      call("read", { path: "large.log" }),
      call("read", { path: "large.log", offset: 1_001 }),
      says("I can drop the log."),
      says("Yes."),
    ],
    play: async (stage) => {
      await stage.ask("Read the log.")
      await stage.ask("Is it needed?")
    },
  },
  {
    kind: "compaction_reminder",
    when: "a window of a million tokens or more is over a quarter full, and compaction is automatic",
    story: "The user pastes a megabyte into the conversation, and goes on.",
    answers: [says("That is long."), says("I take my time.")],
    play: async (stage) => {
      await stage.ask(LONG_TEXT)
      await stage.ask("Go on.")
    },
  },
  {
    kind: "token_usage",
    when: "every 10 steps, if asked for",
    story: "The user has turned this kind on. The model works for 11 steps.",
    config: { reminders: { token_usage: true } },
    answers: [...looks(11), says("There is room left.")],
    play: (stage) => stage.ask("Begin."),
  },
  {
    kind: "queued_command",
    when: "a message is delivered while the agent works, or comes from somebody who is not the user",
    story:
      "While a command of the model runs, the user says something. So do the coordinator of a team, a channel and a background task that has ended.",
    door: "The scene says the last three itself. In daily use a team, an MCP server and a background command say them.",
    settingsNote:
      "To leave out or replace the words around your own messages, write into sotto.json (a message from anybody else is always introduced):",
    answers: [WAITS, says("I heard all of you.")],
    play: (stage) => {
      const { conversation } = stage
      stage.whileItRuns(() => {
        conversation.say("And is there a licence?")
        conversation.say("Mind the tabs.", { origin: { kind: "coordinator" } })
        conversation.say("The build is red.", { origin: { kind: "channel", server: "ci" } })
        conversation.say("npm test: all passed", { origin: { kind: "task-notification", task: "command" } })
      })
      return stage.ask("Run the tests.")
    },
  },
  {
    kind: "critical_system_reminder",
    when: "the embedding program says so",
    story: 'A program sends {"type":"remind"} to `sotto run --input jsonl` in the middle of the turn.',
    answers: [WAITS, says("I stop writing.")],
    play: (stage) => {
      stage.whileItRuns(() => stage.conversation.remind("The disk is nearly full: write nothing more."))
      return stage.ask("Run the tests.")
    },
  },
  {
    kind: "interrupted",
    when: "the turn before was aborted",
    story: "The user interrupts the turn, and says something else.",
    answers: [WAITS, says("I look at what is half done.")],
    play: async (stage) => {
      stage.whileItRuns(() => stage.conversation.abort("interrupted"))
      await stage.ask("Run the tests.")
      await stage.ask("Stop. Do this instead.")
    },
  },
  {
    kind: "session_resumed",
    when: "a stored session was opened again",
    story: "The user closes the session, and opens it again after two hours.",
    door: "The scene moves the clock of its session by two hours.",
    answers: [says("Hello."), says("Welcome back.")],
    play: async (stage) => {
      await stage.ask("Hello.")
      stage.later(120)
      await stage.reopen()
      await stage.ask("I am back.")
    },
  },
  {
    kind: "date_change",
    when: "the date is another than the system prompt states",
    story: "The session goes on past midnight.",
    door: "The scene moves the clock of its session to the last minute of the day, and two minutes on.",
    answers: [says("Good evening."), says("Good morning.")],
    play: async (stage) => {
      stage.beforeMidnight()
      await stage.ask("Hello.")
      stage.later(2)
      await stage.ask("Which day is it?")
    },
  },
  {
    kind: "environment_change",
    when: "the environment is another than the system prompt states",
    story: "The user switches the branch of the git repository between two turns.",
    door: "There is no git here. The scene writes the file .git/HEAD, as git does.",
    files: { ".git/HEAD": "ref: refs/heads/main\n" },
    answers: [says("You are on main."), says("You are on feature.")],
    play: async (stage) => {
      await stage.ask("Which branch is this?")
      stage.put(".git/HEAD", "ref: refs/heads/feature\n")
      await stage.ask("And now?")
    },
  },
  {
    kind: "system_change",
    when: "a message brought its own system text, or no longer does",
    story: "A program sends a message with a system text of its own.",
    door: 'This is the field "system" of `sotto run --input jsonl` and of the server.',
    answers: [says("Hello."), says("YES.")],
    play: async (stage) => {
      await stage.ask("Hello.")
      await stage.ask("Is it done?", "Answer in capital letters.")
    },
  },
]
