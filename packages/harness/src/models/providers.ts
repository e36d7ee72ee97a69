import type { HttpDialectName } from "@sotto/core"

/** One way to name a model, and what has to be known to reach it. */
export interface Provider {
  readonly dialect: HttpDialectName
  /** Variables that may hold the key; the first is the one to tell people of. */
  readonly keys: readonly [string, ...string[]]
  /** The variable that may hold another address. */
  readonly base: string
  readonly defaultBase: string
  /** What is taken when only a key says whose model to use. */
  readonly defaultModel: string
  url(base: string, model: string): string
  /** Where its models are listed. */
  list(base: string): string
  headers(key: string): Readonly<Record<string, string>>
  /** What goes along with or without a key. */
  readonly fixedHeaders?: Readonly<Record<string, string>>
}

const OPENAI = {
  keys: ["OPENAI_API_KEY"],
  base: "OPENAI_BASE_URL",
  defaultBase: "https://api.openai.com/v1",
  defaultModel: "gpt-5.6",
  list: (base: string) => `${base}/models`,
  headers: (key: string) => ({ authorization: `Bearer ${key}` }),
} as const

/** The providers that Sotto knows, by the beginning of a model's full name. */
export const PROVIDERS = {
  anthropic: {
    dialect: "anthropic",
    keys: ["ANTHROPIC_API_KEY"],
    base: "ANTHROPIC_BASE_URL",
    defaultBase: "https://api.anthropic.com",
    defaultModel: "claude-opus-5-5",
    // People give the address with the version and without it.
    url: (base) => `${base.replace(/\/v1$/, "")}/v1/messages`,
    list: (base) => `${base.replace(/\/v1$/, "")}/v1/models?limit=1`,
    headers: (key) => ({ "x-api-key": key }),
    fixedHeaders: { "anthropic-version": "2023-06-01" },
  },
  openai: { ...OPENAI, dialect: "openai", url: (base) => `${base}/responses` },
  "openai-chat": { ...OPENAI, dialect: "openai-chat", url: (base) => `${base}/chat/completions` },
  google: {
    dialect: "gemini",
    keys: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    base: "GOOGLE_GEMINI_BASE_URL",
    defaultBase: "https://generativelanguage.googleapis.com",
    defaultModel: "gemini-3.8-flash",
    url: (base, model) =>
      `${base.replace(/\/v1(beta)?$/, "")}/v1beta/models/${encodeURIComponent(model)}:streamGenerateContent?alt=sse`,
    list: (base) => `${base.replace(/\/v1(beta)?$/, "")}/v1beta/models?pageSize=1`,
    headers: (key) => ({ "x-goog-api-key": key }),
  },
} as const satisfies Readonly<Record<string, Provider>>

/** Milliseconds without a byte: models think long, but somewhere a connection is dead. */
export const SILENCE = {
  /** At a provider's own address, which shows signs of life. */
  own: 300_000,
  /** At any other: a server on this machine may read a long prompt for minutes before its first byte. */
  other: 600_000,
} as const

/** The name of a provider that Sotto knows. */
export type ProviderName = keyof typeof PROVIDERS

/** Gives the provider that a model's name begins with; undefined for any other name, such as the rehearsal's. */
export function providerOf(model: string): ProviderName | undefined {
  const name = model.slice(0, Math.max(0, model.indexOf("/")))
  return isProviderName(name) ? name : undefined
}

/** True for a provider that Sotto knows. */
export function isProviderName(name: string): name is ProviderName {
  return Object.hasOwn(PROVIDERS, name)
}

/** The variables that Sotto itself reads as providers' keys. Their values go only to the provider. */
export const KEY_VARIABLES: ReadonlySet<string> = new Set(
  Object.values(PROVIDERS).flatMap(({ keys }) => [...keys]),
)
