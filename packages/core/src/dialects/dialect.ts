import type { Carrier } from "../vocabulary/capabilities.js"
import { reasonOf, SottoError } from "../vocabulary/errors.js"
import { field, isFields } from "../vocabulary/fields.js"
import { isStorable, type Json } from "../vocabulary/json.js"
import type { AssistantPart, ToolCallPart, Verbatim } from "../vocabulary/message.js"
import type { DialectName } from "../vocabulary/model.js"
import type { ModelSettings } from "../vocabulary/model-settings.js"
import type { Reply } from "../vocabulary/reply.js"
import type { Request } from "../vocabulary/request.js"

/**
 * What a harness may set for a request beside the conversation. `temperature`, `topP` and `think` count more than what
 * the agent and the model say, and are left out where the model would refuse them.
 */
export interface EncodeOptions extends Omit<ModelSettings, "options"> {
  /** The most that the model may write. */
  readonly maxTokens?: number
  /** True for a reply that streams. */
  readonly stream?: boolean
  /**
   * True asks the provider what of the request its cache did not have, and why: Anthropic's API, and OpenAI's Responses
   * where it takes breakpoints. The others cannot be asked.
   */
  readonly cacheDiagnostics?: boolean
  /** Further fields of the provider's body, as they are. */
  readonly extra?: { readonly [field: string]: Json }
}

/** Gives the settings of a request: the options count more than what it was pinned to. */
export function tuningFor({ pins, sampling }: Request, options: EncodeOptions): ModelSettings {
  const { temperature = sampling?.temperature, topP = sampling?.topP, think = pins.think } = options
  return {
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { topP }),
    ...(think !== undefined && { think }),
    ...(pins.options && { options: pins.options }),
  }
}

/** Fields that the agent asks for in the provider's own words, over Sotto's; what `merged` name keeps what both say. */
export function withOptions(
  fields: object,
  options: ModelSettings["options"],
  ...merged: readonly string[]
): object {
  const both = merged.flatMap((name) => {
    const [ours, theirs] = [field(fields, name), field(options, name)]
    return typeof ours === "object" && typeof theirs === "object" ? [[name, { ...ours, ...theirs }]] : []
  })
  return { ...fields, ...options, ...Object.fromEntries(both) }
}

/** Refuses another dialect than the one the request was placed for: it would write what its provider may not take. */
export function checkDialect({ pins }: Request, dialect: DialectName): void {
  if (pins.dialect === undefined || pins.dialect === dialect) return
  throw new SottoError(
    "wrong-dialect",
    `The request is for the dialect "${pins.dialect}", not for "${dialect}".`,
    `Encode it with "${pins.dialect}", or switchModel({ id, dialect: "${dialect}" }) before.`,
  )
}

/** What a stream brings, as it comes. */
export type Delta =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string }
  | { readonly type: "tool-call-start"; readonly id: string; readonly name: string }
  /** A piece of the JSON of a call's input. */
  | { readonly type: "tool-input"; readonly id: string; readonly text: string }
  | { readonly type: "tool-call"; readonly id: string; readonly name: string; readonly input: Json }

/** What a validator has to say about a body. The provider would accept a body whose problems are all notes. */
export interface Problem {
  /** Where, as a path into the body: "messages.3.content.0". */
  readonly path: string
  /** In the provider's words, as far as they are known. */
  readonly message: string
  /** An error breaks a documented rule: the provider refuses the request. A note names what no published schema knows. */
  readonly severity: "error" | "note"
  /** Refused because of how a reminder travels: another carrier would do. */
  readonly carrier?: Carrier
}

/** What is said of a request beside its body, as far as a validator can use it. */
export interface Sent {
  /** Gemini's is in the address. */
  readonly model?: string
  /** What the header `anthropic-beta` lists. */
  readonly betas?: readonly string[]
}

const RETRY = "Send the same bytes again."

/** The provider answered with an error, in a response or in the middle of a stream. */
export class ProviderError extends SottoError {
  override readonly name = "ProviderError"

  constructor(
    message: string,
    /** The provider's own word for it: "overloaded_error". */
    readonly kind: string,
    /** Worth trying again with the same bytes. */
    readonly retryable: boolean,
  ) {
    const remedy = retryable ? RETRY : "Change the request."
    super("provider-error", message, remedy, message)
  }
}

