import type { Agent } from "@sotto/core"
import { dataFolder, selectableAgents, THINK_LEVELS, type ThinkLevel, takesLevels } from "@sotto/harness"
import { confirmed, isConfirmed } from "../settings/confirmed.js"
import type { Leave } from "../state/open-questions.js"
import type { PickerItem } from "../state/ui.js"
import { modeOf } from "../view/mode.js"
import { type Core, guarded } from "./core.js"

type Ask = (title: string, items: readonly PickerItem[], done: (value: string | undefined) => void) => void

export function switchAgent(core: Core, name: string): void {
  guarded(core, () => {
    core.talk().conversation.switchAgent(name)
    core.dispatch({ type: "model-is", ...core.talk().model() })
  })
}

export function switchModel(core: Core, name: string): void {
  guarded(core, () => {
    core.talk().conversation.switchModel(core.workplace.modelNamed(name))
    core.dispatch({ type: "model-is", ...core.talk().model() })
    core.say(`model: ${name}`)
  })
}

/** How much the model thinks from the next request on. Undefined: as the settings say. */
export function setThinking(core: Core, level: ThinkLevel | undefined): void {
  const talk = core.talk()
  const { model } = talk.model()
  if (!takesLevels(model)) {
    core.hint(`${model} takes no thinking level.`)
    return
  }
  guarded(core, () => {
    const before = talk.session.tuning.think
    talk.conversation.setThinking(level)
    const { think } = talk.session.tuning
    core.dispatch({ type: "model-is", ...talk.model() })
    const wasSent = talk.session.log.some(({ type }) => type === "step")
    const cost = think === before || !wasSent ? "" : "; with the next request the prompt cache starts over"
    core.hint(`thinking: ${think ?? "as the provider does by default"}${cost}`)
  })
}

/** The next higher one, and after the highest the lowest. Nobody who presses it first wants less than before. */
export function nextLevel(core: Core): void {
  const { think = "off" } = core.talk().session.tuning
  setThinking(core, THINK_LEVELS[(THINK_LEVELS.indexOf(think) + 1) % THINK_LEVELS.length])
}

/** The next of those that talk to people. */
export function nextAgent(core: Core): void {
  const names = selectableAgents(core.workplace.agents).map(({ name }) => name)
  const place = names.indexOf(core.store.get().screen.agent)
  const next = names[(place + 1) % names.length]
  if (next !== undefined) switchAgent(core, next)
}

/** From asking to accepting edits, to planning, to acting without asking, and back: the boldest is the farthest. */
export function nextMode(core: Core, ask: Ask): void {
  const { agents } = core.workplace
  const named = (plans: boolean) => selectableAgents(agents).find((agent) => isPlanner(agent) === plans)?.name
  switch (modeOf(core.store.get(), agents)) {
    case "ask":
      setLeave(core, "edits")
      break
    case "edits": {
      setLeave(core, "ask", "silently")
      const planner = named(true)
      if (planner === undefined) askForAuto(core, ask)
      else switchAgent(core, planner)
      break
    }
    case "plan": {
      const worker = named(false)
      if (worker !== undefined) switchAgent(core, worker)
      askForAuto(core, ask)
      break
    }
    case "auto":
      setLeave(core, "ask")
      break
  }
}

/** Once it was confirmed by this user, it is not asked again. */
function askForAuto(core: Core, ask: Ask): void {
  const folder = dataFolder(core.workplace.env)
  if (isConfirmed(folder, "auto")) {
    setLeave(core, "auto")
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
  ask("Auto runs every command and changes every file without asking. Sure?", items, (answer) => {
    if (answer === "yes") guarded(core, () => confirmed(folder, "auto"))
    setLeave(core, answer === "yes" ? "auto" : "ask")
  })
}

export function setLeave(core: Core, leave: Leave, how?: "silently"): void {
  const talk = core.talk()
  guarded(core, () => {
    if (talk.conversation.auto !== (leave === "auto")) talk.conversation.setAuto(leave === "auto")
    talk.permissions.acceptEdits(leave === "edits")
    core.store.update((ui) => ({ ...ui, leave }))
    if (how !== "silently") core.say(SAID[leave])
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
