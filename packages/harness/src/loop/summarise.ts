import { type Agent, capabilitiesOf, createSession, type PastItem } from "@sotto/core"
import { ModelFailure, type ModelLink } from "./model-link.js"
import type { Workplace } from "./workplace.js"

/** What a hidden agent needs to write something by itself, beside the conversation. */
export interface Writing {
  readonly workplace: Workplace
  readonly link: ModelLink
  /** Used unless the agent has a model of its own. */
  readonly model: string
  readonly signal: AbortSignal
}

/** What of the window is tried: a server may take less than is known of the model. */
const SHARES = [1, 1 / 2, 1 / 4, 1 / 8]

/** Has the hidden agent write what stands for the conversation so far. Throws if nothing comes of it. */
export async function summarise(
  past: readonly PastItem[],
  focus: string | undefined,
  writing: Writing,
): Promise<string> {
  const { workplace, model } = writing
  const { id, capabilities } = workplace.modelNamed(model)
  const window = capabilities?.contextWindow ?? capabilitiesOf(id).contextWindow
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
  const { parts, stop = "end", why = stop } = await link.call(next.request, listen)
  if (stop !== "end" && stop !== "tool-calls")
    throw new Error(`The agent ${name} did not finish its answer (${why}).`)
  const text = parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n")
  if (text.trim() === "") throw new Error(`The agent ${name} answered nothing.`)
  return text
}

/** Characters for a token, and the share of the window that a transcript may fill. */
const ROOM = 4 * 0.6
/** What of a tool's output a summary could still need, more of it where there is room. */
const LONGEST_OUTPUTS = [20_000, 4_000, 1_000, 200]

/** Who said what, so that the summary can keep apart what the user, a tool and the harness said. */
export function transcriptOf(past: readonly PastItem[], window: number): string {
  const room = window * ROOM
  for (const longest of LONGEST_OUTPUTS) {
    const text = past.map((item) => labelled(item, longest)).join("\n\n")
    if (text.length <= room) return text
  }
  const text = past.map((item) => labelled(item, LONGEST_OUTPUTS.at(-1) ?? 0)).join("\n\n")
  const half = Math.floor(room / 2)
  return `${text.slice(0, half)}\n\n[… left out, for want of room …]\n\n${text.slice(-half)}`
}

function labelled({ by, text }: PastItem, longest: number): string {
  switch (by.kind) {
    case "human":
      return `[the user] ${text}`
    case "agent":
      return `[the agent] ${text}`
    case "tool":
      return `[the tool ${by.name}] ${clipped(text, longest)}`
    case "harness":
      return `[the harness, ${by.reminder}] ${clipped(text, longest)}`
    case "summary":
      return `[summary of what came before] ${text}`
    case "channel":
      return `[a message from ${by.server}, not from the user] ${clipped(text, longest)}`
    case "task-notification":
      return `[a background task] ${clipped(text, longest)}`
    case "coordinator":
      return `[the coordinator] ${clipped(text, longest)}`
  }
}

function clipped(text: string, longest: number): string {
  return text.length <= longest
    ? text
    : `${text.slice(0, longest)} [… ${text.length - longest} more characters]`
}
