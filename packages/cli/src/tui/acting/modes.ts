import type { Agent } from "@sotto/core"
import { selectableAgents } from "@sotto/harness"
import { modeOf } from "../view/frame.js"
import { type Core, guarded } from "./core.js"

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

/** The next of those that talk to people. */
export function nextAgent(core: Core): void {
  const names = selectableAgents(core.workplace.agents).map(({ name }) => name)
  const place = names.indexOf(core.store.get().screen.agent)
  const next = names[(place + 1) % names.length]
  if (next !== undefined) switchAgent(core, next)
}

/** From asking to acting without, to planning, and back to asking. */
export function nextMode(core: Core): void {
  const { agents } = core.workplace
  const ui = core.store.get()
  switch (modeOf(ui, agents)) {
    case "ask":
      setAuto(core, true)
      break
    case "auto": {
      setAuto(core, false)
      const planner = selectableAgents(agents).find((agent) => isPlanner(agent))
      if (planner) switchAgent(core, planner.name)
      break
    }
    case "plan": {
      const worker = selectableAgents(agents).find((agent) => !isPlanner(agent))
      if (worker) switchAgent(core, worker.name)
      break
    }
  }
}

export function setAuto(core: Core, on: boolean): void {
  core.talk().conversation.setAuto(on)
  core.store.update((ui) => ({ ...ui, auto: on }))
  core.say(on ? "auto: it acts without asking; what is denied stays denied" : "it asks again")
}

function isPlanner({ planning }: Agent): boolean {
  return planning === true
}
