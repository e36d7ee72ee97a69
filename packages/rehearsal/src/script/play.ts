import { newest, opening, type ReadConversation, type ToldText } from "../conversation/conversation.js"
import type { ReplyDraft } from "../reply/draft.js"
import { patternOf } from "./pattern.js"
import type { Expectation, Pattern, Script, ScriptedFailure, ScriptStep } from "./script.js"

function disappointment(expectation: Expectation, conversation: ReadConversation): string | undefined {
  const { told, notTold, reminder, carrier, system, tool_choice, tools } = expectation
  const pieces = newest(conversation)
  const carried = carrier === undefined ? pieces : pieces.filter((piece) => piece.carrier === carrier)
  const by = carrier === undefined ? "" : ` by ${carrier}`
  const missing = tools?.filter((name) => !conversation.tools.some((tool) => tool.name === name)) ?? []

  if (told !== undefined && !carried.some(says(told))) return `told ${quoted(told)}${by}; ${account(pieces)}`
  if (reminder !== undefined && !carried.filter(isReminder).some(says(reminder)))
    return `a reminder ${quoted(reminder)}${by}; ${account(pieces)}`
  if (notTold !== undefined && carried.some(says(notTold)))
    return `not told ${quoted(notTold)}${by}; ${account(pieces)}`
  if (
    carrier !== undefined &&
    told === undefined &&
    reminder === undefined &&
    notTold === undefined &&
    carried.length === 0
  )
    return `a reminder${by}; ${account(pieces)}`
  if (system !== undefined && !matches(system, conversation.system))
    return `a system prompt with ${quoted(system)}; it is ${quoted(shortened(conversation.system))}`
  if (tool_choice !== undefined && tool_choice !== conversation.toolChoice)
    return `tool_choice ${tool_choice}; it is ${conversation.toolChoice}`
  if (missing.length > 0) return `the tools ${missing.join(", ")}; there are ${names(conversation)}`
  return undefined
}

const isReminder = (piece: ToldText) => piece.carrier !== undefined

function says(pattern: Pattern): (piece: ToldText) => boolean {
  return ({ text }) => matches(pattern, text)
}

function matches(pattern: Pattern, text: string): boolean {
  return patternOf(pattern)?.(text) ?? false
}

function account(pieces: readonly ToldText[]): string {
  if (pieces.length === 0) return "nothing was told"
  const lines = pieces.map(({ from, carrier, text }) => `  [${carrier ?? from}] ${shortened(text)}`)
  return `what was told is:\n${lines.join("\n")}`
}

function names(conversation: ReadConversation): string {
  return conversation.tools.map((tool) => tool.name).join(", ") || "none"
}

const quoted = (text: string) => (/^\/.*\/[a-z]*$/s.test(text) ? text : `"${text}"`)

function shortened(text: string): string {
  const line = text.replace(/\s+/g, " ").trim()
  return line.length > 300 ? `${line.slice(0, 297)}...` : line
}

/** What the stand-in says once the script has no more steps. */
export const SCRIPT_IS_OVER =
  "The rehearsal's script is over: it has no step for this request. This is not a real model."

/** What the script has for a request. */
export type Act =
  | {
      readonly is: "answer"
      readonly draft: ReplyDraft
      readonly delay: number
      readonly tokenDelay: number
      readonly failure?: ScriptedFailure
    }
  | { readonly is: "disappointed"; readonly message: string }
  | { readonly is: "refuses-system" }

/** Plays step `index`, counted from 0, for the `attempt`-th time that this very request comes, counted from 0. */
export function play(script: Script, index: number, attempt: number, conversation: ReadConversation): Act {
  const steps = stepsFor(conversation, script)
  if (refusesSystem(steps, index) && hasSystemMessages(conversation)) return { is: "refuses-system" }
  const step = steps[index]
  if (step === undefined)
    return {
      is: "answer",
      draft: { parts: [{ type: "text", text: SCRIPT_IS_OVER }], stop: "end" },
      delay: 0,
      tokenDelay: 0,
    }
  for (const expectation of step.expect ?? []) {
    const expected = disappointment(expectation, conversation)
    if (expected !== undefined)
      return { is: "disappointed", message: `Step ${index + 1} expected ${expected}` }
  }
  if (step.search !== undefined && !conversation.searches)
    return {
      is: "disappointed",
      message: `Step ${index + 1} searches the web, and the request offers no search`,
    }
  const failure = (step.fail ?? []).filter((one) => !("refuse" in one))[attempt]
  return {
    is: "answer",
    draft: draftOf(step, conversation, failure !== undefined && "malformed" in failure),
    delay: step.delay ?? 0,
    tokenDelay: step.tokenDelay ?? 0,
    ...(failure && { failure }),
  }
}

/** Chooses the steps by what the conversation begins with, which does not change however long it gets. */
function stepsFor(conversation: ReadConversation, { steps, scripts = [] }: Script): readonly ScriptStep[] {
  const words = opening(conversation)
  return scripts.find(({ when }) => patternOf(when)?.(words))?.steps ?? steps
}

/** True from the first refusal on: a server that does not take system messages does not begin to. */
function refusesSystem(steps: readonly ScriptStep[], index: number): boolean {
  return steps.slice(0, index + 1).some((step) => step.fail?.some((failure) => "refuse" in failure))
}

function hasSystemMessages(conversation: ReadConversation): boolean {
  return conversation.groups.some((group) => group.pieces.some((piece) => piece.from === "system"))
}

function draftOf(step: ScriptStep, conversation: ReadConversation, malformed: boolean): ReplyDraft {
  const mayCall = conversation.toolChoice !== "none" || step.disobey === true
  const calls = mayCall ? (step.calls ?? []) : []
  const text = step.text ?? (calls.length === 0 ? "(The rehearsal's script has no words for this step.)" : "")
  return {
    parts: [
      ...(step.reasoning === undefined ? [] : [{ type: "reasoning", text: step.reasoning } as const]),
      ...(step.search === undefined || conversation.toolChoice === "none"
        ? []
        : [{ type: "search", query: step.search } as const]),
      ...(text === "" ? [] : [{ type: "text", text } as const]),
      ...calls.map(({ name, input = {}, id }) => ({
        type: "tool-call" as const,
        name,
        input,
        ...(id !== undefined && { id }),
        ...(malformed && { malformed: true as const }),
      })),
    ],
    ...(step.stop && { stop: step.stop }),
  }
}
