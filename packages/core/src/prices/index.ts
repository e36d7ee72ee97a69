import { PRICES, type Price, type Rates } from "./table.js"

export { PRICES_AS_OF, type Price, type Rates } from "./table.js"

/**
 * Finds what a model costs. Undefined if the table does not know it and `overrides` does not name both input and
 * output. Takes the names that providers and gateways use for the same model, such as `anthropic/claude-opus-4.5` or
 * `us.anthropic.claude-opus-4-5-20251101-v1:0`.
 */
export function priceOf(modelId: string, overrides: Partial<Rates> = {}): Price | undefined {
  const known = PRICES.get(familiarName(modelId))
  const given = Object.fromEntries(Object.entries(overrides).filter(([, rate]) => rate !== undefined))
  if (Object.keys(given).length === 0) return known
  if (known !== undefined && overrides.input === undefined) return { ...known, ...given }
  // Another seller's price for the input says nothing about a surcharge for long prompts.
  const { input, output = known?.output } = overrides
  if (input === undefined || output === undefined) return undefined
  const share = (rate: number | undefined) =>
    known && rate !== undefined ? (rate / known.input) * input : input
  const { cacheRead = share(known?.cacheRead), cacheWrite = share(known?.cacheWrite) } = overrides
  return {
    input,
    output,
    cacheRead,
    cacheWrite,
    cacheWriteHour: overrides.cacheWriteHour ?? share(known?.cacheWriteHour),
  }
}

/** Gives the rates of one request, by the length of its prompt. */
export function ratesFor(price: Price, promptTokens: number): Rates {
  return price.long !== undefined && promptTokens > price.long.over ? price.long : price
}

/** Names a model as the table does: without who serves it and which snapshot of it. */
function familiarName(modelId: string): string {
  const name = modelId
    .toLowerCase()
    .replace(/^.*\//, "")
    .replace(/^([a-z]+\.)*anthropic\./, "")
    .replace(/\[\w+\]$/, "")
    .replace(/-v\d+(:\d+)?$/, "")
    .replace(/[-@](20\d{6}|20\d\d-\d\d-\d\d|latest|default)$/, "")
  if (name.startsWith("claude-"))
    return name.replace(/(\d)\.(\d)/, "$1-$2").replace(/^(claude-\w+-\d)-0$/, "$1")
  if (name.startsWith("gemini-")) return name.replace(/-(preview(-\d\d-\d{2,4})?(-customtools)?|\d{3})$/, "")
  return name
}
