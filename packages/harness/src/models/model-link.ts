import type { Reply, Request, Session, Usage } from "@sotto/core"
import type { Answerer } from "./answerer.js"

/** What is heard of a call while it is under way. */
export type CallEvent =
  | { readonly type: "text" | "reasoning"; readonly text: string }
  /** A call that the model is still writing: how many characters of its input have come, and what it is about. */
  | {
      readonly type: "tool-input"
      readonly id: string
      readonly name: string
      readonly size: number
      readonly about?: string
    }
  | { readonly type: "retry"; readonly attempt: number; readonly reason: string; readonly seconds: number }

/** How a request reaches a model. Throws ModelFailure when it cannot. */
export interface ModelLink {
  call(
    request: Request,
    listen: {
      readonly signal: AbortSignal
      /** Asked before each attempt, when it is ready: nothing leaves before it resolves. The call fails as it does. */
      readonly after?: (() => Promise<void>) | undefined
      onDelta(event: CallEvent): void
      /** Handed a way to read what was said so far. */
      onPartial(said: () => Reply): void
      /** Tells of a retry. `kind` is the provider's own word for the failure. */
      onRetry(event: CallEvent, kind?: string): void
      /**
       * Told of an attempt that the provider charges for although it brought no reply, with what the provider has counted.
       * An attempt that the signal ends is not told: the caller has what it said.
       */
      onCharged?(usage: Usage | undefined): void
      /** Told who answers, if the provider says it. */
      onAnswerer?(answerer: Answerer): void
    },
  ): Promise<Reply>
}

/** A request that failed for good, or because of how a reminder travelled. */
export class ModelFailure extends Error {
  override readonly name = "ModelFailure"

  constructor(
    message: string,
    readonly refusedCarrier: Parameters<Session["refuseCarrier"]>[0] | undefined,
    /** The conversation is longer than the model takes. */
    readonly overflow = false,
    /** The provider's own word for it, or Sotto's: see ModelError. */
    readonly kind?: string,
  ) {
    super(message)
  }
}
