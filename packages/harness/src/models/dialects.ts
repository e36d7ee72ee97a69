import type { HttpDialectName, Reply, Request } from "@sotto/core"

type Anthropic = typeof import("@sotto/core/anthropic")

/** What a call needs of a dialect. */
export type DialectCodec = Pick<Anthropic, "encodeBytes" | "decoder" | "refusedCarrier"> & {
  decode(response: unknown): Reply
  /** The API has no word that ends a stream: only the end of the body shows that nothing is missing. */
  readonly endsWithBody?: boolean
  /** True if an error says that the server takes no cache breakpoints, and the request without them. */
  refusesBreakpoints?(error: unknown): boolean
  withoutBreakpoints?(request: Request): Request
  /** What has to be asked for beside the body. */
  betasOf?(request: Request): readonly string[]
}

const loaded = new Map<HttpDialectName, DialectCodec>()

/** Loads only the dialect that is spoken, and only once. */
export async function loadDialect(name: HttpDialectName): Promise<DialectCodec> {
  const dialect = loaded.get(name) ?? (await load(name))
  loaded.set(name, dialect)
  return dialect
}

function load(name: HttpDialectName): Promise<DialectCodec> {
  switch (name) {
    case "anthropic":
      return import("@sotto/core/anthropic")
    case "openai":
      return import("@sotto/core/openai")
    case "openai-chat":
      return import("@sotto/core/openai-chat")
    case "gemini":
      return import("@sotto/core/gemini").then((gemini) => ({ ...gemini, endsWithBody: true }))
  }
}
