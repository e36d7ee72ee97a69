import { restoreNeutralised } from "@sotto/core"
import type { HttpDialectName } from "../../src/call.js"
import { canonicalJson } from "../../src/segments/json.js"
import { remindersIn, withoutReminders } from "../../src/segments/reminders/recognise.js"
import type { Slot } from "../../src/segments/segment.js"
import { slotsOf } from "../../src/segments/slots.js"
import { textsOf, wordsOf } from "../../src/segments/words.js"

/** What a careful reader of one request knows at its end. */
export interface Knowledge {
  readonly system: string
  /** By name: the description and the rest of the definition. */
  readonly tools: Readonly<Record<string, { readonly description: string; readonly rest: string }>>
  /** What was said, done and returned, in order, without the words of the harness. */
  readonly conversation: readonly string[]
  /** The reminders that hold, sorted. */
  readonly reminders: readonly string[]
}

/** What the harness's own request says. Nothing in it is a statement of a mender. */
export function known(body: unknown, dialect: HttpDialectName): Knowledge {
  return read(body, dialect, false)
}

/** What a mended request says: first what stands in it, then each statement in the order in which they were told. */
export function reconstructed(body: unknown, dialect: HttpDialectName): Knowledge {
  return read(body, dialect, true)
}

interface State {
  system: string
  readonly tools: Record<string, { description: string; readonly rest: string }>
  readonly holding: Set<string>
}

function read(body: unknown, dialect: HttpDialectName, hasStatements: boolean): Knowledge {
  const { tools, system, messages } = slotsOf(body, dialect, "model")
  const state: State = {
    system: system.map(wordsOf).join("\n"),
    tools: Object.fromEntries(tools.map(toolIn)),
    holding: new Set(),
  }
  const conversation: string[] = []
  for (const slot of messages) {
    const reminders = remindersIn(slot)
    for (const { text } of reminders)
      for (const one of hasStatements ? statementsIn(text) : [text]) {
        if (!hasStatements || !apply(one, state)) state.holding.add(one)
      }
    const own = ownWords(slot, reminders)
    if (own !== undefined) conversation.push(own)
  }
  return { system: state.system, tools: state.tools, conversation, reminders: [...state.holding].sort() }
}

function toolIn(slot: Slot): [string, { description: string; rest: string }] {
  const value = slot.value as { description?: string; function?: { description?: string } }
  const { description: outer = "", function: inner, ...rest } = value
  if (inner === undefined) return [slot.name ?? "", { description: outer, rest: canonicalJson(rest) }]
  const { description = "", ...parameters } = inner
  return [slot.name ?? "", { description, rest: canonicalJson({ ...rest, parameters }) }]
}

function ownWords(slot: Slot, reminders: ReturnType<typeof remindersIn>): string | undefined {
  if (slot.kind === "call" || slot.kind === "reasoning" || slot.kind === "media")
    return `${slot.kind} ${canonicalJson(slot.value)}`
  const words = withoutReminders(wordsOf(slot), reminders).trim()
  if (slot.kind === "result") return `result ${slot.name} ${words}`
  return words === ""
    ? undefined
    : `${slot.role} ${textsOf(slot).length > 0 ? words : canonicalJson(slot.value)}`
}

const STARTS =
  /\n\n(?=The reminder above that begins "|The system prompt at the top of|The description of the tool "|One more reminder holds now:)/

/** Several statements may stand in one message of the harness. */
function statementsIn(text: string): readonly string[] {
  const plain = /^<system-reminder>\n([\s\S]*)\n<\/system-reminder>$/.exec(text)?.[1]
  return plain === undefined ? text.split(STARTS) : [text]
}

/** Takes one statement to heart; false if the text is none, but a reminder of the harness. */
function apply(text: string, state: State): boolean {
  const tagged = /^<system-reminder>\n([\s\S]*)\n<\/system-reminder>$/.exec(text)?.[1]
  const [line = "", ...rest] = (tagged ?? text).split("\n")
  const body = tagged === undefined ? rest.join("\n") : restoreNeutralised(rest.join("\n"))
  const about =
    /^The reminder above that begins "([\s\S]*)" (is withdrawn|no longer|has changed|still holds)/.exec(line)
  if (about !== null) {
    const [, begins = "", what] = about
    const named = holderOf(restoreNeutralised(begins), state)
    if (what === "still holds") return true
    state.holding.delete(named)
    if (what === "has changed") state.holding.add(changed(named, body, line))
    // An own tag follows by itself; a message of the harness holds the text that replaces the other.
    else if (what === "no longer" && body !== "") state.holding.add(body)
    return true
  }
  if (line === "One more reminder holds now:") {
    if (body !== "") state.holding.add(body)
    return true
  }
  if (line.startsWith("The system prompt at the top of this conversation")) {
    state.system = changed(state.system, body, line)
    return true
  }
  const tool = /^The description of the tool (".*") changed\./.exec(line)?.[1]
  if (tool === undefined) return false
  const definition = state.tools[JSON.parse(tool)]
  if (definition === undefined) throw new Error(`no tool ${tool}`)
  definition.description = changed(definition.description, body, line)
  return true
}

/** The reminder that holds and begins like this. Exactly one has to. */
function holderOf(begins: string, { holding }: State): string {
  const flat = (text: string) =>
    text
      .replace(/^<[\w-]+>/, "")
      .replace(/<\/[\w-]+>$/, "")
      .replaceAll(/\s+/g, " ")
      .trim()
  const found = [...holding].filter((text) =>
    begins.endsWith("…") ? flat(text).startsWith(begins.slice(0, -1)) : flat(text) === begins,
  )
  if (found.length !== 1) throw new Error(`${found.length} reminders begin with ${begins}`)
  return found[0] ?? ""
}

/** The whole new text, or the old one with the lines of a difference exchanged. */
function changed(before: string, body: string, line: string): string {
  if (line.endsWith("It now reads:")) return body
  const lines = before.split("\n")
  const out: string[] = []
  let at = 0
  for (const one of body.split("\n")) {
    const place = /^@@ line (\d+) @@$/.exec(one)?.[1]
    if (place !== undefined) while (at < Number(place) - 1) out.push(lines[at++] ?? "")
    else if (one.startsWith("+")) out.push(one.slice(1))
    else {
      if (lines[at] !== one.slice(1)) throw new Error(`the difference expects ${one} and finds ${lines[at]}`)
      if (one.startsWith(" ")) out.push(one.slice(1))
      at++
    }
  }
  return [...out, ...lines.slice(at)].join("\n")
}
