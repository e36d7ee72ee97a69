import { inline, renderForm } from "../text/reminder-text.js"
import type { Capabilities, Carrier } from "../vocabulary/capabilities.js"
import type { ContinueReason, Delivered, Group, Result } from "../vocabulary/exchange.js"
import type { Form, Reminder } from "../vocabulary/reminder.js"
import type { Placement } from "../vocabulary/request.js"
import type { ToolChanges } from "../vocabulary/tool.js"
import type {
  SystemBlock,
  TextBlock,
  ToolResultBlock,
  UserBlock,
  WireMessage,
} from "../vocabulary/wire-message.js"
import { type Inline, Scribe } from "./scribe.js"

/** A group as it goes on the wire, and how each of its frames and reminders travels. */
export interface Placed {
  readonly messages: readonly WireMessage[]
  /** One for each framed message. */
  readonly frames: readonly Carrier[]
  readonly reminders: readonly Carrier[]
  readonly neutralised: number
}

/**
 * Places one group: results, then messages, then reminders, as one user message; what may speak with system
 * authority follows as one system message where the model takes it.
 *
 * A reminder never follows a tool result as a sibling where a result can hold it: a model learns from such siblings that
 * a human speaks after every result (docs/decisions/17-inside-the-result.md). Only a human's own words stand beside results.
 */
export function place(group: Group, placement: Placement): Placed {
  const { capabilities } = placement
  const scribe = new Scribe(placement)
  const hosts = capabilities.toolResultReminders && group.results.length > 0
  // The messages of a boundary stay together and in order, so one that has to move into the result takes all along.
  const apart =
    capabilities.systemMessages && (!hosts || group.messages.every(({ frame }) => frame?.apart !== undefined))
  const messages = group.messages.map((message) => placeMessage(message, scribe, apart))
  const smooshed = hosts && messages.every((message) => message.tagged)
  const beside = smooshed ? [] : messages.flatMap((message) => message.blocks)

  const system = messages.flatMap((message) => message.system ?? [])
  const summary = group.summary === undefined ? [] : scribe.tagged(summaryForm(group.summary))
  const goOn = group.goesOn ? scribe.tagged({ line: goOnLine(group.goesOn) }) : []
  const about = [...summary, ...goOn]
  const inResult = [...(hosts ? about : []), ...(smooshed ? messages.flatMap(({ blocks }) => blocks) : [])]
  const after: Inline[] = [...beside]
  const prefill: TextBlock[] = []
  const carriers = group.reminders.map((reminder) => carrierOf(reminder, capabilities, hosts))
  group.reminders.forEach((reminder, i) => {
    switch (carriers[i]) {
      case "system-message":
        system.push(scribe.plain(reminder))
        break
      case "tool-result":
        inResult.push(...scribe.tagged(reminder))
        break
      case "assistant-text":
        prefill.push(scribe.plain(reminder))
        break
      case "user-text":
        after.push(...scribe.tagged(reminder))
        break
      default:
        after.push(...scribe.tagged(reminder).map((block) => labelled(block, carriers[i])))
    }
  })

  const results = group.results.map((result) => scribe.result(result))
  const content: UserBlock[] = [...smoosh(results, inResult), ...(hosts ? [] : about), ...after]
  const fromSystem: readonly SystemBlock[] = [
    ...distinct(system),
    ...(capabilities.toolChanges ? changeBlocks(group.tools, scribe) : []),
  ]
  // Neither an empty message nor a system message without a user message before it is accepted.
  if (content.length === 0) content.push(scribe.harness("(no message)"))
  return {
    messages: [
      { role: "user", content },
      ...(fromSystem.length > 0 ? [{ role: "system", content: fromSystem } as const] : []),
      ...(prefill.length > 0 ? [{ role: "assistant", content: prefill } as const] : []),
    ],
    frames: messages.flatMap(({ system, tagged }): Carrier[] =>
      system ? ["system-message"] : tagged ? [smooshed ? "tool-result" : "user-text"] : [],
    ),
    reminders: carriers,
    neutralised: scribe.neutralised,
  }
}

