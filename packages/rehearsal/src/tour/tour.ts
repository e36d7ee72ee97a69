import {
  type EarlierAnswer,
  type MessageGroup,
  newest,
  type ReadConversation,
  type ToldText,
} from "../conversation/conversation.js"
import type { ReplyDraft } from "../reply/draft.js"
import { planFor } from "./plan.js"
import { TOUR_PROMPTS } from "./prompts.js"
import { sampleJson } from "./sample.js"

/** How the stand-in says that it is not a model. */
export const WHO_SPEAKS = "This is Sotto's rehearsal model: a stand-in, not an AI."

/**
 * Improvises from the request alone: a short plan of harmless calls, an acknowledgement of whatever the model is told
 * on the way, and a last word that lists it. The same request always gives the same answer, and no turn is endless.
 */
export function improvise(conversation: ReadConversation): ReplyDraft {
  const turn = currentTurn(conversation)
  const done = turn.length - 1
  const told = newest(conversation)
  const heard = (done > 0 ? told : told.filter(isAside)).filter(
    (piece) => piece.from !== "tool" || isAside(piece),
  )
  const asked = askedIn(turn)
  const plan = planFor(
    conversation,
    asked,
    turn.flatMap(({ pieces }) => pieces),
  )
  const calls = opensNothing(done, told) || conversation.toolChoice === "none" ? [] : (plan[done] ?? [])

  const lines = [
    ...(done === 0 ? [greeting(told, calls.length > 0)] : []),
    ...heard.map(
      (piece) => `${whoTold(piece)} told me${done > 0 ? " while I worked" : ""}: "${shortened(piece.text)}"`,
    ),
    ...(calls.length === 0 ? [lastWord(turn, conversation)] : []),
    ...(calls.length > 0 && done > 0
      ? [`Step ${done + 1} of ${plan.length}.${asked === TOUR_PROMPTS.around && writes(calls) ? WANTS : ""}`]
      : []),
  ]
  const reasoning = conversation.reasons && calls.length > 0 ? [thought(done, plan.length)] : []
  // Who asks for JSON parses what comes.
  const isJson = conversation.format !== undefined && calls.length === 0
  return {
    parts: [
      ...reasoning,
      { type: "text", text: isJson ? sampleJson(conversation.format ?? {}) : lines.join("\n\n") },
      ...calls.map((call) => ({ type: "tool-call" as const, ...call })),
    ],
  }
}

function currentTurn({ groups }: ReadConversation): readonly MessageGroup[] {
  const ended = groups.findLastIndex(({ answer }) => answer !== undefined && answer.calls === 0)
  return groups.slice(ended + 1)
}

/** What is marked as the harness's is the harness's, also where it quotes the user. */
const whoTold = (piece: ToldText) => (isAside(piece) ? "The harness" : "You")

const isAside = (piece: ToldText) => piece.carrier !== undefined

/** True if no new work starts: a message that came while the last answer was given is only acknowledged. */
function opensNothing(done: number, told: readonly ToldText[]): boolean {
  const isPrompt = told.some((piece) => piece.from === "user" && !isAside(piece))
  const cameLate = told.some((piece) => isAside(piece) && piece.text.includes("while you were working"))
  return done === 0 && (!isPrompt || cameLate)
}

function thought(done: number, of: number): ReplyDraft["parts"][number] {
  return { type: "reasoning", text: `A stand-in thinks nothing. This is step ${done + 1} of ${of}.` }
}

function askedIn([first]: readonly MessageGroup[]): string {
  const words = first?.pieces.filter((piece) => piece.from === "user" && !isAside(piece)) ?? []
  return words
    .map(({ text }) => text)
    .join("\n")
    .trim()
}

/** Said before the call that changes something. Whether the user is asked about it is not the model's to know. */
const WANTS = " I want to write a file."

function writes(calls: readonly { readonly name: string }[]): boolean {
  return calls.some(({ name }) => name === "write")
}

function greeting(told: readonly ToldText[], acts: boolean): string {
  const asked = told.find((piece) => piece.from === "user" && !isAside(piece))
  if (asked?.text.trim() === TOUR_PROMPTS.around && acts)
    return `${WHO_SPEAKS} It looks around with the real tools; you see what it is told on the way.`
  if (asked?.text.trim() === TOUR_PROMPTS.plan && acts)
    return "In plan mode I change nothing. I write a plan, and you approve it or not."
  return [
    WHO_SPEAKS,
    ...(asked ? [`You asked: "${shortened(asked.text)}".`] : []),
    acts
      ? "It cannot do that, but it will look around with the tools you gave it."
      : "It has nothing to do here.",
  ].join(" ")
}

function lastWord(turn: readonly MessageGroup[], conversation: ReadConversation): string {
  const calls = turn.reduce((sum, { answer }) => sum + callsOf(answer), 0)
  const asides = turn.flatMap((group) => group.pieces.filter(isAside))
  const why =
    conversation.toolChoice === "none" && calls > 0
      ? " Tools may not be called now, so this is a summary."
      : ""
  const heard =
    asides.length === 0
      ? "The harness told me nothing beside your words."
      : `The harness told me:\n${asides.map((piece) => `- (${piece.carrier}) ${shortened(piece.text)}`).join("\n")}`
  return `${WHO_SPEAKS}${why} In this turn I made ${calls} tool ${calls === 1 ? "call" : "calls"}. ${heard}`
}

const callsOf = (answer: EarlierAnswer | undefined) => answer?.calls ?? 0

function shortened(text: string): string {
  const line = text.replace(/\s+/g, " ").trim()
  return line.length > 200 ? `${line.slice(0, 197)}...` : line
}