/** Something came that is not how the API says a reply looks. Nothing of that reply may be taken as said. */
export class MalformedReply extends SottoError {
  override readonly name = "MalformedReply"

  constructor(message: string) {
    super("malformed-reply", message, RETRY, message)
  }
}

/** Reads a reply as it streams: the data of each server-sent event, in order. */
export interface Decoder {
  /** Throws ProviderError for an error of the provider, MalformedReply for an event that cannot be right. */
  push(event: unknown): readonly Delta[]
  /** True once the reply has ended in the way its API says that a reply ends. */
  ended(): boolean
  /** Returns what has come so far, for an interrupt. Cheap enough to be asked after every event. */
  soFar(): Reply
  /** Returns the whole reply. Throws a SottoError, "cut-reply", if the stream stopped before the reply had ended. */
  end(): Reply
}

/** Completes a decoder: `last` names the event that ends a stream of this API. An error of `push` is also one of `end`. */
export function decoderOf(
  push: Decoder["push"],
  ended: () => boolean,
  soFar: () => Reply,
  last: string,
): Decoder {
  let broken: unknown
  return {
    push: (event) => {
      try {
        return readable(() => push(event))
      } catch (error) {
        broken ??= error
        throw error
      }
    },
    ended,
    soFar: () => readable(soFar),
    end: () => {
      if (broken !== undefined) throw broken
      if (ended()) return readable(soFar)
      throw new SottoError(
        "cut-reply",
        `The stream stopped before the reply had ended: ${last} is missing.`,
        `${RETRY} Or hand soFar() to session.partial, and abort.`,
      )
    },
  }
}

/** Reads what came over the network: whatever goes wrong, the reply is to blame. */
export function readable<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw error instanceof SottoError ? error : new MalformedReply(reasonOf(error))
  }
}

/** Reads the data of a server-sent event that has to be an object. */
export function eventObject(event: unknown): object {
  const data = eventData(event)
  if (!isFields(data)) throw new MalformedReply("an event is no object")
  if (!isStorable(data)) throw new MalformedReply("it has a number or a nesting without end")
  return data
}

/** Reads the data of a server-sent event, whether it comes parsed, as text, or still in its envelope. */
export function eventData(event: unknown): unknown {
  const text = typeof event === "string" ? event : isEnvelope(event) ? event.data : undefined
  if (typeof text !== "string") return event
  if (text.trim() === "[DONE]") return "[DONE]"
  return JSON.parse(text)
}

/**
 * True for an envelope, which holds its data itself. Google's SDK has a getter of that name on its chunks, and it means
 * images.
 */
function isEnvelope(event: unknown): event is { readonly data: unknown } {
  return (
    event !== null &&
    typeof event === "object" &&
    field(event, "type") === undefined &&
    Object.hasOwn(event, "data")
  )
}

/**
 * Makes a call of what a stream brought. If the input was cut off or is not JSON and the stream is complete, the model
 * has to be told; if the stream is not complete, it makes no call.
 */
export function callPart(
  { id, name }: Pick<ToolCallPart, "id" | "name">,
  text: string,
  input: Json | undefined,
  done: boolean,
): ToolCallPart {
  if (done && input !== undefined) return { type: "tool-call", id, name, input }
  return { type: "tool-call", id, name, input: { malformed: text }, ...(!done && { unfinished: true }) }
}

/**
 * Finds the form of a provider's own block in which the provider takes it back: the block itself, if that is legal,
 * else a stand-in, or undefined if neither exists. What it returns is legal as it is.
 */
export type Legal<Block> = (block: Json) => Block | undefined

/** Keeps a block as it came, and what goes back instead where it must not. */
export function verbatimOf(dialect: string, found: unknown, legal: Legal<unknown>): Verbatim {
  const block = (found ?? null) as Json
  const sent = legal(block) as Json | undefined
  return { dialect, block, ...(sent !== block && { sent: sent ?? null }) }
}

/** Gives what goes back for the own block of a part. Checks it again: it may be of an older log, or made by hand. */
export function ownBlock<Block>(
  { verbatim }: AssistantPart,
  dialect: string,
  legal: Legal<Block>,
): Block | undefined {
  if (verbatim?.dialect !== dialect) return undefined
  return legal(verbatim.sent === undefined ? verbatim.block : verbatim.sent)
}
