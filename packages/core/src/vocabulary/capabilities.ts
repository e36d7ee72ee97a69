/**
 * Carriers of a dialect of your own, by name. Declare them by merging, and name them in `capabilities.carriers`.
 *
 * @example
 * ```ts
 * declare module "@sotto/core" {
 *   interface CustomCarriers {
 *     "guard-content": true
 *   }
 * }
 * ```
 */
// biome-ignore lint/suspicious/noEmptyInterface: it is filled by declaration merging
export interface CustomCarriers {}

/**
 * How a reminder travels on the wire: as a message with system authority, inside the last tool result, as text of the
 * user message, as the beginning of the reply, or in a way that a dialect of your own declares in `CustomCarriers`.
 */
export type Carrier =
  | "system-message"
  | "tool-result"
  | "user-text"
  | "assistant-text"
  | (keyof CustomCarriers & string)

/** The carriers of the built-in dialects. */
export const CARRIERS: readonly Carrier[] = ["system-message", "tool-result", "user-text", "assistant-text"]

/** What a model and its API accept, as far as it decides what is sent. Pinned per epoch. */
export interface Capabilities {
  /** `role: "system"` (or "developer") inside the conversation. */
  readonly systemMessages: boolean
  /** Reminders inside the last tool result, where text after one would be mistaken for a new turn. */
  readonly toolResultReminders: boolean
  /** A trailing assistant message that the model continues. */
  readonly prefill: boolean
  /** Takes images. */
  readonly images: boolean
  /** Takes PDF documents. */
  readonly documents: boolean
  /** Chat content as a list of parts; some servers take only strings. */
  readonly contentParts: boolean
  /** Tools can be added and removed inside the conversation. */
  readonly toolChanges: boolean
  /** Reasoning is refused once anything before it has changed. */
  readonly tiedReasoning: boolean
  /** Tokens. */
  readonly contextWindow: number
  /** OpenAI's explicit cache breakpoints. */
  readonly cacheBreakpoints?: boolean
  /** Further carriers that the dialect takes. A reminder takes one only if its rule or its settings ask for it. */
  readonly carriers?: readonly Carrier[]
}

/** The day on which what is said of releases below was last compared with `CAPABILITIES_SOURCE`. */
export const CAPABILITIES_AS_OF = "2026-11-18"

/** Where windows and capabilities come from. */
export const CAPABILITIES_SOURCE = "platform.claude.com, developers.openai.com and ai.google.dev, Models"

/** What every chat API accepts. */
const SAFE: Capabilities = {
  systemMessages: false,
  toolResultReminders: false,
  prefill: false,
  images: true,
  documents: false,
  contentParts: true,
  toolChanges: false,
  tiedReasoning: false,
  contextWindow: 128_000,
}

/**
 * Says what a model is taken to accept: by its id, and by the dialect in which it is spoken to, which may be that of a
 * gateway. `capabilitiesOf({ id: "claude-opus-5", dialect: "openai-chat" })` has no system messages,
 * `capabilitiesOf("claude-opus-5")` has.
 */
export function capabilitiesOf(
  model: string | { readonly id: string; readonly dialect?: string },
): Capabilities {
  const { id, dialect } = typeof model === "string" ? { id: model, dialect: undefined } : model
  const own = byId(id.toLowerCase())
  if (dialect === undefined || own.of === undefined || OWN_DIALECTS[own.of].includes(dialect)) {
    const { of: _, ...known } = own
    return dialect === undefined || dialect === "anthropic" ? known : { ...known, toolChanges: false }
  }
  // Behind a gateway, what the model itself would take is not what is passed on to it.
  const { images, documents, contextWindow } = own
  return { ...SAFE, images, documents, contextWindow }
}

/** The dialects that a provider speaks itself, or that are known to pass everything on. */
const OWN_DIALECTS: Readonly<Record<Provider, readonly string[]>> = {
  anthropic: ["anthropic", "ai-sdk"],
  openai: ["openai", "openai-chat", "ai-sdk"],
  google: ["gemini", "ai-sdk"],
}

type Provider = "anthropic" | "openai" | "google"

