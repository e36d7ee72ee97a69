import { capabilitiesOf } from "@sotto/core"
import { field, listField, stringField } from "@sotto/core/dialect"
import type { Compared } from "../compare/compare.js"
import { compareMessages } from "../compare/edits.js"
import { systemDifference, toolDifference } from "../compare/lists.js"
import { namesOf } from "../compare/volatile.js"
import { canonicalJson } from "../segments/json.js"
import { locate } from "../segments/locate.js"
import type { FoundReminder, Segment } from "../segments/segment.js"
import type { Snapshot } from "../segments/snapshot.js"
import { wordsOf } from "../segments/words.js"
import { asSmooshed, type Carried, carry, own } from "./carry.js"
import type { MendingPolicy } from "./contract.js"
import { follow, itemOf } from "./follow.js"
import { blocksIn, contentOf, replaced, withoutMarkers } from "./json-text.js"
import { keptBack } from "./quiet.js"
import { remindingOf } from "./reminder-changes.js"
import { partOf, type Sheet } from "./sheet.js"
import { smooshed } from "./smoosh.js"
import { changeOf, type Statement } from "./statement.js"
import type { ReadRequest, Substitute } from "./substitute.js"
import { type Fresh, type Recipient, told } from "./tail.js"
import { type Added, trimmed } from "./trim.js"

/** What becomes of tools or system prompt: they are as they were, they are held, or the change has to go through. */
type HeadVerdict =
  | { readonly is: "same" }
  | { readonly is: "held"; readonly why: string; readonly statements: readonly Statement[] }
  | { readonly is: "through"; readonly why: string }

function judgeTools(old: readonly Segment[], now: readonly Segment[]): HeadVerdict {
  const difference = toolDifference(old, now)
  if (difference === undefined) return { is: "same" }
  const before = new Map(old.map((tool) => [tool.name, tool]))
  const isSameSet = old.length === now.length && now.every(({ name }) => before.has(name))
  if (!isSameSet || before.size !== old.length) return { is: "through", why: difference.detail }
  const statements: Statement[] = []
  for (const tool of now) {
    const earlier = before.get(tool.name)
    if (earlier === undefined || canonicalJson(earlier.value) === canonicalJson(tool.value)) continue
    if (canonicalJson(undescribed(earlier.value)) !== canonicalJson(undescribed(tool.value)))
      return { is: "through", why: `the tool ${tool.name} has another schema` }
    statements.push(redescribed(tool.name ?? "", descriptionOf(earlier.value), descriptionOf(tool.value)))
  }
  return { is: "held", why: difference.detail, statements }
}

/** Descriptions may come from anybody, such as an MCP server: they are never told with system authority. */
function redescribed(name: string, before: string, after: string): Statement {
  const { how, body } = changeOf(before, after)
  const line = `The description of the tool ${JSON.stringify(name)} changed. ${how}`
  return { line, body, authority: "user", about: `the description of the tool ${name}` }
}

function descriptionOf(tool: unknown): string {
  return stringField(tool, "description") ?? stringField(field(tool, "function"), "description") ?? ""
}

/** Removes the tool's own description. Those of its parameters belong to the schema. */
function undescribed(tool: unknown): unknown {
  const without = (value: unknown) => {
    const { description: _, ...rest } = (value ?? {}) as Record<string, unknown>
    return rest
  }
  const inner = field(tool, "function")
  return inner === undefined ? without(tool) : { ...(tool as object), function: without(inner) }
}

function judgeSystem(old: readonly Segment[], now: readonly Segment[]): HeadVerdict {
  const difference = systemDifference(old, now)
  const isWritten = old.some((one, i) => Boolean(one.bare) !== Boolean(now[i]?.bare))
  if (difference === undefined)
    return isWritten
      ? { is: "held", why: "the system prompt is written differently", statements: [] }
      : { is: "same" }
  if (difference.cause === "serialisation") return { is: "held", why: difference.detail, statements: [] }
  if (now.length === 0 || old.length === 0 || [...old, ...now].some(({ hasMedia }) => hasMedia))
    return { is: "through", why: difference.detail }
  const [before, after] = [wordsIn(old), wordsIn(now)]
  if (namesOf(before, after).includes(undefined)) return { is: "through", why: "the system prompt changed" }
  return { is: "held", why: difference.detail, statements: changedSystem(before, after) }
}

function wordsIn(system: readonly Segment[]): string {
  return system.map(wordsOf).join("\n")
}

const BILLING = /billing/i

/** Ignores a billing header: it speaks to the provider and not to the model, which is told of everything else. */
function changedSystem(before: string, after: string): readonly Statement[] {
  const said = (text: string) =>
    text
      .split("\n")
      .filter((line) => !BILLING.test(line))
      .join("\n")
  if (said(before) === said(after)) return []
  const { how, body } = changeOf(said(before), said(after))
  const line = `The system prompt at the top of this conversation has changed since. ${how}`
  return [{ line, body, authority: "system", about: "the system prompt" }]
}

/** What goes out for a request that continues a thread. */
export interface Continued {
  readonly tools: string | undefined
  readonly system: string | undefined
  readonly head: readonly string[] | undefined
  readonly sent: readonly Carried[]
  readonly statements: readonly Statement[]
  readonly withheld: Added["withheld"]
}

