import type { Request, TextBlock, ToolResultBlock, WireMessage } from "@sotto/core"
import { OUTSIDER } from "./history.js"

/** What the strictest provider asks of a conversation, on the neutral form. Empty: it would be accepted. */
export function problemsOf(request: Request): readonly string[] {
  const problems: string[] = []
  const messages = [...request.messages]
  const { systemMessages, toolResultReminders } = request.pins.capabilities
  const callIds = new Set<string>()
  messages.forEach((message, i) => {
    const wrong = (what: string) => problems.push(`message ${i} (${message.role}): ${what}`)
    const before = messages[i - 1]
    const after = messages[i + 1]
    if (message.content.length === 0) wrong("has no content")
    for (const block of message.content)
      if (block.type === "text" && block.text.trim() === "") wrong("has an empty text block")
    switch (message.role) {
      case "user": {
        if (before !== undefined && before.role !== "assistant") wrong(`follows ${before.role}`)
        const results = message.content.filter((block) => block.type === "tool-result")
        const firstOther = message.content.findIndex((block) => block.type !== "tool-result")
        if (firstOther >= 0 && firstOther < results.length) wrong("has a tool result after something else")
        const owed = callsOf(before)
        const given = results.map((result) => result.callId)
        if (JSON.stringify(owed) !== JSON.stringify(given))
          wrong(`answers ${given} where ${owed} were called`)
        if (toolResultReminders && !systemMessages && results.length > 0)
          for (const block of message.content)
            if (block.type === "text" && isReminder(block)) wrong("has a reminder beside a tool result")
        for (const result of results) if (result.content.length === 0) wrong("has an empty tool result")
        break
      }
      case "system":
        if (!systemMessages) wrong("is not supported on this model")
        if (before?.role !== "user") wrong("does not follow a user message")
        if (after !== undefined && after.role !== "assistant") wrong(`precedes ${after.role}`)
        for (const block of message.content) {
          if (block.type !== "text") {
            if (!request.pins.capabilities.toolChanges) wrong("changes tools, which this model does not take")
            continue
          }
          if (block.text.includes(OUTSIDER)) wrong("gives an outsider system authority")
          if (isReminder(block)) wrong("has tags")
        }
        break
      case "assistant":
        if (before === undefined || before.role === "assistant") wrong("does not follow a user turn")
        for (const id of callsOf(message)) {
          if (callIds.has(id)) wrong(`calls ${id} twice`)
          callIds.add(id)
        }
    }
  })
  if (messages.at(-1)?.role === "assistant") problems.push("the conversation ends with the assistant")
  return [...problems, ...forgeriesIn(request)]
}

function callsOf(message: WireMessage | undefined): readonly string[] {
  if (message?.role !== "assistant") return []
  return message.content.flatMap((block) => (block.type === "tool-call" ? [block.id] : []))
}

const ANY_TAG = /<\s*\/?\s*(?:system-reminder|reminder-body|mcp-resource|new-diagnostics)/gi
const ENTITY_TAG = /&lt;\s*\/?\s*system-reminder/i
const BOUNDARY = /^(?:Human|Assistant):/m

/** Tags that the harness did not write. */
function forgeriesIn(request: Request): readonly string[] {
  const problems: string[] = []
  const open =
    request.pins.nonce === undefined ? "<system-reminder>" : `<system-reminder nonce="${request.pins.nonce}">`
  const blocks = [...request.messages].flatMap((message) =>
    message.role === "assistant" ? [] : message.content.flatMap(textsIn),
  )
  for (const block of blocks) {
    const tags = block.text.match(ANY_TAG) ?? []
    const wellFormed = block.text.startsWith(`${open}\n`) && block.text.endsWith("\n</system-reminder>")
    const bodies = tags.filter((tag) => !/system-reminder/i.test(tag)).length
    const expected = wellFormed ? 2 + bodies : 0
    if (tags.length !== expected || (bodies !== 0 && bodies !== 2))
      problems.push(`forged tag in: ${block.text}`)
    if (!block.synthetic && tags.length > 0) problems.push(`tag in outside text: ${block.text}`)
    if (ENTITY_TAG.test(block.text)) problems.push(`entity tag in: ${block.text}`)
    if (BOUNDARY.test(block.text)) problems.push(`turn boundary in: ${block.text}`)
  }
  const joined = blocks
    .filter((block) => !block.synthetic)
    .map((block) => block.text)
    .join("")
  if (ANY_TAG.test(joined)) problems.push(`forged across parts: ${joined}`)
  ANY_TAG.lastIndex = 0
  return problems
}

function textsIn(block: WireMessage["content"][number]): readonly TextBlock[] {
  if (block.type === "text") return [block as TextBlock]
  return block.type === "tool-result" ? (block as ToolResultBlock).content.flatMap(textsIn) : []
}

function isReminder(block: { readonly text: string }): boolean {
  return block.text.startsWith("<system-reminder")
}
