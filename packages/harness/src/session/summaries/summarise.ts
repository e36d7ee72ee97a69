import { type Agent, capabilitiesOf, createSession, type ModelChoice, type PastItem } from "@sotto/core"
import { ModelFailure, type ModelLink } from "../../models/model-link.js"
import { textOf } from "../../platform/text/text.js"
import { forEngine, modelOf } from "../../settings/agents/selection.js"
import { transcriptOf } from "./transcript.js"

/** What a hidden agent needs to write something by itself, beside the conversation. */
export interface HiddenAgentParts {
  readonly agents: readonly Agent[]
  readonly models: ModelLink
  modelNamed(name: string): ModelChoice
  now(): number
  /** Used unless the agent has a model of its own. */
  readonly model: string
  readonly signal: AbortSignal
  /** Asked before each request leaves. */
  mayAct(): Promise<void>
}

/** What of the window is tried: a server may take less than is known of the model. */
const SHARES = [1, 1 / 2, 1 / 4, 1 / 8]

/** Has the hidden agent write what stands for the conversation so far. Throws if nothing comes of it. */
export async function summarise(
  past: readonly PastItem[],
  focus: string | undefined,
  writing: HiddenAgentParts,
): Promise<string> {
  const choice = writing.modelNamed(writing.model)
  const window = choice.capabilities?.contextWindow ?? capabilitiesOf(choice).contextWindow
  const wish = focus === undefined ? "" : ` The user asks to keep in particular: ${focus}`
  for (const share of SHARES) {
    const transcript = transcriptOf(past, window * share)
    try {
      return await write("compaction", `Summarise this conversation.${wish}\n\n${transcript}`, writing)
    } catch (error) {
      if (!(error instanceof ModelFailure && error.overflow) || share === SHARES.at(-1)) throw error
    }
  }
  throw new Error("there was no room to summarise in.")
}

/** Gets one answer of a hidden agent to one prompt. */
export async function write(name: string, prompt: string, writing: HiddenAgentParts): Promise<string> {
  const { agents, models, signal, mayAct } = writing
  const agent: Agent = agents.find((one) => one.name === name) ?? { name }
  const writer = createSession({
    agents: [forEngine(agent)],
    agent: name,
    model: writing.modelNamed(modelOf(agent) ?? writing.model),
    rules: [],
    now: writing.now,
    newId: () => name,
  })
  writer.say(prompt)
  const next = writer.next()
  if (next.is !== "request") throw new Error("There is nothing to write about.")
  const ignore = () => undefined
  const listen = { signal, after: mayAct, onDelta: ignore, onPartial: ignore, onRetry: ignore }
  const { parts, stop = "end", why = stop } = await models.call(next.request, listen)
  if (stop !== "end" && stop !== "tool-calls")
    throw new Error(`The agent ${name} did not finish its answer (${why}).`)
  const text = textOf(parts)
  if (text.trim() === "") throw new Error(`The agent ${name} answered nothing.`)
  return text
}
