/**
 * The day on which most of the table below was last compared with its sources, the pages that its rows name, as public
 * copies and price lists of other projects quote them. Standard tier, text, United States dollars for a million tokens.
 * Discounts by contract, batch, flex and priority are not in it, nor is any model whose price is not known.
 */
export const PRICES_AS_OF = "2026-11-18"
/** The day of those that were not compared again. */
const BEFORE = "2026-11-16"

/** Dollars for a million tokens. */
export interface Rates {
  /** Input that the provider had to read anew. */
  readonly input: number
  /** What the model writes. */
  readonly output: number
  /** Input that was found in the cache. */
  readonly cacheRead: number
  /** Input that is kept in the cache for some minutes. */
  readonly cacheWrite: number
  /** Input that is kept for an hour, where the provider offers that. */
  readonly cacheWriteHour: number
}

/** What a model costs, with the rates for long prompts where those differ. */
export interface Price extends Rates {
  /** What every token of a request costs once its prompt is longer than `over` tokens. */
  readonly long?: Rates & { readonly over: number }
  /** The last day on which it holds, such as "2026-12-31": a promotion. `after` holds from the next day on, in UTC. */
  readonly until?: string
  /** What holds after `until`. */
  readonly after?: Price
  /** The model whose price it is, if the model's own is not known: the newest of its family. */
  readonly assumed?: string
}

/** A row of the table. */
export interface PriceRow {
  /** In dollars for a million tokens. */
  readonly price: Price
  /** The day on which it was last compared with its source. */
  readonly asOf: string
  /** Where it comes from: "platform.claude.com, Pricing". */
  readonly source: string
}

/** Gives Anthropic's rates: a write costs 1.25 times the input, 2 times for an hour. */
function claude(input: number, output: number, cacheRead = input / 10): Rates {
  return { input, output, cacheRead, cacheWrite: input * 1.25, cacheWriteHour: input * 2 }
}

/** Writes cost no more than the input itself: OpenAI before GPT-5.6, Gemini's implicit cache. */
function freeWrites(input: number, output: number, cacheRead = input / 10): Rates {
  return { input, output, cacheRead, cacheWrite: input, cacheWriteHour: input }
}

/** Gives OpenAI's rates from GPT-5.6 on. */
function paidWrites(input: number, output: number, cacheRead = input / 10): Rates {
  return { input, output, cacheRead, cacheWrite: input * 1.25, cacheWriteHour: input * 1.25 }
}

/**
 * Adds OpenAI's rates for long prompts: beyond 272,000 tokens the input costs twice as much, the output half as much
 * again.
 */
function longer(rates: Rates): Price {
  const { input, output, cacheRead, cacheWrite, cacheWriteHour } = rates
  return {
    ...rates,
    long: {
      over: 272_000,
      input: input * 2,
      output: output * 1.5,
      cacheRead: cacheRead * 2,
      cacheWrite: cacheWrite * 2,
      cacheWriteHour: cacheWriteHour * 2,
    },
  }
}

const OPUS_FROM_4_5 = claude(5, 25)
const OPUS_BEFORE_4_5 = claude(15, 75)
const SONNET_BEFORE_5 = claude(3, 15)
const FABLE_5 = claude(10, 50)
const FABLE_5_1 = claude(10, 50, 0.25)
/** The pages of each release say that Mythos costs what Fable costs. */
const FABLE_5_2 = claude(8, 40, 0.2)
const HAIKU_5_5: Price = { ...claude(0.1, 0.5), long: { over: 100_000, ...claude(0.5, 2.5) } }

const GPT_5 = freeWrites(1.25, 10)
const GPT_5_2 = freeWrites(1.75, 14)
const GPT_5_MINI = freeWrites(0.25, 2)
/** Announced until that day at least. What it cost before is taken for what holds after. */
const GPT_5_6_SOL: Price = {
  ...longer(paidWrites(4, 20)),
  until: "2026-11-21",
  after: longer(paidWrites(5, 30)),
}

const GEMINI_3_PRO: Price = { ...freeWrites(2, 12), long: { over: 200_000, ...freeWrites(4, 18) } }
const GEMINI_3_6_FLASH: Price = {
  ...freeWrites(0.75, 3.75),
  until: "2026-12-31",
  after: freeWrites(1.5, 7.5),
}

/** Gives the rows of prices that were compared with one source on one day. */
function rows(source: string, asOf: string, prices: Readonly<Record<string, Price>>) {
  return Object.entries(prices).map(([model, price]) => [model, { price, asOf, source }] as const)
}

const CLAUDE = "platform.claude.com, Pricing"
const OPENAI = "developers.openai.com, Pricing"
const GEMINI = "ai.google.dev, Pricing"

