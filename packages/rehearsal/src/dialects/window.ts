import { capabilitiesOf } from "@sotto/core"
import { cacheModel } from "@sotto/core/cache"
import type { HttpDialectName, RequestAddress } from "./dialect.js"

/** What an image or a document is taken to cost, whatever its size: providers do not count its characters. */
const MEDIA_TOKENS = 1_500

/** The windows of OpenAI's models. Source: the models' own pages; where two sources differ, the larger. */
const OPENAI: readonly (readonly [RegExp, number])[] = [
  [/^gpt-4\.1/, 1_047_576],
  [/^(gpt-4o|gpt-4-turbo|chatgpt-4o)/, 128_000],
  [/^o[134](-|$)/, 200_000],
  [/^gpt-5(\.[0-3])?(-|$)|^gpt-5\.4-(mini|nano)/, 400_000],
  [/^gpt-(5\.[4-9]|6)/, 1_050_000],
]

/** Gives the longest prompt that a model takes, in tokens; undefined where no published figure is known. */
export function windowOf(
  dialect: HttpDialectName,
  model: string,
  { betas = [] }: Pick<RequestAddress, "betas">,
): number | undefined {
  switch (dialect) {
    case "anthropic":
      if (!/^claude-((opus|sonnet|haiku|fable|mythos)-\d|3)/.test(model)) return undefined
      // Sonnet 4 and 4.5 have a window of a million for those who ask for it.
      if (betas.some((beta) => beta.startsWith("context-1m")) && /sonnet-4/.test(model)) return 1_000_000
      return capabilitiesOf(model).contextWindow
    case "openai":
    case "openai-chat":
      return OPENAI.find(([name]) => name.test(model))?.[1]
    case "gemini":
      return /gemini-(2\.5|[3-9])/.test(model) ? capabilitiesOf(model).contextWindow : undefined
  }
}

/** Counts the tokens of a prompt that is longer than the window; undefined if it fits. */
export function tokensOver(window: number, dialect: HttpDialectName, body: unknown): number | undefined {
  // Four bytes are a token and a character has at most three: most requests need no count.
  if (JSON.stringify(body).length * 3 <= window * 4) return undefined
  const tokens = cacheModel(dialect).request(withoutMedia(body)).total
  return tokens > window ? tokens : undefined
}

function withoutMedia(body: unknown): unknown {
  const stand = "x".repeat(MEDIA_TOKENS * 4)
  return JSON.parse(
    JSON.stringify(body, (key, value) =>
      typeof value === "string" &&
      (key === "data" || value.startsWith("data:")) &&
      value.length > stand.length
        ? stand
        : value,
    ),
  )
}
