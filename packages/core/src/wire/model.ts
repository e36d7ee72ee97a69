import type { Capabilities } from "./capabilities.js"
import type { TunableModel } from "./tuning.js"

/** The dialects that come with the engine. One of your own has a name of its own. */
export type DialectName = "anthropic" | "openai" | "openai-chat" | "gemini" | "ai-sdk" | (string & {})

/** A model, how it is spoken to, and how it is asked. */
export interface ModelChoice extends TunableModel {
  /** The model's name: "claude-sonnet-4-5", or with the provider before it: "openai/gpt-5.6". */
  readonly id: string
  /**
   * The wire format in which the requests are written. It decides, with the id, what is accepted: a Claude model behind
   * a Chat Completions gateway takes what the gateway takes. Requests refuse to be encoded in another dialect.
   * Absent: the provider's own.
   */
  readonly dialect?: DialectName
  /** What it accepts, where the built-in table is wrong or silent. */
  readonly capabilities?: Partial<Capabilities>
}
