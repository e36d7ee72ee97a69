import type { RequestSeen } from "@sotto/rehearsal"
import type { Ink, InkPiece } from "../screen/ink.js"
import { counted, whole } from "./figures.js"

export function seenLine(seen: RequestSeen, ink: Ink): readonly InkPiece[] {
  const what = `${seen.dialect} ${modelOf(seen)} ${seen.status}`
  if (seen.error !== undefined) return [what, " ", ink.red(`refused: ${placed(seen.error)}`)]
  const notes = seen.problems.map(({ path, message }) => `note: ${placed({ param: path, message })}`)
  const cut =
    seen.cut === undefined
      ? []
      : [`connection cut ${seen.cut === "before" ? "before" : "in the middle of"} the answer`]
  const more = [...cacheOf(seen), ...cut, ...notes]
  return [what, ...(more.length > 0 ? [ink.dim(` · ${more.join(" · ")}`)] : [])]
}

/** Counts what a run of the rehearsal has served. */
export class RehearsalTally {
  requests = 0
  refused = 0
  notes = 0
  read = 0
  written = 0
  missed = 0
  /** Each reason for a refusal, and how often. */
  readonly #reasons = new Map<string, number>()

  add(seen: RequestSeen): void {
    this.requests++
    this.notes += seen.problems.filter(({ severity }) => severity === "note").length
    this.read += seen.cache?.read ?? 0
    this.written += seen.cache?.written ?? 0
    this.missed += seen.cache?.missed ?? 0
    if (!isRefusal(seen)) return
    this.refused++
    const reason = placed(seen.error)
    this.#reasons.set(reason, (this.#reasons.get(reason) ?? 0) + 1)
  }

  get reasons(): readonly { readonly reason: string; readonly times: number }[] {
    return [...this.#reasons].map(([reason, times]) => ({ reason, times }))
  }

  lines(): readonly string[] {
    const cache = `${whole(this.read)} tokens read from the cache, ${whole(this.written)} written, ${whole(this.missed)} missed`
    return [
      `${counted(this.requests, "request")}, ${whole(this.refused)} refused, ${counted(this.notes, "note")}; ${cache}.`,
      ...this.reasons.map(
        ({ reason, times }) => `  refused ${times === 1 ? "once" : `${times} times`}: ${reason}`,
      ),
    ]
  }
}

export function seenReport(requests: readonly RequestSeen[], tally: RehearsalTally): object {
  const { requests: count, refused, notes, read, written, missed, reasons } = tally
  return {
    version: 1,
    requests: count,
    refused,
    notes,
    cache: { read, written, missed },
    reasons,
    seen: requests,
  }
}

/** True if the client is at fault; an error that a script or a client asked for does not count. */
function isRefusal(seen: RequestSeen): seen is RequestSeen & { error: NonNullable<RequestSeen["error"]> } {
  const { error } = seen
  return error !== undefined && !seen.rehearsed
}

function placed({ param, message }: { readonly param?: string; readonly message: string }): string {
  return param === undefined || param === "" || message.startsWith(param) ? message : `${param}: ${message}`
}

function cacheOf({ cache }: RequestSeen): readonly string[] {
  if (cache === undefined) return []
  const missed = cache.missed > 0 ? `, ${whole(cache.missed)} missed` : ""
  return [`${whole(cache.read)} tokens read, ${whole(cache.written)} written${missed}`]
}

function modelOf({ body, path }: RequestSeen): string {
  const inPath = /\/models\/([^:/?]+)/.exec(path)?.[1]
  const model = typeof body === "object" && body !== null && "model" in body ? body.model : undefined
  return inPath ?? (typeof model === "string" ? model : "")
}
