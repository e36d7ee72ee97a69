import { familiarName } from "@sotto/core/prices"
import { ConfigError, type JsoncNode, type ModelUpdate, parseJsonc, parseUpdate } from "@sotto/harness"

/** What a file of prices says, in Sotto's own format, and what of it was not taken. */
export interface PriceListFile {
  readonly update: ModelUpdate
  /** What the file is, for people. */
  readonly format: string
  /** Why rows were left out, for people, each with how many. */
  readonly leftOut: ReadonlyMap<string, number>
}

/** What the user says of a file that does not say it itself. */
export interface ListReading {
  /** The file, as errors call it. */
  readonly path: string
  /** The day of which it is, unless it says so. */
  readonly asOf: string
  /** A seller whose rows are taken too, as models of `openai-chat`. */
  readonly gateway: string | undefined
}

type Words = ModelUpdate["models"][string]
type Entries = Extract<JsoncNode, { readonly is: "map" }>["entries"]

/** A row of a file, and where it stands. */
interface Row {
  readonly name: string
  readonly line: number
  readonly fields: Entries
  readonly path: string
}

/**
 * Reads a file of prices and capabilities: Sotto's own, LiteLLM's `model_prices_and_context_window.json` or the `api.json` of
 * models.dev; what is in it tells which. Throws ConfigError, which names the first row and field that is wrong.
 */
export function readPriceList(text: string, reading: ListReading): PriceListFile {
  const { path } = reading
  const node = parseJsonc(text, path)
  if (node.is !== "map") throw unknownFormat(path)
  const top = node.entries
  if (top.has("models") || top.has("asOf")) return ownList(text, path)
  const rows = [...top.values()].map(({ value }) => value)
  const have = (field: string) => rows.some((row) => row.is === "map" && row.entries.has(field))
  if (have("litellm_provider") || have("input_cost_per_token")) return liteLlm(top, reading)
  if (have("models")) return modelsDev(top, reading)
  throw unknownFormat(path)
}

function unknownFormat(path: string): ConfigError {
  const formats =
    "Sotto's own format, LiteLLM's model_prices_and_context_window.json or the api.json of models.dev"
  return new ConfigError(path, 1, "", "This is no list of prices that Sotto knows.", `Use ${formats}.`)
}

function ownList(text: string, path: string): PriceListFile {
  const { models, ...about } = parseUpdate(text, path)
  const named = new Map<string, Words>()
  // A name as the table has it counts more than one of a snapshot of the same model.
  for (const [name, words] of Object.entries(models).sort(
    ([a], [b]) => Number(isPlain(a)) - Number(isPlain(b)),
  ))
    named.set(plainName(name), words)
  return {
    update: { ...about, models: Object.fromEntries(named) },
    format: "Sotto's own",
    leftOut: new Map(),
  }
}

/** Names a model as Sotto's table does. One with a provider is meant as it is. */
function plainName(name: string): string {
  return name.includes("/") ? name : familiarName(name)
}

function isPlain(name: string): boolean {
  return plainName(name) === name
}

/** Collects the rows that are taken. */
class Rows {
  readonly leftOut = new Map<string, number>()
  readonly #words = new Map<string, Words>()
  readonly #plain = new Set<string>()
  readonly #gateway: string | undefined

  constructor(gateway: string | undefined) {
    this.#gateway = gateway
  }

  /** True if rows of this seller are taken. */
  takes(seller: string): boolean {
    return MAKERS.has(seller) || seller === this.#gateway
  }

