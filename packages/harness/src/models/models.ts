import type { Delta, Reply, Request } from "@sotto/core"
import type { Environment } from "../platform/workspace/folders.js"
import { callModel } from "./call.js"
import { ModelError } from "./error.js"
import { type CallEvent, ModelFailure, type ModelLink } from "./model-link.js"
import { explained } from "./provider-errors.js"
import type { Bounds } from "./reply-reader.js"
import { type ResolveOptions, resolveModel } from "./resolve.js"
import { type RetryEvent, type RetryOptions, withRetry } from "./retry.js"
import type { ModelTarget } from "./target.js"

/** Characters of an input that have to come before it is told of again. */
const STEP = 200
/** What a call is about stands at the beginning of its input. */
const BEGINNING = 2_000
const ABOUT = /"(?:path|file_path|file|command|pattern|url|name)"\s*:\s*"((?:[^"\\]|\\.)*)/

/** Follows the inputs of calls while the model writes them, and tells how much of each has come. */
class InputProgress {
  readonly #calls = new Map<string, { readonly name: string; text: string; size: number; told: number }>()
  readonly #tell: (event: CallEvent) => void

  constructor(tell: (event: CallEvent) => void) {
    this.#tell = tell
  }

  hear(delta: Delta): void {
    if (delta.type === "tool-call-start") {
      this.#calls.set(delta.id, { name: delta.name, text: "", size: 0, told: 0 })
      this.#tell({ type: "tool-input", id: delta.id, name: delta.name, size: 0 })
    } else if (delta.type === "tool-input") this.#grow(delta.id, delta.text)
  }

  #grow(id: string, text: string): void {
    const call = this.#calls.get(id)
    if (call === undefined) return
    call.size += text.length
    if (call.text.length < BEGINNING) call.text += text.slice(0, BEGINNING)
    if (call.size - call.told < STEP) return
    call.told = call.size
    const about = aboutOf(call.text)
    this.#tell({
      type: "tool-input",
      id,
      name: call.name,
      size: call.size,
      ...(about !== undefined && { about }),
    })
  }
}

function aboutOf(beginning: string): string | undefined {
  const quoted = ABOUT.exec(beginning)?.[1]
  if (quoted === undefined || quoted === "") return undefined
  try {
    return String(JSON.parse(`"${quoted}"`))
  } catch {
    return undefined
  }
}

export interface ModelsOptions extends ResolveOptions {
  readonly bounds?: Bounds
  /** How the time between two attempts passes. */
  readonly sleep?: RetryOptions["sleep"]
  /** Anthropic's and OpenAI's APIs are asked what of a request they did not find in their cache, and why. */
  readonly cacheDiagnostics?: boolean
}

/** Reaches whatever model a request names, and gives back what was started for them. */
export class Models implements ModelLink {
  readonly #targets = new Map<string, ModelTarget>()
  /** Those that refused the question: for the rest of this process they are not asked again. */
  readonly #undiagnosed = new WeakSet<ModelTarget>()
  readonly #missing = new Set<string>()
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

  /** True if the provider has answered that it has no such model, or none for this key. */
  isMissing(name: string): boolean {
    return this.#missing.has(name)
  }

  async call(request: Request, listen: Parameters<ModelLink["call"]>[1]): Promise<Reply> {
    const { signal, after, onDelta, onPartial, onRetry, onCharged, onAnswerer } = listen
    const { bounds, sleep, cacheDiagnostics } = this.#options
    const target = this.target(request.pins.model)
    // A side request is no link of the chain: the next step is compared with the one before.
    const isDiagnosable =
      cacheDiagnostics === true && request.side === undefined && canDiagnose(target, request)
    const asksWhy = () => isDiagnosable && !this.#undiagnosed.has(target)
    const explain = (error: ModelError) => explained(error, target, this.#env)
    const once = async (): Promise<Reply> => {
      const incoming = new InputProgress(onDelta)
      let said: (() => Reply) | undefined
      let id: string | undefined
      const call = callModel(target, request, {
        signal,
        after,
        bounds,
        onPartial: (soFar) => {
          said = soFar
          onPartial(soFar)
        },
        ...((onAnswerer || asksWhy()) && {
          onAnswerer: (answerer) => {
            id = answerer.id
            onAnswerer?.(answerer)
          },
        }),
        ...(asksWhy() && { encode: { cacheDiagnostics: true } }),
        onDelta: (delta) => {
          if (delta.type === "text" || delta.type === "reasoning")
            onDelta({ type: delta.type, text: delta.text })
          else incoming.hear(delta)
        },
      })
      try {
        const reply = await call
        this.#missing.delete(target.name)
        return asksWhy() && target.dialect === "openai" ? withMessage(reply, id, request) : reply
      } catch (error) {
        if (error instanceof ModelError && error.status === 404) this.#missing.add(target.name)
        if (asksWhy() && refusesQuestion(error)) {
          this.#undiagnosed.add(target)
          return once()
        }
        const { usage, parts = [] } = said?.() ?? {}
        // A provider charges for what it has begun to say.
        if (!signal.aborted && (usage !== undefined || parts.length > 0)) onCharged?.(usage)
        throw error
      }
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

  /** Looks keys and addresses up anew from here on. */
  forget(): void {
    for (const [name, { close }] of this.#targets) {
      this.#targets.delete(name)
      void close()
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#targets.values()].map((target) => target.close()))
  }
}

/** True if a request can ask about the cache: Anthropic's API knows how, and OpenAI's where it can be given breakpoints. */
function canDiagnose({ dialect }: ModelTarget, { pins }: Request): boolean {
  return dialect === "anthropic" || (dialect === "openai" && pins.capabilities.cacheBreakpoints === true)
}

/** Keeps the id of a reply of OpenAI's that says nothing of the cache, as the first does: the next request names it. */
function withMessage(reply: Reply, id: string | undefined, { previousMessage }: Request): Reply {
  if (reply.diagnostics !== undefined || id === undefined) return reply
  const reason = previousMessage === undefined ? {} : { reason: "unanswered" }
  return { ...reply, diagnostics: { message: id, ...reason } }
}

/** True for the error of a gateway that does not take the question. */
function refusesQuestion(error: unknown): boolean {
  if (!(error instanceof ModelError) || (error.status !== 400 && error.status !== 422)) return false
  return /\b(diagnostics|previous_message_id|comparison_response_id)\b/.test(error.message)
}

function retried({ attempt, delay }: RetryEvent, reason: string): CallEvent {
  return { type: "retry", attempt, reason, seconds: Math.round(delay / 100) / 10 }
}
