import { newestRelative } from "./family.js"
import { PRICES, type Price, type Rates } from "./table.js"

export { PRICES_AS_OF, type Price, type PriceRow, type Rates } from "./table.js"

/** What somebody says of a price. Rates that are left out are worked out from those that are known of the model. */
export interface GivenPrice extends Partial<Rates> {
  /** What every token of a request costs once its prompt is longer than `over` tokens. */
  readonly long?: Partial<Rates> & { readonly over: number }
}

/** Prices that are known from elsewhere, all of one day. They count more than rows of the table that are older. */
export interface PriceList {
  /** The day of which they are: "2026-11-18". */
  readonly asOf: string
  /** Where they come from. */
  readonly source?: string
  /** By the model's full name, or by its name in the table's way. */
  readonly models: Readonly<Record<string, { readonly price?: GivenPrice }>>
}

/** What a model costs, and who says so. */
export interface SourcedPrice {
  /** In dollars for a million tokens. */
  readonly price: Price
  /** Sotto's own table, a list, or the user's own word. */
  readonly from: "table" | "list" | "own"
  /** The day of which the price is; undefined for the user's own word. */
  readonly asOf?: string
  /** Where it comes from, for people. */
  readonly source?: string
}

/**
 * Finds what a model costs. Undefined if the table does not know it, nor its family, and `overrides` does not name both
 * input and output. Takes the names that providers and gateways use for the same model, such as
 * `anthropic/claude-opus-4.5` or `us.anthropic.claude-opus-4-5-20251101-v1:0`. A model that is newer than the table takes
 * the price of its family, which `assumed` names.
 */
export function priceOf(modelId: string, overrides: GivenPrice = {}, list?: PriceList): Price | undefined {
  return sourcedPrice(modelId, overrides, list)?.price
}

/** Finds what a model costs as `priceOf` does, and says where the price comes from. */
export function sourcedPrice(
  modelId: string,
  overrides: GivenPrice = {},
  list?: PriceList,
): SourcedPrice | undefined {
  const known = knownPrice(modelId, list) ?? relativePrice(modelId, list)
  const price = withGiven(overrides, known?.price)
  if (price === undefined || price === known?.price) return known
  return { price, from: "own" }
}

/** Gives the price that holds at a moment, in milliseconds since 1970: a promotion may have ended. */
export function priceAt(price: Price, at: number): Price {
  const { until, after, assumed } = price
  if (until === undefined || after === undefined) return price
  // biome-ignore lint/style/noRestrictedGlobals: to parse a day asks no clock
  if (at < Date.parse(until) + DAY) return price
  return assumed === undefined ? after : { ...after, assumed }
}

const DAY = 86_400_000

/** Gives the rates of one request, by the length of its prompt. */
export function ratesFor(price: Price, promptTokens: number): Rates {
  return price.long !== undefined && promptTokens > price.long.over ? price.long : price
}

/** Names a model as the table does: without who serves it and which snapshot of it. */
export function familiarName(modelId: string): string {
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

/** Finds a model in a list and in the table: the later of the two counts. */
function knownPrice(modelId: string, list: PriceList | undefined): SourcedPrice | undefined {
  const name = familiarName(modelId)
  const row = PRICES.get(name)
  const given = list && (pricesIn(list, modelId) ?? pricesIn(list, name))
  if (list === undefined || given === undefined || (row !== undefined && row.asOf > list.asOf))
    return row && { from: "table", ...row }
  const price = withGiven(given, row?.price ?? relativePrice(modelId)?.price)
  const { asOf, source } = list
  return price && { price, from: "list", asOf, ...(source !== undefined && { source }) }
}

/** Gives the price of the newest known model of a family to one that is not known itself. */
function relativePrice(modelId: string, list?: PriceList): SourcedPrice | undefined {
  const listed = Object.keys(list?.models ?? {}).filter((name) => !name.includes("/") && pricesIn(list, name))
  const assumed = newestRelative(familiarName(modelId), [...PRICES.keys(), ...listed])
  const known = assumed === undefined ? undefined : knownPrice(assumed, list)
  return known && assumed !== undefined ? { ...known, price: { ...known.price, assumed } } : undefined
}

function pricesIn(list: PriceList | undefined, model: string): GivenPrice | undefined {
  return list !== undefined && Object.hasOwn(list.models, model) ? list.models[model]?.price : undefined
}

/** Puts what somebody says of a price before what is known of it. */
function withGiven(given: GivenPrice, known: Price | undefined): Price | undefined {
  const { long, ...rest } = given
  const rates = Object.fromEntries(Object.entries(rest).filter(([, rate]) => rate !== undefined))
  if (Object.keys(rates).length === 0 && long === undefined) return known
  const { input, output = known?.output } = given
  if (known !== undefined && input === undefined) {
    const { after, ...now } = known
    const then = after && withGiven(given, after)
    return { ...withLong({ ...now, ...rates }, long), ...(then && { after: then }) }
  }
  // Another seller's price for the input says nothing about a surcharge for long prompts, nor about a promotion.
  if (input === undefined || output === undefined) return undefined
  const share = (rate: number | undefined) =>
    known && rate !== undefined ? (rate / known.input) * input : input
  const { cacheRead = share(known?.cacheRead), cacheWrite = share(known?.cacheWrite) } = given
  const { cacheWriteHour = share(known?.cacheWriteHour) } = given
  const isOwn = given.output !== undefined || known?.assumed === undefined
  const price = { input, output, cacheRead, cacheWrite, cacheWriteHour }
  return withLong(isOwn ? price : { ...price, assumed: known.assumed }, long)
}

/** Adds rates for long prompts. Those of the cache grow as the input's does, unless they are given. */
function withLong(price: Price, long: GivenPrice["long"]): Price {
  if (long === undefined) return price
  const { over, input = price.input, output = price.output } = long
  const grown = (rate: number) => (price.input > 0 ? (rate * input) / price.input : input)
  const { cacheRead = grown(price.cacheRead), cacheWrite = grown(price.cacheWrite) } = long
  const { cacheWriteHour = grown(price.cacheWriteHour) } = long
  return { ...price, long: { over, input, output, cacheRead, cacheWrite, cacheWriteHour } }
}
