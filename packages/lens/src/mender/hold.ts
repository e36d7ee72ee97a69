import { capabilitiesOf } from "@sotto/core"
import type { Compared } from "../compare/compare.js"
import { compareMessages } from "../compare/edits.js"
import { list, text } from "../segments/json.js"
import { locate } from "../segments/locate.js"
import type { FoundReminder, Segment } from "../segments/segment.js"
import type { Snapshot } from "../segments/snapshot.js"
import { asSmooshed, type Carried, carry, own } from "./carry.js"
import type { MendingPolicy } from "./contract.js"
import { follow, itemOf } from "./follow.js"
import { type HeadVerdict, judgeSystem, judgeTools } from "./head.js"
import { blocksIn, contentOf, replaced, withoutMarkers } from "./json-text.js"
import { keptBack } from "./quiet.js"
import { remindingOf } from "./reminder-changes.js"
import { partOf, type Sheet } from "./sheet.js"
import { smooshed } from "./smoosh.js"
import type { Statement } from "./statement.js"
import { type Fresh, type Recipient, told } from "./tail.js"
import type { MendedThread, ReadRequest } from "./thread.js"
import { type Added, trimmed } from "./trim.js"

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
  thread: MendedThread,
  { sheet, snapshot }: ReadRequest,
  compared: Compared,
  policy: MendingPolicy,
): Continued | { readonly why: string } {
  const { tip } = thread.strand
  if (compared.difference?.cause === "compacted") return { why: "the history was summarised" }
  if (!sameKey(tip, snapshot)) return { why: "another model or cache key" }
  const tools = judgeTools(tip.sections.tools, snapshot.sections.tools)
  if (tools.is === "through") return tools
  const system = judgeSystem(tip.sections.system, snapshot.sections.system)
  if (system.is === "through") return system
  const messages = compareMessages(tip.sections.messages, snapshot.sections.messages)
  const [before, after] = [tip.sections.messages, snapshot.sections.messages]
  const [old, now] = [thread.original.items, sheet.items]
  const followed = follow(old, now, before, after, messages)
  if (followed === undefined) return { why: "messages were joined or split" }
  const firstNew = Math.max(followed.firstNew, sheet.head)
  const requests = { old, now, before, after, compared: messages, followed: { ...followed, firstNew } }
  const carrying = carry(thread.sent, requests, policy.hold === "results")
  if ("why" in carrying) return carrying

  const isNew = (i: number) => {
    const one = after[i]
    if (one === undefined) return false
    const item = itemOf(one)
    return item >= firstNew || (item === carrying.extended && (messages.partners[i] ?? -1) < 0)
  }
  const isWanted = (found: FoundReminder) => {
    if (keptBack(found, policy, thread.spoken, thread.step) === undefined) return true
    thread.unsaid.add(found.hash)
    return false
  }
  const reminding = remindingOf(before, after, isNew, (hash) => !thread.unsaid.has(hash), isWanted)
  const added = trimmed(
    sheet,
    after.filter((_, i) => isNew(i)),
    firstNew,
    policy,
    thread,
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
    thread[part] ?? (verdict.is === "held" ? firstSent(thread.original, part) : undefined)
  const { head } = thread.original
  return {
    tools: held(tools, "tools"),
    system: held(system, "system"),
    head:
      thread.head ??
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

/** A message that goes out for the first time, as the thread remembers it. */
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

/** What was added to a message that is held, as a message of the same kind. */
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

/** How this conversation can be told something. */
function listenerOf({ dialect, model, body, listName }: Sheet): Recipient {
  const first = text(list(body, listName)[0], "role")
  const isChat = dialect === "openai-chat"
  return {
    dialect,
    capabilities: capabilitiesOf({ id: model, dialect }),
    systemRole: isChat && first !== "developer" ? "system" : "developer",
  }
}
