import type { Aside, CompactionCause, CompactionSize, Entry, Json, Session, Usage } from "@sotto/core"
import { usageRowOf } from "@sotto/core/economy"
import type { TrustItem } from "../../settings/trust/item.js"
import { type AttachedEvent, attachedBy } from "./attached.js"
import type { Question } from "./questions.js"
import { searchesIn } from "./searches.js"

/** Names the session, before all other events. */
interface SessionIdEvent {
  readonly type: "session"
  readonly id: string
}

/** What a rewind, an undo or a redo did to files, or would do. Paths are relative to the workspace where they are inside. */
export interface RestoreReport {
  /** What came back, and what became of it: `removed` if nothing was there before, `made` if it had been removed. */
  readonly restored: readonly { readonly path: string; readonly is: "changed" | "made" | "removed" }[]
  /** What another program has changed since: it was left. */
  readonly conflicts: readonly { readonly path: string; readonly why: string }[]
  /** What cannot come back. */
  readonly lost: readonly { readonly path: string; readonly why: string }[]
  /** What else is not covered, in words. */
  readonly notices: readonly string[]
}

/** Tells what became of files when the conversation went back or forward. */
interface RestoredEvent extends RestoreReport {
  readonly type: "restored"
  /** Nothing was done: this is what would be. */
  readonly preview?: true
}

/** What happens in a conversation, for the programs that show it. The JSONL output is these, one a line. */
export type HarnessEvent =
  | SessionIdEvent
  /** What the folder brings along and was left out, because the user does not trust the folder. */
  | { readonly type: "untrusted"; readonly items: readonly TrustItem[] }
  | { readonly type: "step"; readonly n: number }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string }
  | { readonly type: "tool-call"; readonly id: string; readonly name: string; readonly input: Json }
  /** A call that the model is still writing: how many characters of its input have come, and what it is about. */
  | {
      readonly type: "tool-input"
      readonly id: string
      readonly name: string
      readonly size: number
      readonly about?: string
    }
  | { readonly type: "tool-result"; readonly id: string; readonly output: string; readonly error?: true }
  /** What the provider has searched the web for, while it answered. Told once the reply is there. */
  | { readonly type: "search"; readonly query: string }
  | { readonly type: "progress"; readonly id: string; readonly line: string }
  | { readonly type: "queued"; readonly id: string }
  | AttachedEvent
  | { readonly type: "delivered"; readonly id: string; readonly step: number }
  | { readonly type: "cancelled"; readonly id: string }
  | ({ readonly type: "reminder" } & Pick<Aside, "kind" | "step" | "carrier" | "tokens" | "text">)
  | ({ readonly type: "ask" } & Question)
  | { readonly type: "agent"; readonly name: string }
  | CompactedEvent
  | { readonly type: "rebase"; readonly reason: string }
  | { readonly type: "rewound"; readonly to: string }
  | { readonly type: "redone" }
  | RestoredEvent
  | UsageEvent
  | { readonly type: "retry"; readonly attempt: number; readonly reason: string; readonly seconds: number }
  | { readonly type: "interrupted" }
  | {
      readonly type: "turn-end"
      readonly reason: TurnEnd
      readonly steps: number
      /** Of the session and its subagents so far. Absent where the turn is told from the log alone. */
      readonly account?: AccountFigures
    }
  /** Something that the user should know and that stops nothing, such as a server that is slow or wants a login. */
  | { readonly type: "notice"; readonly message: string }
  | { readonly type: "error"; readonly message: string }

/** A compaction is done: from the next request on a summary stands for the conversation so far. */
export interface CompactedEvent extends Partial<CompactionSize> {
  readonly type: "compacted"
  /** Who wanted it. Absent where a program gave the summary and did not say. */
  readonly why?: CompactionCause
  readonly summary: string
  /** What the summary cost, in dollars. Absent if a price is not known, and where it is told from the log alone. */
  readonly cost?: number
}

/** A request that was paid for, as the provider counted it. */
export interface UsageEvent extends Usage {
  readonly type: "usage"
  /** What it was for: "step", or what a request beside the steps was for: "summary", "title", "outcome", "retry". */
  readonly purpose: string
  /** The session of the subagent that made it; absent if the session did itself. */
  readonly session?: string
  /** Of the session and its subagents so far. Absent where the request is told from the log alone. */
  readonly account?: AccountFigures
}

