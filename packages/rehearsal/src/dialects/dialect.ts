import type { Json, Problem } from "@sotto/core"
import type { CachedDialect } from "@sotto/core/cache"
import type { Conversation } from "../conversation/conversation.js"
import type { ApiError, ErrorResponse } from "../reply/failure.js"
import type { Frame } from "../reply/frame.js"
import type { Reply } from "../reply/reply.js"

/** The APIs that the rehearsal speaks. */
export type DialectName = CachedDialect

/** What is said of a request beside its body: Gemini's model and its streaming are in the address. */
export interface Address {
  readonly model?: string
  readonly stream?: boolean
  /** What the header `anthropic-beta` lists. */
  readonly betas?: readonly string[]
}

/** One provider's API: how it is read, how it answers, and how it refuses. */
export interface Dialect {
  readonly name: DialectName
  validate(body: unknown, address: Address): readonly Problem[]
  read(body: unknown, address: Address): Conversation
  /** What reasoning in the answer to this body is signed with. The text is given where the answer holds one of them. */
  sign(body: unknown, reasoning?: string): string
  /** What an answer is known by, as a header; errors have the same. */
  headers(requestId: string): Readonly<Record<string, string>>
  callId(key: string, index: number): string
  response(reply: Reply, body: unknown): Json
  frames(reply: Reply, body: unknown): readonly Frame[]
  error(error: ApiError): ErrorResponse
  /** The error that ends a stream which has begun. */
  errorFrame(error: ApiError, position: number): Frame
  /** How the API refuses a prompt that is longer than the model's window. */
  tooLong(tokens: number, window: number): Pick<ApiError, "message" | "param" | "code">
  /** What a server says that takes no system message in mid-conversation. */
  readonly refusesSystem: string
  models(ids: readonly string[]): Json
  model(id: string): Json
  /** The answer of the endpoint that only counts tokens. */
  counted(tokens: number): Json
}
