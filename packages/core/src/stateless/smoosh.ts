import { type AnyMessage, type AnyPart, isOnlyReminders, withParts } from "./message.js"

/** The least that `smooshReminders` asks of a message of Anthropic's Messages API. */
export interface AnthropicMessage {
  /** Who said it. */
  readonly role: string
  /** A text, or a list of content blocks. */
  readonly content: string | readonly { readonly type: string }[]
}

/** A part of ours or a content block of theirs, as far as smooshing looks at it. */
interface Block extends AnyPart {
  /** What a tool gave: ours in `output`, theirs in `content`. */
  readonly output?: string | readonly Block[]
  readonly content?: string | readonly Block[]
  readonly cache_control?: unknown
}

/** How a list of messages is laid out: ours has flags, Anthropic's only text. */
interface Layout<M> {
  /** The role of a message whose results may take in reminders of the user message after it. */
  readonly host: string
  blocksOf(message: M): readonly Block[]
  withBlocks(message: M, blocks: readonly Block[]): M
  isResult(block: Block): boolean
  isReminder(block: Block): boolean
  /** The result with reminders behind its own content. */
  absorbed(result: Block, reminders: readonly Block[]): Block
}

/**
 * Moves reminders that stand after a tool result into the last one, so that no text follows a result as a sibling. A
 * message that has nothing else left is dropped. Nothing is changed in place.
 *
 * Takes messages of one's own, or those of an Anthropic body. In the former a reminder is what is flagged `synthetic`; no
 * text is looked at. In the latter it is a block that is nothing but `<system-reminder>` tags and what they hold. If a
 * reminder that moves has a cache marker, the result that takes it in gets the marker.
 *
 * @example
 * ```ts
 * const body = { ...request, messages: smooshReminders(request.messages) }
 * ```
 */
export function smooshReminders<M extends AnyMessage | AnthropicMessage>(messages: readonly M[]): M[] {
  const isOurs = messages.every((message) => "parts" in message)
  return smoosh(messages, (isOurs ? OURS : ANTHROPIC) as unknown as Layout<M>)
}

function smoosh<M extends { readonly role: string }>(messages: readonly M[], layout: Layout<M>): M[] {
  const { host: hostRole, blocksOf, withBlocks, isResult, isReminder } = layout
  const out: M[] = []
  // Where the message with the results stands, while only user messages follow it: providers make one of them.
  let host: number | undefined
  for (const message of messages) {
    const blocks = blocksOf(message)
    const results = host === undefined ? undefined : out[host]
    if (blocks.some(isResult)) {
      out.push(absorb(message, [], layout))
      host = message.role === hostRole ? out.length - 1 : undefined
    } else if (message.role === "user" && host !== undefined && results !== undefined) {
      const reminders = blocks.filter(isReminder)
      const rest = blocks.filter((block) => !isReminder(block))
      out[host] = absorb(results, reminders, layout)
      if (reminders.length === 0) out.push(message)
      else if (rest.length > 0) out.push(withBlocks(message, rest))
    } else {
      out.push(message)
      host = undefined
    }
  }
  return out
}

/** Moves the reminders behind a result of a message, and those that follow the message, into its last result. */
function absorb<M>(message: M, following: readonly Block[], layout: Layout<M>): M {
  const { blocksOf, withBlocks, isResult, isReminder, absorbed } = layout
  const blocks = blocksOf(message)
  const last = blocks.findLastIndex(isResult)
  const own = blocks.slice(blocks.findIndex(isResult)).filter(isReminder)
  const moved = [...own, ...following]
  if (moved.length === 0) return message
  return withBlocks(
    message,
    blocks.flatMap((block, i) =>
      i === last ? [absorbed(block, moved)] : own.includes(block) ? [] : [block],
    ),
  )
}

function listed(content: string | readonly Block[] = []): readonly Block[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content
}

const OURS: Layout<AnyMessage> = {
  host: "tool",
  blocksOf: ({ parts }) => parts,
  withBlocks: withParts,
  isResult: ({ type }) => type === "tool-result",
  isReminder: ({ type, synthetic }) => type === "text" && synthetic === true,
  absorbed: (result, reminders) => ({ ...result, output: [...listed(result.output), ...reminders] }),
}

const ANTHROPIC: Layout<AnthropicMessage> = {
  host: "user",
  blocksOf: ({ content }) => listed(content),
  withBlocks: (message, content) => ({ ...message, content }),
  isResult: ({ type }) => type === "tool_result",
  isReminder: ({ type, text = "" }) => type === "text" && isOnlyReminders(text),
  absorbed: (result, reminders) => {
    const marker = [...reminders, result].find((block) => block.cache_control !== undefined)?.cache_control
    const moved = reminders.map(({ cache_control: _, ...block }) => block)
    const own = result.content === "" ? [] : listed(result.content)
    return { ...result, content: [...own, ...moved], ...(marker !== undefined && { cache_control: marker }) }
  },
}
