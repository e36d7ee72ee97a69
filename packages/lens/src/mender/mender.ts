import { BINDING_BETA } from "@sotto/core/anthropic"
import { field } from "@sotto/core/dialect"
import type { Call } from "../call.js"
import { type Compared, compare } from "../compare/compare.js"
import { problemsOf } from "../problems/validate.js"
import { countsTokens } from "../segments/dialect.js"
import { slotsOf } from "../segments/slots.js"
import { assign } from "../threads/assign.js"
import { OpenStrands } from "../threads/open.js"
import { Strand } from "../threads/strand.js"
import { marked } from "./breakpoints.js"
import { compose, partsOf } from "./compose.js"
import type { Mend, MendedRequest, Mender, MendingPolicy, OriginalRequest } from "./contract.js"
import { itemOf } from "./follow.js"
import { goOn, sentAs } from "./hold.js"
import { mendsOf, smooshesOf } from "./mends.js"
import { restored, savedText } from "./saved.js"
import { isReply, type Sheet, sheetOf } from "./sheet.js"
import { smooshed } from "./smoosh.js"
import {
  asWritten,
  forked,
  freshSubstitute,
  type ReadRequest,
  type SharedStart,
  type Substitute,
  sharedStart,
} from "./substitute.js"
import { ASKS_TO_DROP, askingToDrop, tiesThinking, type Unthought, withoutThinking } from "./tied-thoughts.js"
import { trimmed } from "./trim.js"
import { goWithoutHold } from "./without-hold.js"

const SOURCE = "mended"

/** Options of a mender: what it takes over from before a restart. */
export interface MenderOptions {
  /** What `save` returned before a restart. Text that cannot be read is ignored. */
  readonly saved?: string
}