/** Places a question behind the newest reply: the results of its calls, and then what is asked. */
export function placeQuestion(results: readonly Result[], ask: string, placement: Placement): WireMessage {
  const scribe = new Scribe(placement)
  return {
    role: "user",
    aside: true,
    content: [
      ...results.map((result) => scribe.result(result)),
      ...(ask === "" ? [] : [scribe.harness(scribe.outside(ask))]),
    ],
  }
}

function goOnLine(goesOn: ContinueReason): string {
  if (goesOn === true)
    return "The conversation was compacted while you worked. Go on with what you were doing."
  if (goesOn === "dropped")
    return "Old tool results were dropped while you worked. Go on with what you were doing."
  return goesOn === "paused" ? "Go on with what you were doing." : cutLine(goesOn.cut)
}

export function cutLine(tools: readonly string[]): string {
  const names = [...new Set(tools)].map(inline).join(", ")
  return `Your last reply reached the limit on output inside a call of ${names}. That call was not made. Go on with a smaller call.`
}

/**
 * Makes blocks that change the tools. Says it in words too: a dialect without such blocks would be left with an empty
 * message.
 */
function changeBlocks(changes: ToolChanges | undefined, scribe: Scribe): readonly SystemBlock[] {
  if (changes === undefined) return []
  return [
    scribe.harness("The tools that can be called changed here."),
    ...changes.removed.map((name) => ({ type: "tool-removed", name }) as const),
    ...changes.added.map((tool) => ({ type: "tool-added", tool }) as const),
  ]
}

interface PlacedMessage {
  readonly blocks: readonly Inline[]
  /** Frame and words are one reminder, which may move into a tool result. */
  readonly tagged: boolean
  /** The frame, where it travels with system authority and the words stand by themselves. */
  readonly system?: TextBlock
}

function placeMessage(message: Delivered, scribe: Scribe, apart: boolean): PlacedMessage {
  const { frame, content, id } = message
  if (frame === undefined) return { blocks: scribe.words(content, id), tagged: false }
  if (apart && frame.apart !== undefined)
    return {
      blocks: scribe.words(content),
      tagged: false,
      system: scribe.harness(scribe.outside(frame.apart)),
    }
  return { blocks: scribe.framed(content, frame), tagged: true }
}

/** Chooses the carrier asked for, if the reminder and the model allow it; else the one that suits them. */
function carrierOf(reminder: Reminder, capabilities: Capabilities, hosts: boolean): Carrier {
  const isPlain = reminder.trust !== "untrusted" && reminder.body?.trust !== "untrusted"
  const allows = (carrier: Carrier): boolean => {
    switch (carrier) {
      case "system-message":
        return capabilities.systemMessages && isPlain
      case "tool-result":
        return hosts
      case "user-text":
        return true
      case "assistant-text":
        return capabilities.prefill && isPlain
      default:
        return capabilities.carriers?.includes(carrier) ?? false
    }
  }
  const tagged = hosts ? "tool-result" : "user-text"
  if (reminder.carrier !== undefined && allows(reminder.carrier))
    return reminder.carrier === "user-text" ? tagged : reminder.carrier
  if (allows("system-message")) return "system-message"
  return tagged
}

/** Says to the dialect whose own carrier it is; to any other it is text in tags. */
function labelled(block: Inline, carrier: Carrier | undefined): Inline {
  return block.type === "text" && carrier !== undefined ? { ...block, carrier } : block
}

/** Moves blocks into the last tool result, after its own content. */
function smoosh(results: readonly ToolResultBlock[], blocks: readonly Inline[]): readonly ToolResultBlock[] {
  const last = results.at(-1)
  if (last === undefined || blocks.length === 0) return results
  return [...results.slice(0, -1), { ...last, content: [...last.content, ...blocks] }]
}

function distinct(blocks: readonly TextBlock[]): readonly TextBlock[] {
  return blocks.filter((block, i) => blocks.findIndex((other) => other.text === block.text) === i)
}

/** Gives the text in which the model is told a summary, without its tags. */
export function summaryText(summary: string): string {
  return renderForm(summaryForm(summary)).text
}

function summaryForm(summary: string): Form {
  return {
    line: "The conversation up to here was compacted. This summary stands for it:",
    body: { text: summary, source: "summary of this conversation", trust: "untrusted" },
  }
}
