import type { Reply, Request } from "@sotto/core"

type Anthropic = typeof import("@sotto/core/anthropic")

/** What a call needs of a dialect. */
export type Dialect = Pick<Anthropic, "encodeBytes" | "decoder" | "refusedCarrier"> & {
  decode(response: unknown): Reply
  /** What has to be asked for beside the body. */
  betasOf?(request: Request): readonly string[]
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
