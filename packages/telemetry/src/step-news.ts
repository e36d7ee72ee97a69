import type { Aside, Entry, Reply, Request, Session } from "@sotto/core"

/** What a step did that is worth an event: why an epoch began, what the model was reminded of, what the cache lost. */
export interface StepNews {
  readonly rebases: readonly string[]
  readonly reminders: readonly Pick<Aside, "kind" | "carrier" | "tokens">[]
  readonly breaks: readonly string[]
}

export type StepEntry = Entry & { readonly type: "step" }

/** Finds the step that led to this request. */
export function stepOf(session: Session, request: Request): StepEntry | undefined {
  const step = session.log.findLast((entry) => entry.type === "step")
  return step?.type === "step" && step.request === request.id ? step : undefined
}

export function newsOf(session: Session, request: Request, step: StepEntry): StepNews {
  const told = session.asides(1).filter((aside) => aside.turn === step.turn && aside.step === step.step)
  return {
    rebases: (step.epoch?.reasons ?? []).filter((reason) => reason !== "start"),
    reminders: told,
    breaks: step.epoch === undefined ? breaksOf(request) : [],
  }
}

/** Computes how long the messages waited that a step delivered, in seconds, and what they were. */
export function waitsOf(session: Session, { at, delivered }: StepEntry) {
  const ids = new Set(delivered.map(({ id }) => id))
  const said = ids.size === 0 ? [] : session.log.filter((entry) => entry.type === "said" && ids.has(entry.id))
  return said.flatMap((entry) =>
    entry.type === "said"
      ? [{ seconds: (at - entry.at) / 1000, origin: entry.origin.kind, delivery: entry.delivery }]
      : [],
  )
}

/**
 * Finds what Anthropic's cache loses within an epoch although nothing that was sent has changed. Sotto itself breaks no
 * prefix: a rebase is told as what it is.
 */
function breaksOf(request: Request): readonly string[] {
  const { pins, previous, messages, toolChoice } = request
  if (pins.dialect !== "anthropic" || previous === 0) return []
  const hasImage = (content: readonly { readonly type: string }[]): boolean =>
    content.some((block) => block.type === "image" || ("content" in block && hasImage(block.content as [])))
  const isFirstImage = () =>
    messages.slice(previous).some(({ content }) => hasImage(content)) &&
    ![...messages].slice(0, previous).some(({ content }) => hasImage(content))
  return [...(toolChoice === "none" ? ["tool_choice"] : []), ...(isFirstImage() ? ["images"] : [])]
}

/** What providers say when they cannot tell. */
const UNKNOWN = /^(pending|unanswered|unavailable)$|_not_found$/

/** Gives what the provider says that its cache did not have, where it was asked (`cacheDiagnostics`). */
export function breakIn({
  diagnostics,
}: Reply): { readonly reason: string; readonly tokens?: number } | undefined {
  const { reason, tokens } = diagnostics ?? {}
  if (reason === undefined || UNKNOWN.test(reason)) return undefined
  return { reason, ...(tokens !== undefined && { tokens }) }
}