  /** Takes a row. Its name is that of the seller. */
  take(seller: string, name: string, words: Words): void {
    if (words.price === undefined) this.leave("without a price")
    else if (!MAKERS.has(seller)) this.#words.set(`openai-chat/${name}`, words)
    // The same model by way of a region or a faster tier, at another price.
    else if (name.includes("/")) this.leave("of a region or tier of its own")
    else {
      const plain = familiarName(name)
      if (plain !== name && this.#plain.has(plain)) return
      if (plain === name) this.#plain.add(plain)
      this.#words.set(plain, words)
    }
  }

  leave(why: string): void {
    this.leftOut.set(why, (this.leftOut.get(why) ?? 0) + 1)
  }

  list(asOf: string, format: string): PriceListFile {
    return { update: { asOf, models: Object.fromEntries(this.#words) }, format, leftOut: this.leftOut }
  }
}

/** The providers whose models Sotto asks for by the makers' own names, as lists call them. */
const MAKERS: ReadonlySet<string> = new Set(["anthropic", "openai", "google", "gemini"])
const OF_OTHERS = "of other sellers"

/** Modes of models that one talks with. */
const MODES: ReadonlySet<unknown> = new Set(["chat", "responses", "completion", undefined])

function liteLlm(top: Entries, { path, asOf, gateway }: ListReading): PriceListFile {
  const rows = new Rows(gateway)
  for (const [name, { line, value }] of top) {
    // The first row explains the fields.
    if (name === "sample_spec") continue
    const row = { name, line, fields: entriesOf(value, path, name), path }
    const seller = textIn(row, "litellm_provider") ?? ""
    if (!rows.takes(seller)) rows.leave(OF_OTHERS)
    else if (!MODES.has(textIn(row, "mode"))) rows.leave("that nobody talks with")
    else rows.take(seller, withoutSeller(name, seller), liteLlmWords(row))
  }
  return rows.list(asOf, "LiteLLM's")
}

function withoutSeller(name: string, seller: string): string {
  return name.startsWith(`${seller}/`) ? name.slice(seller.length + 1) : name
}

function liteLlmWords(row: Row): Words {
  const window = numberIn(row, "max_input_tokens")
  const limits = [...row.fields.keys()].flatMap((field) => {
    const found = /^input_cost_per_token_above_(\d+)k_tokens$/.exec(field)
    return found === null ? [] : [Number(found[1])]
  })
  const least = limits.length === 0 ? undefined : Math.min(...limits)
  const rates = (suffix: string) => ({
    ...given("input", perMillion(row, `input_cost_per_token${suffix}`)),
    ...given("output", perMillion(row, `output_cost_per_token${suffix}`)),
    ...given("cacheRead", perMillion(row, `cache_read_input_token_cost${suffix}`)),
    ...given("cacheWrite", perMillion(row, `cache_creation_input_token_cost${suffix}`)),
    ...given("cacheWriteHour", perMillion(row, `cache_creation_input_token_cost_above_1hr${suffix}`)),
  })
  const long = least === undefined ? {} : rates(`_above_${least}k_tokens`)
  return words(
    rates(""),
    least === undefined || Object.keys(long).length === 0 ? undefined : { over: least * 1_000, ...long },
    window,
    {
      ...given("images", flagIn(row, "supports_vision")),
      ...given("documents", flagIn(row, "supports_pdf_input")),
    },
  )
}

/** Turns dollars for a token into dollars for a million, without the digits that only binary numbers have. */
function perMillion(row: Row, field: string): number | undefined {
  const one = numberIn(row, field)
  return one === undefined ? undefined : Number((one * 1e6).toPrecision(12))
}

function modelsDev(top: Entries, { path, asOf, gateway }: ListReading): PriceListFile {
  const rows = new Rows(gateway)
  for (const [seller, { value }] of top) {
    const models = entriesOf(value, path, seller).get("models")?.value
    if (models === undefined) throw wrong(path, value.line, seller, '"models" is missing.', "Add it.")
    for (const [name, { line, value: row }] of entriesOf(models, path, `${seller}.models`)) {
      const at = `${seller}.models.${name}`
      if (rows.takes(seller))
        rows.take(seller, name, modelsDevWords({ name: at, line, fields: entriesOf(row, path, at), path }))
      else rows.leave(OF_OTHERS)
    }
  }
  return rows.list(asOf, "models.dev's")
}

function modelsDevWords(row: Row): Words {
  const cost = inside(row, "cost")
  const inputs = inside(row, "modalities")?.fields.get("input")?.value
  const kinds =
    inputs?.is === "list" ? inputs.items.map((item) => item.is === "scalar" && item.value) : undefined
  return words(
    cost && modelsDevRates(cost),
    cost && longIn(cost),
    numberIn(inside(row, "limit"), "context"),
    kinds === undefined ? {} : { images: kinds.includes("image"), documents: kinds.includes("pdf") },
  )
}

function modelsDevRates(cost: Row) {
  return {
    ...given("input", numberIn(cost, "input")),
    ...given("output", numberIn(cost, "output")),
    ...given("cacheRead", numberIn(cost, "cache_read")),
    ...given("cacheWrite", numberIn(cost, "cache_write")),
  }
}

/** Reads the first step of the rates for long prompts, in the newer of the two ways in which models.dev writes them. */
function longIn(cost: Row) {
  const tiers = cost.fields.get("tiers")?.value
  const steps = (tiers?.is === "list" ? tiers.items : []).flatMap((tier, i) => {
    const at = `${cost.name}.tiers.${i}`
    const row = { ...cost, name: at, line: tier.line, fields: entriesOf(tier, cost.path, at) }
    const limit = inside(row, "tier")
    const over = limit && textIn(limit, "type") === "context" ? numberIn(limit, "size") : undefined
    return over === undefined ? [] : [{ over, ...modelsDevRates(row) }]
  })
  const [first] = steps.sort((a, b) => a.over - b.over)
  const older = inside(cost, "context_over_200k")
  return first ?? (older && { over: 200_000, ...modelsDevRates(older) })
}

/** Makes Sotto's words about a model. A price without input or output is none. */
function words(
  rates: NonNullable<Words["price"]> | Partial<NonNullable<Words["price"]>> | undefined,
  long: NonNullable<Words["price"]>["long"],
  window: number | undefined,
  capabilities: NonNullable<Words["capabilities"]>,
): Words {
  const { input, output } = rates ?? {}
  const price =
    input === undefined || output === undefined
      ? undefined
      : { ...rates, input, output, ...given("long", long) }
  return {
    ...given("price", price),
    ...(window !== undefined && window >= 1 && { contextWindow: Math.floor(window) }),
    ...(Object.keys(capabilities).length > 0 && { capabilities }),
  }
}

function given<const Name extends string, T>(name: Name, value: T | undefined) {
  return (value === undefined ? {} : { [name]: value }) as { readonly [K in Name]?: T }
}

function entriesOf(node: JsoncNode, path: string, field: string): Entries {
  if (node.is === "map") return node.entries
  throw wrong(path, node.line, field, "This is not an object.", "Use an object.")
}

function inside(row: Row, field: string): Row | undefined {
  const value = row.fields.get(field)?.value
  if (value === undefined || (value.is === "scalar" && value.value === null)) return undefined
  const name = `${row.name}.${field}`
  return { ...row, name, line: value.line, fields: entriesOf(value, row.path, name) }
}

function scalarIn(row: Row | undefined, field: string) {
  const value = row?.fields.get(field)?.value
  if (value === undefined) return undefined
  if (value.is !== "scalar") return { value: undefined, line: value.line }
  return value.value === null ? undefined : { value: value.value, line: value.line }
}

function numberIn(row: Row | undefined, field: string): number | undefined {
  const found = scalarIn(row, field)
  if (row === undefined || found === undefined) return undefined
  if (typeof found.value === "number" && Number.isFinite(found.value) && found.value >= 0) return found.value
  throw wrong(
    row.path,
    found.line,
    `${row.name}.${field}`,
    "This is no number from 0.",
    "Use a number from 0.",
  )
}

function flagIn(row: Row, field: string): boolean | undefined {
  const found = scalarIn(row, field)
  if (found === undefined) return undefined
  if (typeof found.value === "boolean") return found.value
  throw wrong(
    row.path,
    found.line,
    `${row.name}.${field}`,
    "This is not true or false.",
    "Use true or false.",
  )
}

function textIn(row: Row, field: string): string | undefined {
  const found = scalarIn(row, field)
  if (found === undefined) return undefined
  if (typeof found.value === "string") return found.value
  throw wrong(row.path, found.line, `${row.name}.${field}`, "This is not a text.", "Use a text.")
}

function wrong(path: string, line: number, field: string, what: string, remedy: string): ConfigError {
  return new ConfigError(path, line, field, what, remedy)
}