/** Mends the requests of any number of threads, which it tells apart by what they say. */
export function createMender(policy: MendingPolicy, options: MenderOptions = {}): Mender {
  const open = new OpenStrands()
  const substitutes = new WeakMap<Strand, Substitute>()
  const changesBytes =
    Boolean(policy.hold) || (policy.mute?.length ?? 0) > 0 || Object.keys(policy.throttle ?? {}).length > 0
  let sequence = 0

  for (const substitute of restored(options.saved, SOURCE)) keep(substitute)

  return {
    mend(request) {
      try {
        return mend(request)
      } catch (cause) {
        // An unforeseen error of the mender must not stop the traffic.
        return { body: request.body, mends: [], fellBack: `the mender failed: ${String(cause)}` }
      }
    },
    refused({ body }) {
      for (const substitute of kept())
        if (substitute.last?.body === body && substitute.last.result.body !== body) {
          substitute.isRefused = true
          substitute.last = undefined
        }
    },
    save: () => savedText(kept()),
  }

  function keep(substitute: Substitute): void {
    open.touch(substitute.strand)
    substitutes.set(substitute.strand, substitute)
  }

  /** Lists what is known of the strands that a request may still continue, the newest first. */
  function kept(): readonly Substitute[] {
    return open.of(SOURCE).flatMap((strand) => substitutes.get(strand) ?? [])
  }

  function mend(request: OriginalRequest): MendedRequest {
    const { body } = request
    const untouched = { body, mends: [] }
    if (countsTokens(request.path)) return untouched
    const again = kept().find(({ last }) => last?.body === body)
    if (again?.last !== undefined) return again.last.result
    const sheet = sheetOf(request)
    if (sheet === undefined) return untouched
    const call: Call = {
      source: SOURCE,
      number: ++sequence,
      dialect: sheet.dialect,
      body: sheet.body,
      text: body,
    }
    const slots = slotsOf(sheet.body, sheet.dialect, sheet.model === "" ? undefined : sheet.model)
    const assigned = assign(call, slots, sheet.dialect, open.of(SOURCE))
    const { snapshot } = assigned
    const incoming: ReadRequest = { request, sheet, snapshot }
    // Name no origin: through it a strand would keep the bodies of all strands before it in memory.
    const begin = (tip = snapshot) => new Strand(call, sheet.model, sequence, tip, undefined, false)

    const known = assigned.type === "begins" ? undefined : substitutes.get(assigned.strand)
    if (assigned.type === "continues" && known !== undefined)
      return proceed(known, incoming, assigned.compared)
    if (assigned.type === "branches" && known !== undefined) {
      const { tip } = assigned.strand
      const compared = compare(tip, snapshot)
      // A question beside the conversation, such as one for its summary, has all of it before it.
      if (compared.relation === "extends") return proceed(forked(known, begin(tip)), incoming, compared)
    }
    const substitute = freshSubstitute(begin(), sheet, request.path)
    if (known === undefined) return start(substitute, incoming, mayDiffer(sheet))
    const shared = sharedStart(known, sheet)
    return start(substitute, incoming, known.isMended && !shared.repliesFit, shared)
  }

  /** True if the replies of a thread that is not known may have been given to other bytes, which an earlier run sent. */
  function mayDiffer({ items, dialect }: Sheet): boolean {
    if (changesBytes || policy.smoosh !== true || dialect !== "anthropic") return changesBytes
    const lastReply = items.findLastIndex((item) => isReply(JSON.parse(item), dialect))
    return items.some((item, i) => i < lastReply && smooshed(item) !== item)
  }

  function proceed(substitute: Substitute, incoming: ReadRequest, compared: Compared): MendedRequest {
    const { sheet } = incoming
    const isAgain = sheet.text === substitute.original.text && !substitute.isRefused
    if (isAgain) {
      // Sent again after a restart: the state is that of after the request, which is not counted twice.
      substitute.marks = substitute.formerMarks
      substitute.strand.calls--
      return settle(
        substitute,
        incoming,
        substitute.isMended ? mendsOf(substitute, sheet, [], Boolean(policy.hold)) : [],
      )
    }
    const wasMended = substitute.isMended
    if (substitute.isRefused) return original(substitute, incoming, wasMended)
    const next = policy.hold
      ? goOn(substitute, incoming, compared, policy)
      : goWithoutHold(substitute, incoming, compared, policy)
    if ("why" in next) return start(substitute, incoming, wasMended, sharedStart(substitute, sheet))
    const { tools, system, head, sent, statements, withheld } = next
    Object.assign(substitute, { tools, system, head, sent })
    const mends = [...mendsOf(substitute, sheet, statements, Boolean(policy.hold)), ...withheld]
    return finish(substitute, incoming, mends, wasMended)
  }

  /** Starts a strand with its first request, or starts one anew. What stands before the last reply was sent before. */
  function start(
    substitute: Substitute,
    incoming: ReadRequest,
    isForeign: boolean,
    shared?: SharedStart,
  ): MendedRequest {
    const { sheet, snapshot } = incoming
    const { sent, asksToDrop, mends } = thoughtless(sheet, isForeign)
    const lastReply = sheet.items.findLastIndex((item) => isReply(JSON.parse(item), sheet.dialect))
    const firstNew = Math.max(lastReply + 1, sheet.head)
    const segments = snapshot.sections.messages.filter((segment) => itemOf(segment) >= firstNew)
    const added = trimmed(sheet, segments, firstNew, policy, substitute, new Map())
    const fresh = added.fresh.map((one) => sentAs(one, sheet, added.withheldFrom, policy))
    const earlier = sent.filter(({ from }) => from < firstNew)
    Object.assign(substitute, {
      ...NOTHING_HELD,
      asksToDrop,
      sent: [...earlier.map((one) => ({ ...one, ...shared?.smooshed.get(one.from) })), ...fresh],
    })
    return finish(substitute, incoming, [...mends, ...added.withheld], isForeign)
  }

  /** Sends the request as the harness wrote it, but for thinking that belongs to other bytes. */
  function original(
    substitute: Substitute,
    incoming: ReadRequest,
    isForeign: boolean,
    fellBack?: string,
  ): MendedRequest {
    const { sent, asksToDrop, mends } = thoughtless(incoming.sheet, isForeign)
    Object.assign(substitute, { ...NOTHING_HELD, sent, asksToDrop, isMended: mends.length > 0 })
    return settle(substitute, incoming, mends, fellBack)
  }

  function finish(
    substitute: Substitute,
    incoming: ReadRequest,
    mends: readonly Mend[],
    isForeign: boolean,
  ): MendedRequest {
    const { sheet, request } = incoming
    const body = bodyOf(substitute, sheet)
    substitute.isMended = body !== sheet.text
    const problem = substitute.isMended ? newProblem(request, body, sheet) : undefined
    if (problem === undefined) return settle(substitute, incoming, substitute.isMended ? mends : [])
    return original(
      substitute,
      incoming,
      isForeign,
      `the provider would refuse the mended request: ${problem}`,
    )
  }

  /** Adds markers, notes what was sent, and returns it. */
  function settle(
    substitute: Substitute,
    { request, sheet, snapshot }: ReadRequest,
    mends: readonly Mend[],
    fellBack?: string,
  ): MendedRequest {
    const isMarking = policy.breakpoints === true && sheet.dialect === "anthropic"
    const parts = partsOf(sheet, substitute)
    const isWhole = Boolean(field(sheet.body, "cache_control"))
    const marking = isMarking ? marked(parts, substitute.marks, isWhole) : { parts, marks: [], added: [] }
    const body = compose(sheet, marking.parts)
    const result: MendedRequest = {
      body: substitute.asksToDrop ? askingToDrop(body) : body,
      mends: [
        ...mends,
        ...smooshesOf(substitute, sheet),
        ...(substitute.asksToDrop ? [ASKS_TO_DROP] : []),
        ...marking.added.map(addedMarker),
      ],
      ...(fellBack !== undefined && { fellBack }),
      ...(substitute.asksToDrop && { betas: [BINDING_BETA] }),
    }
    substitute.original = sheet
    substitute.path = request.path
    substitute.formerMarks = substitute.marks
    substitute.marks = marking.marks
    substitute.strand.tip = snapshot
    substitute.strand.calls++
    substitute.last = { body: request.body, result }
    keep(substitute)
    return result
  }
}