function byId(id: string): Capabilities & { readonly of?: Provider } {
  if (id.includes("claude")) return { ...claude(id), of: "anthropic" }
  if (id.includes("gpt-oss")) return SAFE
  if (id.includes("deepseek")) return { ...SAFE, images: false, contentParts: false }
  if (/(^|[/:.])(gpt-|chatgpt|o[1345](-|$)|codex)/.test(id))
    return {
      ...SAFE,
      of: "openai",
      systemMessages: true,
      documents: true,
      contextWindow: id.includes("gpt-4") ? 128_000 : 400_000,
      ...(takesBreakpoints(id) && { cacheBreakpoints: true }),
    }
  if (id.includes("gemini")) return { ...SAFE, of: "google", documents: true, contextWindow: 1_048_576 }
  return SAFE
}

/** True from GPT-5.6 on. */
function takesBreakpoints(id: string): boolean {
  const [, major, minor] = /gpt-(\d+)(?:\.(\d+))?/.exec(id) ?? []
  return major !== undefined && version(Number(major), Number(minor ?? 0)) >= version(5, 6)
}

/** Says what a model is taken to accept once it has refused a carrier. */
export function withoutCarrier(capabilities: Capabilities, carrier: Carrier): Capabilities {
  switch (carrier) {
    case "system-message":
      return { ...capabilities, systemMessages: false, toolChanges: false }
    case "tool-result":
      return { ...capabilities, toolResultReminders: false }
    case "assistant-text":
      return { ...capabilities, prefill: false }
    case "user-text":
      return capabilities
    default:
      return withoutOwnCarrier(capabilities, carrier)
  }
}

function withoutOwnCarrier(capabilities: Capabilities, carrier: Carrier): Capabilities {
  const { carriers = [], ...rest } = capabilities
  return carriers.includes(carrier)
    ? { ...rest, carriers: carriers.filter((one) => one !== carrier) }
    : capabilities
}

export type ClaudeFamily = "opus" | "sonnet" | "haiku" | "fable" | "mythos"

/** Makes a version one number that sorts: 4.8 is before 4.10. */
export function version(major: number, minor = 0): number {
  return major * 100 + minor
}

const TAKES_SYSTEM_FROM: Readonly<Record<ClaudeFamily, number>> = {
  opus: version(4, 8),
  sonnet: version(5, 5),
  haiku: version(5, 5),
  fable: version(5),
  mythos: version(5),
}

const TIES_REASONING_FROM: Readonly<Record<ClaudeFamily, number>> = {
  opus: version(5, 5),
  sonnet: version(5, 5),
  haiku: version(5, 5),
  fable: version(5, 1),
  mythos: version(5, 1),
}

const REFUSES_PREFILL_FROM = version(4, 6)

/** Earlier ones have 200,000 tokens. */
const HAS_A_MILLION_FROM: Readonly<Record<ClaudeFamily, number>> = {
  opus: version(4, 6),
  sonnet: version(4, 6),
  haiku: version(5, 5),
  fable: version(5),
  mythos: version(5),
}

/** Reads family and version of a Claude model from 4 on. Older names put the version first: "claude-3-5-sonnet". */
export function claudeRelease(
  id: string,
): { readonly family: ClaudeFamily; readonly release: number } | undefined {
  const found = /claude-(opus|sonnet|haiku|fable|mythos)-(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/.exec(id)
  if (found === null) return undefined
  return { family: found[1] as ClaudeFamily, release: version(Number(found[2]), Number(found[3] ?? 0)) }
}

/** True for a Claude model without sampling parameters and thinking budgets. */
export function refusesSampling(model: string): boolean {
  const { family, release } = claudeRelease(model.toLowerCase()) ?? { family: "opus", release: 0 }
  return release >= (family === "opus" ? version(4, 7) : version(5))
}

function claude(id: string): Capabilities {
  const base = { ...SAFE, toolResultReminders: true, documents: true, contextWindow: 200_000 }
  const found = claudeRelease(id)
  if (found === undefined) return { ...base, prefill: /claude-[123]/.test(id) }
  const { family, release } = found
  return {
    ...base,
    systemMessages: release >= TAKES_SYSTEM_FROM[family],
    toolChanges: release >= TAKES_SYSTEM_FROM[family],
    tiedReasoning: release >= TIES_REASONING_FROM[family],
    prefill: release < REFUSES_PREFILL_FROM,
    ...(release >= HAS_A_MILLION_FROM[family] && { contextWindow: 1_000_000 }),
  }
}
