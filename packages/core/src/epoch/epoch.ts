import { estimateTokens } from "../text/tokens.js"
import type { TokenCounter } from "../vocabulary/economy.js"
import type { Exchange, Group, HeldResult } from "../vocabulary/exchange.js"
import type { AssistantPart, ContentPart, ToolCallPart } from "../vocabulary/message.js"
import { callsOf, spoken } from "../vocabulary/reply.js"
import { Appended, type Pins, type Request } from "../vocabulary/request.js"
import type { PinnedTool } from "../vocabulary/tool.js"
import { wellFormedJson } from "../vocabulary/unicode.js"
import type { WireMessage } from "../vocabulary/wire-message.js"
import { MARKERS } from "./markers.js"
import { type Placed, place } from "./place.js"

/** The stretch between two rebases: pins, and exchanges that are only ever appended. */
export class Epoch {
  readonly pins: Pins
  /** The step of the session that opened it: what was told before, the system prompt states anew. */
  readonly startedAt: number
  readonly exchanges: Exchange[] = []
  /** What the model can call now, by name: as pinned, and as changed since. */
  readonly tools: Map<string, PinnedTool>
  readonly #messages: WireMessage[] = []
  #changesTools = false
  #requested = 0
  /** Messages up to the newest reply. */
  #answered = 0
  readonly #head: number
  #tokens: number
  #reminderTokens = 0
  /** Of replies, since something last went up. */
  #repaired = 0
  /** Tokens before each exchange. */
  readonly #starts: number[] = []
  /** The results of the first `#looked` exchanges, found on the first question. */
  readonly #held: HeldResult[] = []
  #looked = 0

  /**
   * Begins an epoch. `head` is what system and tools cost, where the caller's counter was asked. `unchanged` counts the
   * kept exchanges that are sent as the epoch before sent them, so that the cache has them.
   */
  constructor(
    pins: Pins,
    kept: readonly Exchange[],
    startedAt: number,
    head: number = headTokens(pins, estimateTokens),
    unchanged = 0,
  ) {
    this.pins = pins
    this.startedAt = startedAt
    this.tools = new Map(pins.tools.map((tool) => [tool.name, tool]))
    this.#head = head
    this.#tokens = this.#head
    kept.forEach(({ group, reply, replyTokens }, i) => {
      if (i === unchanged) this.#requested = this.#messages.length
      this.open(group)
      if (reply !== undefined) this.close(reply, replyTokens)
    })
  }

  /** Lists every tool result that was sent, oldest first. Looks at each once. */
  results(): readonly HeldResult[] {
    for (; this.#looked < this.exchanges.length; this.#looked++) {
      const { group } = this.exchanges[this.#looked] as Exchange
      const calls = new Map<string, ToolCallPart>()
      if (group.results.length > 0)
        for (const call of callsOf(this.exchanges[this.#looked - 1]?.reply ?? [])) calls.set(call.id, call)
      for (const result of group.results)
        this.#held.push({
          ...result,
          input: calls.get(result.callId)?.input ?? null,
          tokens: result.tokens ?? contentTokens(result.output, estimateTokens),
          before: this.#starts[this.#looked] ?? 0,
          ordinal: group.ordinal,
        })
    }
    return this.#held
  }

  /** What the conversation costs so far, how much of that comes before it, and how much is reminders. */
  get tokens(): { readonly all: number; readonly head: number; readonly reminders: number } {
    return { all: this.#tokens, head: this.#head, reminders: this.#reminderTokens }
  }

  /** Appends what goes up at a boundary. */
  open(group: Group): Placed {
    const placed = place(group, this.pins)
    this.#starts.push(this.#tokens)
    for (const message of placed.messages) this.#messages.push(message)
    this.#tokens += group.tokens ?? messageTokens(placed.messages)
    for (const reminder of group.reminders) this.#reminderTokens += reminder.tokens
    for (const name of group.tools?.removed ?? []) this.tools.delete(name)
    for (const tool of group.tools?.added ?? []) this.tools.set(tool.name, tool)
    this.#changesTools ||= group.tools !== undefined
    this.exchanges.push({ group, reply: undefined })
    const neutralised = placed.neutralised + this.#repaired
    this.#repaired = 0
    return { ...placed, neutralised }
  }

  /** Appends what the model replied; never nothing, so that the roles alternate. */
  close(reply: readonly AssistantPart[], tokens?: number, whenEmpty: string = MARKERS.emptyReply): void {
    const last = this.exchanges.at(-1)
    if (last === undefined) return
    const { value, count } = wellFormedJson(spoken(reply, whenEmpty))
    last.reply = value
    this.#repaired += count
    if (tokens !== undefined) last.replyTokens = tokens
    const message = { role: "assistant", content: value } as const
    this.#answered = this.#messages.push(message)
    this.#tokens += tokens ?? messageTokens([message])
  }

  /** Gives the messages of a request made now, and how many of them the one before had. */
  request(): Pick<Request, "messages" | "previous" | "changesTools"> {
    const previous = this.#requested
    this.#requested = this.#messages.length
    const messages = new Appended(this.#messages, this.#requested)
    return { messages, previous, changesTools: this.#changesTools }
  }

  /** Lists the messages up to the newest reply. */
  answered(): readonly WireMessage[] {
    return this.#messages.slice(0, this.#answered)
  }

  /** Counts the tokens of one exchange. */
  tokensOf({ group, reply = [], replyTokens }: Exchange): number {
    return (
      (group.tokens ?? messageTokens(place(group, this.pins).messages)) +
      (replyTokens ?? messageTokens([{ role: "assistant", content: reply }]))
    )
  }
}

/** Counts the tokens before the conversation. */
export function headTokens({ system, tools }: Pins, count: TokenCounter): number {
  return count(system) + count(JSON.stringify(tools))
}

/** Counts the tokens of a reply. */
export function replyTokens(reply: readonly AssistantPart[], count: TokenCounter): number {
  return reply.reduce((sum, part) => sum + blockTokens(part, count), 0)
}

/** Counts the tokens of a result's content. */
export function contentTokens(content: readonly ContentPart[], count: TokenCounter): number {
  return content.reduce((sum, part) => sum + (part.type === "text" ? count(part.text) : MEDIA_TOKENS), 0)
}

/** Estimates the tokens of messages. */
export function messageTokens(messages: Iterable<WireMessage>): number {
  let sum = 0
  for (const { content } of messages) for (const block of content) sum += blockTokens(block, estimateTokens)
  return sum
}

/** Providers charge media by size on screen, not by bytes; this is about what a page or a screenshot costs. */
const MEDIA_TOKENS = 1_500

function blockTokens(block: WireMessage["content"][number], count: TokenCounter): number {
  switch (block.type) {
    case "text":
    case "reasoning":
      return count(block.text)
    case "tool-call":
      return count(block.name) + count(JSON.stringify(block.input))
    case "tool-result":
      return block.content.reduce((sum, inner) => sum + blockTokens(inner, count), 0)
    case "tool-added":
      return count(JSON.stringify(block.tool))
    case "tool-removed":
      return count(block.name)
    case "image":
    case "file":
      return MEDIA_TOKENS
  }
}