const NOTHING_HELD = { tools: undefined, system: undefined, head: undefined } as const

function bodyOf(substitute: Substitute, sheet: Sheet): string {
  const body = compose(sheet, partsOf(sheet, substitute))
  return substitute.asksToDrop ? askingToDrop(body) : body
}

/** Gives the conversation as the harness wrote it, without thinking of other bytes where the model would refuse it. */
function thoughtless(sheet: Sheet, isForeign: boolean): Unthought {
  if (isForeign && tiesThinking(sheet)) return withoutThinking(sheet)
  return { sent: asWritten(sheet), asksToDrop: false, mends: [] }
}

function addedMarker(path: string): Mend {
  return { policy: "breakpoints", path, message: "A cache marker is added: none was within reach." }
}

function newProblem(request: OriginalRequest, mended: string, sheet: Sheet): string | undefined {
  const { betas } = request
  const all = betas === undefined ? undefined : [...betas, BINDING_BETA]
  const errors = (body: unknown) =>
    problemsOf(
      { source: "", number: 0, body, ...(all && { betas: all }) },
      sheet.dialect,
      sheet.model,
    ).filter(({ severity }) => severity === "error")
  const found = errors(JSON.parse(mended))
  if (found.length === 0) return undefined
  // Places move with what is inserted; what is wrong stays the same.
  const kind = ({ message }: { readonly message: string }) => message.replaceAll(/\d+/g, "#")
  const known = new Map<string, number>()
  for (const one of errors(sheet.body)) known.set(kind(one), (known.get(kind(one)) ?? 0) + 1)
  return found.find((one) => {
    const left = known.get(kind(one)) ?? 0
    known.set(kind(one), left - 1)
    return left <= 0
  })?.message
}
