import type { Reply } from "@sotto/core"

type Anthropic = typeof import("@sotto/core/anthropic")

/** What a stream brings, as it comes. */
export type Delta = ReturnType<ReturnType<Anthropic["decoder"]>["push"]>[number]

/** What may be set for a request beside the conversation. */
export type EncodeOptions = NonNullable<Parameters<Anthropic["encodeBytes"]>[1]>

/** What a call needs of a dialect. */
export type Dialect = Pick<Anthropic, "encodeBytes" | "decoder" | "refusedCarrier"> & {
  decode(response: unknown): Reply
}

export type DialectName = "anthropic" | "openai" | "openai-chat" | "gemini"

/** Only the dialect that is spoken is loaded. */
export function loadDialect(name: DialectName): Promise<Dialect> {
  switch (name) {
    case "anthropic":
      return import("@sotto/core/anthropic")
    case "openai":
      return import("@sotto/core/openai")
    case "openai-chat":
      return import("@sotto/core/openai-chat")
    case "gemini":
      return import("@sotto/core/gemini")
  }
}

/** An error as the dialects throw it, for what a provider says in a response or in the middle of a stream. */
interface ProviderError extends Error {
  readonly kind: string
  readonly retryable: boolean
}

/** By its shape: core keeps the class to itself. */
export function isProviderError(error: unknown): error is ProviderError {
  return error instanceof Error && error.name === "ProviderError" && "kind" in error && "retryable" in error
}
