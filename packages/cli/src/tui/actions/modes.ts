import { type Agent, THINK_LEVELS, type ThinkLevel } from "@sotto/core"
import { takesLevels } from "@sotto/core/models"
import { dataFolder, selectableAgents } from "@sotto/harness"
import { confirmed, isConfirmed } from "../../settings/write.js"
import { guarded, type TerminalContext } from "../context.js"
import type { Leave } from "../state/open-questions.js"
import type { Ui } from "../state/ui.js"

export function switchAgent(terminal: TerminalContext, name: string): void {
  guarded(terminal, () => {
    terminal.talk().conversation.switchAgent(name)
    terminal.dispatch({ type: "model-is", ...terminal.talk().model() })
  })
}

export function switchModel(terminal: TerminalContext, name: string): void {
  guarded(terminal, () => {
    terminal.talk().conversation.switchModel(terminal.workplace.modelNamed(name))
    terminal.dispatch({ type: "model-is", ...terminal.talk().model() })
    terminal.say(`model: ${name}`)
  })
}

/** Sets how much the model thinks from the next request on. Undefined: as the settings say. */
export function setThinking(terminal: TerminalContext, level: ThinkLevel | undefined): void {
  const talk = terminal.talk()
  const { model } = talk.model()
  if (!takesLevels(model)) {
    terminal.hint(`${model} takes no thinking level.`)
    return
  }
  guarded(terminal, () => {
    const before = talk.session.tuning.think
    talk.conversation.setThinking(level)
    const { think } = talk.session.tuning
    terminal.dispatch({ type: "model-is", ...talk.model() })
    const wasSent = talk.session.log.some(({ type }) => type === "step")
    const cost = think === before || !wasSent ? "" : "; with the next request the prompt cache starts over"
    terminal.hint(`thinking: ${think ?? "as the provider does by default"}${cost}`)
  })
}

/**
 * Goes to the next higher level, and from the highest to the lowest: a user who presses the key first does not want
 * less than before.
 */
export function nextLevel(terminal: TerminalContext): void {
  const { think = "off" } = terminal.talk().session.tuning
  setThinking(terminal, THINK_LEVELS[(THINK_LEVELS.indexOf(think) + 1) % THINK_LEVELS.length])
}

export function nextAgent(terminal: TerminalContext): void {
  const names = selectableAgents(terminal.workplace.agents).map(({ name }) => name)
  const place = names.indexOf(terminal.ui().screen.agent)
  const next = names[(place + 1) % names.length]
  if (next !== undefined) switchAgent(terminal, next)
}

/**
 * Goes from asking to accepting edits, to planning, to acting without asking, and back: the boldest is the farthest.
 */
export function nextMode(terminal: TerminalContext): void {
  const { agents } = terminal.workplace
  const named = (plans: boolean) => selectableAgents(agents).find((agent) => isPlanner(agent) === plans)?.name
  switch (modeOf(terminal.ui(), agents)) {
    case "ask":
      setLeave(terminal, "edits")
      break
    case "edits": {
      setLeave(terminal, "ask", "silently")
      const planner = named(true)
      if (planner === undefined) askForAuto(terminal)
      else switchAgent(terminal, planner)
      break
    }
    case "plan": {
      const worker = named(false)
      if (worker !== undefined) switchAgent(terminal, worker)
      askForAuto(terminal)
      break
    }
    case "auto":
      setLeave(terminal, "ask")
      break
  }
}

/** Asks the user to confirm, once: this user is not asked again. */
function askForAuto(terminal: TerminalContext): void {
  const folder = dataFolder(terminal.workplace.env)
  if (isConfirmed(folder, "auto")) {
    setLeave(terminal, "auto")
    return
  }
  const items = [
    { value: "no", label: "No, go on asking" },
    {
      value: "yes",
      label: "Yes, act without asking",
      detail: "what is denied stays denied; Shift+Tab ends it",
    },
  ]
  terminal.ask("Auto runs every command and changes every file without asking. Sure?", items, (answer) => {
    if (answer === "yes") guarded(terminal, () => confirmed(folder, "auto"))
    setLeave(terminal, answer === "yes" ? "auto" : "ask")
  })
}

export function setLeave(terminal: TerminalContext, leave: Leave, how?: "silently"): void {
  const talk = terminal.talk()
  guarded(terminal, () => {
    if (talk.conversation.auto !== (leave === "auto")) talk.conversation.setAuto(leave === "auto")
    talk.permissions.acceptEdits(leave === "edits")
    terminal.update((ui) => ({ ...ui, leave }))
    if (how !== "silently") terminal.say(SAID[leave])
  })
}

const SAID: Readonly<Record<Leave, string>> = {
  ask: "it asks again",
  edits: "accept edits: it changes files here without asking; commands are still asked about",
  auto: "auto: it acts without asking; what is denied stays denied",
}

function isPlanner({ planning }: Agent): boolean {
  return planning === true
}

/** What happens without asking: nothing, changes of files, nothing but planning, or everything. */
type PermissionMode = "ask" | "edits" | "plan" | "auto"

function modeOf({ screen, leave }: Pick<Ui, "screen" | "leave">, agents: readonly Agent[]): PermissionMode {
  const agent = agents.find(({ name }) => name === screen.agent)
  if (agent?.planning === true) return "plan"
  return leave
}