/** Carries a thread on to its next request, or says why this one has to go out as it is. */
export function goOn(
  substitute: Substitute,
  { sheet, snapshot }: ReadRequest,
  compared: Compared,
  policy: MendingPolicy,
): Continued | { readonly why: string } {
  const { tip } = substitute.strand
  if (compared.difference?.cause === "compacted") return { why: "the history was summarised" }
  if (!sameKey(tip, snapshot)) return { why: "another model or cache key" }
  const tools = judgeTools(tip.sections.tools, snapshot.sections.tools)
  if (tools.is === "through") return tools
  const system = judgeSystem(tip.sections.system, snapshot.sections.system)
  if (system.is === "through") return system
  const messages = compareMessages(tip.sections.messages, snapshot.sections.messages)
  const [before, after] = [tip.sections.messages, snapshot.sections.messages]
  const [old, now] = [substitute.original.items, sheet.items]
  const followed = follow(old, now, before, after, messages)
  if (followed === undefined) return { why: "messages were joined or split" }
  const firstNew = Math.max(followed.firstNew, sheet.head)
  const requests = { old, now, before, after, compared: messages, followed: { ...followed, firstNew } }
  const carrying = carry(substitute.sent, requests, policy.hold === "results")
  if ("why" in carrying) return carrying

  const isNew = (i: number) => {
    const one = after[i]
    if (one === undefined) return false
    const item = itemOf(one)
    return item >= firstNew || (item === carrying.extended && (messages.partners[i] ?? -1) < 0)
  }
  const isWanted = (found: FoundReminder) => {
    if (keptBack(found, policy, substitute.spoken, substitute.strand.calls) === undefined) return true
    substitute.unsaid.add(found.hash)
    return false
  }
  const reminding = remindingOf(before, after, isNew, (hash) => !substitute.unsaid.has(hash), isWanted)
  const added = trimmed(
    sheet,
    after.filter((_, i) => isNew(i)),
    firstNew,
    policy,
    substitute,
    reminding.repeated,
  )
  const split = splitOff(carrying.split, sheet)
  const statements = [...saidBy(tools), ...saidBy(system), ...reminding.statements]
  const fresh = told([...split, ...added.fresh], statements, listenerOf(sheet))
  if (fresh === undefined) return { why: "nothing new in it could carry what has to be told" }

  const carried = carrying.carried.map((one) => {
    const frozen = added.frozen.get(one.from)
    return one.from === carrying.extended && frozen !== undefined
      ? { ...one, frozen: asSmooshed(frozen, one) }
      : one
  })
  const held = (verdict: HeadVerdict, part: "tools" | "system") =>
    substitute[part] ?? (verdict.is === "held" ? firstSent(substitute.original, part) : undefined)
  const { head } = substitute.original
  return {
    tools: held(tools, "tools"),
    system: held(system, "system"),
    head:
      substitute.head ??
      (system.is === "held" && head > 0
        ? old.slice(0, head).map((item) => own(withoutMarkers(item)))
        : undefined),
    sent: [...carried, ...fresh.map((one) => sentAs(one, sheet, added.withheldFrom, policy))],
    statements,
    withheld: added.withheld,
  }
}

function sameKey(old: Snapshot, now: Snapshot): boolean {
  const key = ({ sections }: Snapshot) => sections.key.map(({ path, hash }) => `${path} ${hash}`).join("\n")
  return key(old) === key(now)
}

function saidBy(verdict: HeadVerdict): readonly Statement[] {
  return verdict.is === "held" ? verdict.statements : []
}

function firstSent(original: Sheet, part: "tools" | "system"): string | undefined {
  const text = partOf(original, part)
  return text === undefined ? undefined : own(withoutMarkers(text))
}

/** Makes the thread's record of a message that goes out for the first time. */
export function sentAs(
  { from, json }: Fresh,
  { items, dialect }: Sheet,
  withheldFrom: ReadonlyMap<number, readonly string[]>,
  { smoosh }: MendingPolicy,
): Carried {
  const withheld = withheldFrom.get(from)
  const moved = smoosh && dialect === "anthropic" ? smooshed(json) : json
  const blocks = moved === json ? {} : { smooshed: blocksIn(json).length }
  if (json === items[from]) return { from, ...blocks }
  return { from, frozen: own(withoutMarkers(moved)), ...(withheld && { withheld }), ...blocks }
}

function splitOff(segments: readonly Segment[], { items }: Sheet): readonly Fresh[] {
  const [first] = segments
  if (first === undefined) return []
  const item = items[itemOf(first)] ?? ""
  const content = contentOf(item)
  if (content === undefined) return []
  const blocks = segments.map(({ path }) => {
    const place = locate(item, path.split(".").slice(2).join("."))
    return place === undefined ? "null" : item.slice(place.start, place.end)
  })
  return [{ from: -1, json: replaced(item, content, `[${blocks.join(",")}]`) }]
}

function listenerOf({ dialect, model, body, listName }: Sheet): Recipient {
  const first = stringField(listField(body, listName)[0], "role")
  const isChat = dialect === "openai-chat"
  return {
    dialect,
    capabilities: capabilitiesOf({ id: model, dialect }),
    systemRole: isChat && first !== "developer" ? "system" : "developer",
  }
}
