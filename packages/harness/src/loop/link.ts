import type { Reply, Request } from "@sotto/core"
import { callModel } from "../models/call.js"
import { ModelError } from "../models/error.js"
import type { Bounds } from "../models/reading.js"
import { type Environment, type ResolveOptions, resolveModel } from "../models/resolve.js"
import { type RetryEvent, type RetryOptions, withRetry } from "../models/retry.js"
import type { ModelTarget } from "../models/target.js"
import type { HarnessEvent } from "./events.js"
import { ModelFailure, type ModelLink } from "./model-link.js"

export interface ModelsOptions extends ResolveOptions {
  readonly bounds?: Bounds
  /** How the time between two attempts passes. */
  readonly sleep?: RetryOptions["sleep"]
  /** Anthropic's API is asked what of a request it did not find in its cache, and why. */
  readonly cacheDiagnostics?: boolean
}

/** Reaches whatever model a request names, and gives back what was started for them. */
export class Models implements ModelLink {
  readonly #targets = new Map<string, ModelTarget>()
  readonly #env: Environment
  readonly #options: ModelsOptions

  constructor(env: Environment, options: ModelsOptions = {}) {
    this.#env = env
    this.#options = options
  }

  /** Throws ModelSetupError for a name that cannot be used, before anything is asked of it. */
  target(name: string): ModelTarget {
    const known = this.#targets.get(name) ?? resolveModel(name, this.#env, this.#options)
    this.#targets.set(name, known)
    return known
  }

  async call(request: Request, listen: Parameters<ModelLink["call"]>[1]): Promise<Reply> {
    const { signal, after, onDelta, onPartial, onRetry } = listen
    const { bounds, sleep, cacheDiagnostics } = this.#options
    const target = this.target(request.pins.model)
    const asksWhy = cacheDiagnostics === true && target.dialect === "anthropic"
    const diagnostics = { previous_message_id: request.previousMessage ?? null }
    const once = () =>
      callModel(target, request, {
        signal,
        after,
        bounds,
        onPartial,
        ...(asksWhy && { encode: { extra: { diagnostics } } }),
        onDelta: (delta) => {
          if (delta.type === "text" || delta.type === "reasoning")
            onDelta({ type: delta.type, text: delta.text })
        },
      })
    try {
      return await withRetry(once, {
        signal,
        onRetry: (event) => onRetry(retried(event)),
        ...(sleep && { sleep }),
      })
    } catch (error) {
      if (error instanceof ModelError)
        throw new ModelFailure(error.message, error.refusedCarrier, error.overflow)
      throw error
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#targets.values()].map((target) => target.close()))
  }
}

function retried({ attempt, delay, error }: RetryEvent): HarnessEvent {
  return { type: "retry", attempt, reason: error.message, seconds: Math.round(delay / 100) / 10 }
}
