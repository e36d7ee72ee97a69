import { type Agent, capabilitiesOf, createSession, type PastItem } from "@sotto/core"
import type { ModelLink } from "./model-link.js"
import { transcriptOf } from "./transcript.js"
import type { Workplace } from "./workplace.js"

/** What a hidden agent needs to write something by itself, beside the conversation. */
export interface Writing {
  readonly workplace: Workplace
  readonly link: ModelLink
  /** Used unless the agent has a model of its own. */
  readonly model: string
  readonly signal: AbortSignal
}

/** Has the hidden agent write what stands for the conversation so far. Throws if nothing comes of it. */
export function summarise(
  past: readonly PastItem[],
  focus: string | undefined,
  writing: Writing,
): Promise<string> {
  const { workplace, model } = writing
  const { id, capabilities } = workplace.modelNamed(model)
  const window = capabilities?.contextWindow ?? capabilitiesOf(id).contextWindow
  const wish = focus === undefined ? "" : ` The user asks to keep in particular: ${focus}`
  return write("compaction", `Summarise this conversation.${wish}\n\n${transcriptOf(past, window)}`, writing)
}

/** One answer of a hidden agent to one prompt. */
export async function write(name: string, prompt: string, writing: Writing): Promise<string> {
  const { workplace, link, signal } = writing
  const agent: Agent = workplace.agents.find((one) => one.name === name) ?? { name }
  const writer = createSession({
    agents: [agent],
    agent: name,
    model: workplace.modelNamed(agent.model ?? writing.model),
    rules: [],
    now: workplace.now,
    newId: () => name,
  })
  writer.say(prompt)
  const next = writer.next()
  if (next.is !== "request") throw new Error("There is nothing to write about.")
  const ignore = () => undefined
  const listen = { signal, onDelta: ignore, onPartial: ignore, onRetry: ignore }
  const { parts } = await link.call(next.request, listen)
  const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n")
  if (text.trim() === "") throw new Error(`The agent ${name} answered nothing.`)
  return text
}