/** What a session and everything that it started has cost so far. */
export interface AccountFigures extends Usage {
  /** Requests that were paid for. */
  readonly requests: number
  /** In dollars; absent if the price of a request is not known. */
  readonly cost?: number
  /** In dollars, of the requests whose price is known; there if the price of another is not. */
  readonly costAtLeast?: number
  /** Requests whose price is not known; absent without one. */
  readonly unpriced?: number
  /** Requests of which the provider did not say what they used; absent without one. */
  readonly uncounted?: number
  /** Models whose own price is not known, each with the model whose price was taken for it; absent without one. */
  readonly assumed?: Readonly<Record<string, string>>
}

/**
 * Why a turn ended. `length`: at the model's limit on output. `overflow`: the context was full, also after a compaction.
 * `limit`: at one that the user has set.
 */
export type TurnEnd =
  | "done"
  | "max-steps"
  | "length"
  | "refused"
  | "filtered"
  | "overflow"
  | "limit"
  | "interrupted"
  | "error"

/** Why a turn is aborted that could not go on. */
export const FAILED = "the model could not be reached"

/** Why a turn is aborted that has used what the user allows. */
export const LIMITED = "a limit was reached"

/** Why a turn is aborted for which the context is too small. */
export const OVERFLOWED = "the context is full"

/** Aborts that the user did not ask for, and whose turn has been told to be over already. */
const ENDINGS: readonly (string | undefined)[] = [FAILED, LIMITED, OVERFLOWED]

/** Tells how a turn ended that was aborted for this reason. */
export function endingAfter(reason: string | undefined): TurnEnd {
  switch (reason) {
    case FAILED:
      return "error"
    case LIMITED:
      return "limit"
    case OVERFLOWED:
      return "overflow"
    default:
      return "interrupted"
  }
}

/** Lists what the model was told beside the conversation, or in the `newest` steps: summaries too, which no rule speaks. */
export function asidesOf(session: Session, newest?: number): readonly Aside[] {
  const summaries = session.summaries(newest)
  const asides = session.asides(newest)
  if (summaries.length === 0) return asides
  return [...summaries, ...asides].sort((a, b) => a.turn - b.turn || a.step - b.step)
}

/** Lists what an entry means to a person who watches. Text and calls are told as they come, not here. */
export function eventsOf(entry: Entry, asides: () => readonly Aside[]): readonly HarnessEvent[] {
  switch (entry.type) {
    case "said":
      return [{ type: "queued", id: entry.id }, ...usageOf(entry)]
    case "cancelled":
      return [{ type: "cancelled", id: entry.id }]
    case "noted": {
      const attached = attachedBy(entry.signal)
      return attached === undefined ? [] : [attached]
    }
    case "agent":
      return [{ type: "agent", name: entry.name }]
    case "rewound":
      return [{ type: "rewound", to: entry.to }]
    case "redone":
      return [{ type: "redone" }]
    case "carrier":
    case "format":
      return [{ type: "rebase", reason: entry.type }]
    case "aborted":
      return [
        ...usageOf(entry),
        ...(ENDINGS.includes(entry.reason) ? [] : [{ type: "interrupted" } as const]),
      ]
    case "compacted": {
      const { why, summary, tokens } = entry
      return [{ type: "compacted", ...(why && { why }), ...tokens, summary }]
    }
    case "replied":
      return [
        ...searchesIn(entry.reply.parts).map((query) => ({ type: "search", query }) as const),
        ...usageOf(entry),
      ]
    case "edited":
    case "ended":
    case "billed":
      return usageOf(entry)
    case "result":
      return [
        {
          type: "tool-result",
          id: entry.callId,
          output: entry.output
            .map((part) => (part.type === "text" ? part.text : `[${part.mediaType}]`))
            .join("\n"),
          ...(entry.error && { error: true }),
        },
      ]
    case "step": {
      const told = asides().filter(({ turn, step }) => turn === entry.turn && step === entry.step)
      const reasons = (entry.epoch?.reasons ?? []).filter((reason) => reason !== "start")
      return [
        ...reasons.map((reason) => ({ type: "rebase", reason }) as const),
        { type: "step", n: entry.step },
        ...entry.delivered.map(({ id }) => ({ type: "delivered", id, step: entry.step }) as const),
        ...told.map(
          ({ kind, step, carrier, tokens, text }) =>
            ({ type: "reminder", kind, step, carrier, tokens, text }) as const,
        ),
      ]
    }
    default:
      return []
  }
}

function usageOf(entry: Entry): readonly UsageEvent[] {
  const row = usageRowOf(entry)
  if (row === undefined || !("usage" in row) || row.usage === undefined) return []
  return [{ type: "usage", purpose: row.is === "billed" ? row.purpose : "step", ...row.usage }]
}
