import {
  type Agent,
  type Bill,
  createSession,
  estimateTokens,
  type ModelChoice,
  type Reply,
  type Request,
  refuseCalls,
  type Session,
  type SidePrices,
  SottoError,
} from "@sotto/core"
import { type OwnPrices, sidePrices } from "@sotto/core/economy"
import { ModelFailure, type ModelLink } from "../../models/model-link.js"
import { textOf } from "../../platform/text/text.js"
import { forEngine, modelOf } from "../../settings/agents/selection.js"

/** What a hidden agent needs to write something by itself, beside the conversation. */
export interface HiddenAgentParts {
  readonly session: Session
  readonly agents: readonly Agent[]
  readonly models: ModelLink
  modelNamed(name: string): ModelChoice
  now(): number
  /** The user's own prices, by model. */
  readonly prices: OwnPrices
  readonly signal: AbortSignal
  /** Asked before each request leaves. */
  mayAct(): Promise<void>
  /** Enters what a request has cost in the log. */
  enter(entry: () => void): void
}

/** A question about the conversation, in the two forms in which it can be asked. */
export interface ConversationQuestion {
  /** The hidden agent whose prompt says what to write. */
  readonly agent: "compaction" | "title" | "summary"
  readonly purpose: "summary" | "title" | "outcome"
  /** What is asked, where the conversation itself stands before it; the agent's prompt follows. */
  readonly ask: string
  /** What the agent is given to read, where it is asked apart. Later items are shorter: a server may take less than is known. */
  readonly transcripts: readonly (() => string)[]
}

/** Says who asks: the model is in the middle of something else. */
const PAUSE =
  "The program you run in asks something about the conversation so far. Leave your task for this one answer, and call no tools."

/** Room for the answer behind a conversation, in tokens. */
const ANSWER = 4_000

/**
 * Asks the model about the conversation. The question rides on the bytes that the provider's cache has, if that is cheaper
 * and fits; else a transcript is sent in a request of its own. Throws if nothing comes of it.
 */
export async function askAbout(question: ConversationQuestion, parts: HiddenAgentParts): Promise<string> {
  const agent: Agent = parts.agents.find(({ name }) => name === question.agent) ?? { name: question.agent }
  const transcript = question.transcripts[0]?.() ?? ""
  const side = sideOf(question, agent, parts)
  if (side === undefined) return askApart(question, agent, parts)
  const model = modelOf(agent) ?? parts.session.model
  const prices = sidePrices(side, {
    at: parts.now(),
    usedAt: parts.session.cacheUsedAt ?? Number.NEGATIVE_INFINITY,
    transcript: { tokens: estimateTokens(`${promptOf(agent)}${transcript}`), model },
    prices: parts.prices,
  })
  const answer = prices.side <= prices.transcript ? await askBeside(side, prices, parts) : undefined
  return answer ?? askApart(question, agent, parts, prices)
}

/** Makes the side request; undefined if there can be none, or the user has given the agent a model of its own. */
function sideOf(
  { purpose, ask }: ConversationQuestion,
  agent: Agent,
  { session }: HiddenAgentParts,
): Request | undefined {
  const { tokens, window } = session.context
  const words = `${PAUSE} ${ask}\n\n${promptOf(agent)}`
  if (modelOf(agent) !== undefined || tokens + estimateTokens(words) + ANSWER > window) return undefined
  try {
    return session.side({ purpose, ask: words })
  } catch (error) {
    if (error instanceof SottoError && error.code === "nothing-sent") return undefined
    throw error
  }
}

/** Sends a side request; undefined if the model does not answer it in words. A call that it makes is refused once. */
async function askBeside(
  request: Request,
  prices: SidePrices,
  { session, models, signal, mayAct, enter }: HiddenAgentParts,
): Promise<string | undefined> {
  const call = async (sent: Request): Promise<Reply> => {
    const reply = await models.call(sent, listening(signal, mayAct))
    enter(() => session.sideReply(request.id, reply, { prices }))
    return reply
  }
  try {
    const reply = await call(request)
    const calls = reply.parts.some(({ type }) => type === "tool-call")
    return answerIn(calls ? await call(refuseCalls(request, reply)) : reply)
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof ModelFailure) return undefined
    throw error
  }
}

/** Has the hidden agent answer by a transcript, in a session of its own. */
async function askApart(
  { agent: name, purpose, transcripts }: ConversationQuestion,
  agent: Agent,
  parts: HiddenAgentParts,
  prices?: SidePrices,
): Promise<string> {
  const { session, models, signal, mayAct, enter } = parts
  const model = modelOf(agent) ?? session.model
  for (const [i, transcript] of transcripts.entries()) {
    const writer = createSession({
      agents: [forEngine(agent)],
      agent: name,
      model: parts.modelNamed(model),
      rules: [],
      now: parts.now,
      newId: () => name,
    })
    writer.say(transcript())
    const next = writer.next()
    if (next.is !== "request") throw new Error("There is nothing to write about.")
    try {
      const reply = await models.call(next.request, listening(signal, mayAct))
      const { usage, stop = "end", why = stop } = reply
      const bill: Bill = {
        purpose,
        model,
        way: "transcript",
        ...(usage && { usage }),
        ...(prices && { prices }),
      }
      enter(() => session.bill(bill))
      const answer = answerIn(reply)
      if (answer !== undefined) return answer
      throw new Error(
        stop === "end" || stop === "tool-calls"
          ? `The agent ${name} answered nothing.`
          : `The agent ${name} did not finish its answer (${why}).`,
      )
    } catch (error) {
      const isTooLong = error instanceof ModelFailure && error.overflow
      if (!isTooLong || i === transcripts.length - 1) throw error
    }
  }
  throw new Error("there was no room to ask in.")
}

/** Listens to a reply that nobody watches. */
export function listening(signal: AbortSignal, after: () => Promise<void>) {
  const ignore = () => undefined
  return { signal, after, onDelta: ignore, onPartial: ignore, onRetry: ignore }
}

/** Reads the words of a reply that was finished; undefined without any. */
function answerIn({ parts, stop = "end" }: Reply): string | undefined {
  if (stop !== "end" && stop !== "tool-calls") return undefined
  const text = textOf(parts)
  return text.trim() === "" ? undefined : text
}

function promptOf({ prompt = "" }: Agent): string {
  return typeof prompt === "string" ? prompt : prompt.add
}