/** By the model's name without provider, date and version of a snapshot. By provider, the newest first. */
export const PRICES: ReadonlyMap<string, PriceRow> = new Map<string, PriceRow>([
  ...rows(CLAUDE, PRICES_AS_OF, {
    "claude-fable-5-2": FABLE_5_2,
    "claude-mythos-5-2": FABLE_5_2,
    "claude-fable-5-1": FABLE_5_1,
    "claude-mythos-5-1": FABLE_5_1,
    "claude-fable-5": FABLE_5,
    "claude-mythos-5": FABLE_5,
    "claude-opus-5-5": claude(4, 20, 0.2),
    "claude-opus-5": OPUS_FROM_4_5,
    "claude-opus-4-8": OPUS_FROM_4_5,
    "claude-opus-4-7": OPUS_FROM_4_5,
    "claude-opus-4-6": OPUS_FROM_4_5,
    "claude-opus-4-5": OPUS_FROM_4_5,
    "claude-opus-4-1": OPUS_BEFORE_4_5,
    "claude-opus-4": OPUS_BEFORE_4_5,
    "claude-3-opus": OPUS_BEFORE_4_5,
    "claude-sonnet-5-5": claude(2, 10, 0.1),
    "claude-sonnet-5": claude(2, 10),
    "claude-sonnet-4-6": SONNET_BEFORE_5,
    "claude-sonnet-4-5": SONNET_BEFORE_5,
    "claude-sonnet-4": SONNET_BEFORE_5,
    "claude-3-7-sonnet": SONNET_BEFORE_5,
    "claude-3-5-sonnet": SONNET_BEFORE_5,
    "claude-haiku-5-5": HAIKU_5_5,
    "claude-haiku-4-5": claude(1, 5),
    "claude-3-5-haiku": claude(0.8, 4),
    "claude-3-haiku": { ...claude(0.25, 1.25, 0.03), cacheWrite: 0.3 },
  }),
  ...rows(OPENAI, PRICES_AS_OF, {
    "gpt-6.1-sol": longer(paidWrites(2, 10, 0.1)),
    "gpt-6.1-terra": longer(paidWrites(1, 5, 0.05)),
    "gpt-6-sol": longer(paidWrites(2, 10)),
    "gpt-6-luna": longer(paidWrites(0.1, 0.5)),
    "gpt-5.6": GPT_5_6_SOL,
    "gpt-5.6-sol": GPT_5_6_SOL,
    "gpt-5.6-terra": longer(paidWrites(2, 12)),
    "gpt-5.6-luna": longer(paidWrites(0.2, 1.2)),
    "gpt-5.5": longer(freeWrites(5, 30)),
    "gpt-5.4": longer(freeWrites(2.5, 15)),
    "gpt-5.4-mini": freeWrites(0.75, 4.5),
    "gpt-5.4-nano": freeWrites(0.2, 1.25),
  }),
  ...rows(OPENAI, BEFORE, {
    "gpt-5.3-codex": GPT_5_2,
    "gpt-5.2": GPT_5_2,
    "gpt-5.2-codex": GPT_5_2,
    "gpt-5.1": GPT_5,
    "gpt-5.1-codex": GPT_5,
    "gpt-5.1-codex-mini": GPT_5_MINI,
    "gpt-5": GPT_5,
    "gpt-5-codex": GPT_5,
    "gpt-5-mini": GPT_5_MINI,
    "gpt-5-nano": freeWrites(0.05, 0.4),
    "gpt-4.1": freeWrites(2, 8, 0.5),
    "gpt-4.1-mini": freeWrites(0.4, 1.6, 0.1),
    "gpt-4.1-nano": freeWrites(0.1, 0.4, 0.025),
    "gpt-4o": freeWrites(2.5, 10, 1.25),
    "gpt-4o-mini": freeWrites(0.15, 0.6, 0.075),
    o3: freeWrites(2, 8, 0.5),
    "o4-mini": freeWrites(1.1, 4.4, 0.275),
  }),
  ...rows(GEMINI, PRICES_AS_OF, {
    "gemini-3.8-flash": GEMINI_3_6_FLASH,
    "gemini-3.7-flash": GEMINI_3_6_FLASH,
    "gemini-3.6-flash": GEMINI_3_6_FLASH,
    "gemini-3.5-flash": freeWrites(1.5, 9),
    "gemini-3.5-flash-lite": freeWrites(0.3, 2.5),
    "gemini-3.1-pro": GEMINI_3_PRO,
    "gemini-3-pro": GEMINI_3_PRO,
    "gemini-3-flash": freeWrites(0.5, 3),
  }),
  ...rows(GEMINI, BEFORE, {
    "gemini-2.5-pro": { ...freeWrites(1.25, 10), long: { over: 200_000, ...freeWrites(2.5, 15) } },
    "gemini-2.5-flash": freeWrites(0.3, 2.5),
    "gemini-2.5-flash-lite": freeWrites(0.1, 0.4),
  }),
])
