import type { Capabilities } from "./capabilities.js"
import { SottoError } from "./errors.js"
import type { TunableModel } from "./model-settings.js"

/** The dialects of the engine that write a provider's HTTP bodies. */
export type HttpDialectName = "anthropic" | "openai" | "openai-chat" | "gemini"

/** The dialects that come with the engine. One of your own has a name of its own. */
export type DialectName = HttpDialectName | "ai-sdk" | (string & {})

/** A model, how it is spoken to, and how it is asked. */
export interface ModelChoice extends TunableModel {
  /** The model's name: "claude-sonnet-5-5", or with the provider before it: "openai/gpt-5.6". */
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

const DIALECTS = ["anthropic", "openai", "openai-chat", "gemini", "ai-sdk"]

/** Refuses a name that is nearly one of the engine's own dialects: it would be found out only when a request is encoded. */
export function checkDialectName(model: ModelChoice | undefined): void {
  const dialect = model?.dialect
  if (typeof dialect !== "string" || DIALECTS.includes(dialect)) return
  const meant = DIALECTS.find((name) => isNearly(letters(dialect), letters(name)))
  if (meant !== undefined)
    throw new SottoError(
      "bad-options",
      `There is no dialect "${dialect}".`,
      `Write "${meant}", or give a dialect of your own a name that is less like it.`,
    )
}

function letters(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "")
}

/** True if one letter is missing, added or another one, or two neighbours are swapped. */
function isNearly(one: string, other: string): boolean {
  let start = 0
  while (start < one.length && one[start] === other[start]) start++
  const [a, b] = [one.slice(start), other.slice(start)]
  const swapped = a.length > 1 ? `${a[1]}${a[0]}${a.slice(2)}` : a
  return a === b || a.slice(1) === b || a === b.slice(1) || a.slice(1) === b.slice(1) || swapped === b
}
