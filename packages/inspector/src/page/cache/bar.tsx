import type { CallTokens } from "../../contract.js"
import { percent, whole } from "../text/figures.js"
import { type CachePart, cacheParts } from "./parts.js"

const WORDS: Readonly<Record<CachePart, string>> = {
  read: "read from the cache",
  missed: "missed: sent before, processed again",
  written: "written to the cache",
  rest: "not cached",
}

/** Shows the read, missed and written tokens over the request's own length. */
export function CacheBar({
  tokens,
  unchanged,
}: {
  readonly tokens: CallTokens
  readonly unchanged?: number
}) {
  const parts = cacheParts(tokens)
  const said = parts.map(({ part, tokens }) => `${whole(tokens)} ${WORDS[part]}`).join(", ")
  return (
    <figure class="cache-bar">
      <svg viewBox="0 0 1000 22" preserveAspectRatio="none" role="img" aria-label={`Of the request: ${said}`}>
        {parts.map(({ part, from, to }) => (
          <rect key={part} class={part} x={from * 1000} width={(to - from) * 1000} height={22} />
        ))}
        {unchanged !== undefined && unchanged < 1 && (
          <path class="edge" d={`M${unchanged * 1000} 0V22`} vector-effect="non-scaling-stroke" />
        )}
      </svg>
      <figcaption>
        {parts.map(({ part, tokens: count }) => (
          <span key={part} class={`swatch ${part}`}>
            {whole(count)} {WORDS[part]} ({percent(count / tokens.sent)})
          </span>
        ))}
        <span class="quiet">
          {tokens.reported ? "as the provider reports" : "as the provider's rules predict"}
        </span>
      </figcaption>
    </figure>
  )
}

/** Shows the tokens of `CacheBar` in a list, only as wide as a word. */
export function MiniBar({ tokens }: { readonly tokens: CallTokens }) {
  const parts = cacheParts(tokens)
  const label = parts.map(({ part, tokens: count }) => `${whole(count)} ${WORDS[part]}`).join(", ")
  return (
    <svg class="mini-bar" viewBox="0 0 100 6" preserveAspectRatio="none" role="img" aria-label={label}>
      {parts.map(({ part, from, to }) => (
        <rect key={part} class={part} x={from * 100} width={(to - from) * 100} height={6} />
      ))}
    </svg>
  )
}
