import type { Reply, Request } from "@sotto/core"
import type { Environment } from "../platform/workspace/folders.js"
import { callModel } from "./call.js"
import { ModelError } from "./error.js"
import { InputProgress } from "./input-progress.js"
import { type CallEvent, ModelFailure, type ModelLink } from "./model-link.js"
import { explained } from "./provider-errors.js"
import type { Bounds } from "./reply-reader.js"
import { type ResolveOptions, resolveModel } from "./resolve.js"
import { type RetryEvent, type RetryOptions, withRetry } from "./retry.js"
import type { ModelTarget } from "./target.js"

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
    const { signal, after, onDelta, onPartial, onRetry, onAnswerer } = listen
    const { bounds, sleep, cacheDiagnostics } = this.#options
    const target = this.target(request.pins.model)
    const asksWhy = cacheDiagnostics === true && target.dialect === "anthropic"
    const diagnostics = { previous_message_id: request.previousMessage ?? null }
    const explain = (error: ModelError) => explained(error, target, this.#env)
    const once = () => {
      const incoming = new InputProgress(onDelta)
      return callModel(target, request, {
        signal,
        after,
        bounds,
        onPartial,
        ...(onAnswerer && { onAnswerer }),
        ...(asksWhy && { encode: { extra: { diagnostics } } }),
        onDelta: (delta) => {
          if (delta.type === "text" || delta.type === "reasoning")
            onDelta({ type: delta.type, text: delta.text })
          else incoming.hear(delta)
        },
      })
    }
    try {
      return await withRetry(once, {
        signal,
        onRetry: (event) => onRetry(retried(event, explain(event.error)), event.error.kind),
        ...(sleep && { sleep }),
      })
    } catch (error) {
      if (error instanceof ModelError)
        throw new ModelFailure(explain(error), error.refusedCarrier, error.overflow, error.kind)
      throw error
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#targets.values()].map((target) => target.close()))
  }
}

function retried({ attempt, delay }: RetryEvent, reason: string): CallEvent {
  return { type: "retry", attempt, reason, seconds: Math.round(delay / 100) / 10 }
}
