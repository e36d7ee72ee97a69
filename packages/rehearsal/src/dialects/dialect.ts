import type { HttpDialectName, Json, Problem } from "@sotto/core"
import type { ReadConversation } from "../conversation/conversation.js"
import type { ErrorResponse, PlainError } from "../reply/failure.js"
import type { ServerSentEvent } from "../reply/frame.js"
import type { ScriptedReply } from "../reply/reply.js"

export type { HttpDialectName } from "@sotto/core"

/** What is said of a request beside its body: Gemini's model and its streaming are in the address. */
export interface RequestAddress {
  readonly model?: string
  readonly stream?: boolean
  /** What the header `anthropic-beta` lists. */
  readonly betas?: readonly string[]
}

/** One provider's API: how it is read, how it answers, and how it refuses. */
export interface ProviderApi {
  readonly name: HttpDialectName
  validate(body: unknown, address: RequestAddress): readonly Problem[]
  read(body: unknown, address: RequestAddress): ReadConversation
  /** What reasoning in the answer to this body is signed with. The text is given where the answer holds one of them. */
  sign(body: unknown, reasoning?: string): string
  /** What an answer is known by, as a header; errors have the same. */
  headers(requestId: string): Readonly<Record<string, string>>
  callId(key: string, index: number): string
  response(reply: ScriptedReply, body: unknown): Json
  frames(reply: ScriptedReply, body: unknown): readonly ServerSentEvent[]
  error(error: PlainError): ErrorResponse
  /** The error that ends a stream which has begun. */
  errorFrame(error: PlainError, position: number): ServerSentEvent
  /** How the API refuses a prompt that is longer than the model's window. */
  tooLong(tokens: number, window: number): Pick<PlainError, "message" | "param" | "code">
  /** What a server says that takes no system message in mid-conversation. */
  readonly refusesSystem: string
  models(ids: readonly string[]): Json
  model(id: string): Json
  /** The answer of the endpoint that only counts tokens. */
  counted(tokens: number): Json
}
