import type { TokenCounter } from "../vocabulary/economy.js"
import { isThenable } from "../vocabulary/synchronous.js"

/** The engine's own estimate: a quarter of the UTF-8 bytes, rounded up. Needs no tokenizer. */
export const estimateTokens: TokenCounter = (text) => Math.ceil(utf8Length(text) / 4)

/**
 * Guards a counter: the engine needs a whole number from 0 for every text. If the given one throws or gives anything
 * else, the estimate stands in: real tokenizers refuse texts such as "<|endoftext|>", and a session must not fail
 * because of a message that says so.
 */
export function guardedCounter(counter: TokenCounter): TokenCounter {
  let isCounting = false
  return (text) => {
    // A counter that asks the session something which has to be counted would call itself for ever.
    if (isCounting) return estimateTokens(text)
    isCounting = true
    try {
      const counted: unknown = counter(text)
      const tokens = isThenable(counted) || typeof counted !== "number" ? -1 : Math.ceil(counted)
      if (tokens >= 0 && Number.isSafeInteger(tokens)) return tokens
    } catch {
      // The estimate below.
    } finally {
      isCounting = false
    }
    return estimateTokens(text)
  }
}

function utf8Length(text: string): number {
  let bytes = text.length
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0x80) continue
    if (unit < 0x800) bytes += 1
    else {
      bytes += 2
      // A surrogate pair is four bytes: its second unit is paid for already.
      if (startsPair(unit, text.charCodeAt(i + 1))) i++
    }
  }
  return bytes
}

/** Takes the longest prefix of `text` that costs at most `tokens`, never splitting a surrogate pair. */
export function takeTokens(text: string, tokens: number, count: TokenCounter): string {
  if (count(text) <= tokens) return text
  let low = 0
  // No tokenizer packs more than this into a token; it keeps the search short on very long texts.
  let high = Math.min(text.length, tokens * 64)
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (count(text.slice(0, middle)) <= tokens) low = middle
    else high = middle - 1
  }
  if (low > 0 && startsPair(text.charCodeAt(low - 1), text.charCodeAt(low))) low--
  return text.slice(0, low)
}

function startsPair(first: number, second: number): boolean {
  return first >= 0xd800 && first <= 0xdbff && second >= 0xdc00 && second <= 0xdfff
}
