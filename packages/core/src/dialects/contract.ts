import type { Capabilities, Carrier } from "../vocabulary/capabilities.js"
import type { Reply } from "../vocabulary/reply.js"
import type { Request } from "../vocabulary/request.js"
import type { Decoder, EncodeOptions, Problem } from "./dialect.js"

/**
 * One provider's wire format. `@sotto/core/anthropic`, `/openai`, `/openai-chat`, `/gemini` and `/ai-sdk` are dialects,
 * and an object of your own with these members is another: see docs/own-dialect.md.
 *
 * @example
 * ```ts run
 * import type { Dialect } from "@sotto/core"
 * import * as anthropic from "@sotto/core/anthropic"
 * import * as gemini from "@sotto/core/gemini"
 *
 * const dialects: readonly Dialect[] = [anthropic, gemini]
 * console.log(dialects.map(({ name }) => name).join(" and "))
 * ```
 */
export interface Dialect<Body = unknown, Options = EncodeOptions> {
  /** What the dialect is called, and what the `verbatim` of the parts that it decodes names. */
  readonly name: string
  /** What the format takes whatever the model, for `model.capabilities`. */
  readonly capabilities?: Partial<Capabilities>
  /** The body of a request, as a plain object of the provider's type. Pure: the same request gives the same body. */
  encode(request: Request, options?: Options): Body
  /** The same body as pieces of bytes, reusing what was encoded before. `encoderOf` makes both from one layout. */
  encodeBytes?(request: Request, options?: Options): readonly Uint8Array[]
  /** What a whole response says. Throws `ProviderError` or `MalformedReply`. */
  decode(response: unknown): Reply
  /** Reads a response as it streams. */
  decoder?(): Decoder
  /** What the provider would object to in a body. Without an error it would accept it. */
  validate(body: unknown): readonly Problem[]
  /** The carrier that an error says the model does not take: hand it to `session.refuseCarrier`. */
  refusedCarrier?(error: unknown): Carrier | undefined
}
