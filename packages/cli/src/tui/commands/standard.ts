import { describeRules, selectableAgents } from "@sotto/harness"
import type { Completion } from "../input/completion.js"
import { duration } from "../view/look.js"
import type { Around, Command } from "./command.js"
import { fork, rewind } from "./going-back.js"
import { HELP } from "./help.js"
import { clear, exportSession, resume } from "./sessions.js"

const agent: Command = {
  name: "agent",
  argument: "[NAME]",
  help: "who answers; Tab cycles",
  offers: ({ agents }) =>
    selectableAgents(agents).map(({ name, description = "" }) => ({ text: name, detail: description })),
  run: async (around, argument) => {
    const items = selectableAgents(around.agents).map(({ name, description = "" }) => ({
      value: name,
      label: name,
      detail: description,
    }))
    const name = argument === "" ? await around.pick("Agent", items) : argument
    if (name !== undefined) around.switchAgent(name)
  },
}

const model: Command = {
  name: "model",
  argument: "[PROVIDER/MODEL]",
  help: "which model answers",
  offers: modelsOf,
  run: async (around, argument) => {
    const items = modelsOf(around).map(({ text }) => ({ value: text, label: text }))
    const name = argument === "" ? await around.pick("Model", items) : argument
    if (name !== undefined) around.switchModel(name)
  },
}

/** Those of the configuration and of this directory's sessions: nobody else can say what a key is good for. */
function modelsOf({ workplace, talk }: Around): readonly Completion[] {
  const used = workplace
    .store()
    .list()
    .map((session) => session.model)
  const names = [talk().model().model, ...Object.keys(workplace.config.models), ...used]
  return [...new Set(names)].filter((name) => name !== "").map((text) => ({ text }))
}

const compact: Command = {
  name: "compact",
  argument: "[FOCUS]",
  help: "replace the conversation so far by a summary of it",
  run: ({ talk, say }, argument) => {
    say("the conversation is being summarised")
    talk().conversation.compact(argument === "" ? undefined : argument)
  },
}

const asides: Command = {
  name: "asides",
  help: "the ledger: what the model was told beside your words, and why rules kept silent",
  run: ({ showLedger }) => showLedger(),
}

const rules: Command = {
  name: "rules",
  help: "every rule of this directory: on or off, throttle, priority, where it comes from",
  run: async ({ workplace, page }) => {
    const rows = await describeRules({ cwd: workplace.cwd, env: workplace.env })
    const cells = rows.map(
      ({ kind, on, priority, throttle: { steps, turns, limit }, source }) =>
        `| ${kind} | ${on ? "on" : "off"} | ${priority} | ${[steps && `${steps} steps`, turns && `${turns} turns`, limit && `at most ${limit}`].filter(Boolean).join(", ")} | ${source} |`,
    )
    page(["| kind | | priority | throttle | from |", "| --- | --- | --- | --- | --- |", ...cells].join("\n"))
  },
}

const style: Command = {
  name: "style",
  argument: "[NAME]",
  help: "how it writes",
  offers: ({ workplace }) =>
    workplace.styles.map(({ name, description }) => ({ text: name, detail: description })),
  run: async ({ talk, pick, say, workplace }, argument) => {
    const items = workplace.styles.map(({ name, description }) => ({
      value: name,
      label: name,
      detail: description,
    }))
    const name = argument === "" ? await pick("Style", items) : argument
    if (name === undefined) return
    talk().conversation.setStyle(name)
    say(`style: ${name}`)
  },
}

const tasks: Command = {
  name: "tasks",
  help: "what runs in the background; choosing one stops it",
  run: async ({ talk, say, pick, workplace }) => {
    const running = talk()
      .tasks.list()
      .filter(({ state }) => state === "running")
    if (running.length === 0) {
      say("Nothing runs in the background.")
      return
    }
    const items = running.map(({ id, description, started }) => ({
      value: id,
      label: description,
      detail: `${id}, ${duration((workplace.now() - started) / 1000)}`,
    }))
    const chosen = await pick("Stop which", items)
    if (chosen !== undefined && (await talk().tasks.stop(chosen))) say(`${chosen} is stopped`)
  },
}

const help: Command = {
  name: "help",
  help: "keys and commands",
  run: ({ page }) => page(`${HELP}\n\n${COMMANDS.map(described).join("\n")}`),
}

const quit: Command = {
  name: "quit",
  help: "leave; the session stays stored",
  run: (around) => around.quit(),
}

function described({ name, argument, help: what }: Command): string {
  return `- \`/${name}${argument === undefined ? "" : ` ${argument}`}\` ${what}`
}

export const COMMANDS: readonly Command[] = [
  ...[
    agent,
    model,
    compact,
    asides,
    rules,
    resume,
    clear,
    rewind,
    fork,
    style,
    exportSession,
    tasks,
    help,
    quit,
  ],
]
