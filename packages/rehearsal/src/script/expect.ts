import { newest, type ReadConversation, type ToldText } from "../conversation/conversation.js"
import { patternOf } from "./pattern.js"
import type { Expectation, Pattern } from "./script.js"

/** What was expected and is not so; undefined if the expectation holds. */
export function disappointment(expectation: Expectation, conversation: ReadConversation): string | undefined {
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
