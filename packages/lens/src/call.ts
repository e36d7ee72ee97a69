/** The HTTP dialects that the lens reads. */
import type { HttpDialectName } from "@sotto/core"

export type { HttpDialectName } from "@sotto/core"

/** One request to a provider and, if it was captured, its response. */
export interface Call {
  /** The file, session or stream that the call was read from. */
  readonly source: string
  /** Its line or position in the source, counted from 1. */
  readonly number: number
  /** When the request was seen, in milliseconds since 1970. */
  readonly at?: number
  /** How long the whole call took. */
  readonly ms?: number
  /** Left out where only the shape of the body tells it. */
  readonly dialect?: HttpDialectName
  /** The model as far as it is not in the body: Gemini's is in the address. */
  readonly model?: string
  readonly path?: string
  /** What the header `anthropic-beta` lists. */
  readonly betas?: readonly string[]
  /** The request, parsed. */
  readonly body: unknown
  /** The bytes of the request as text, if they are known. The byte of a break refers to them. */
  readonly text?: string
  /** True for a session file: only part of the request is known, so its bytes are not those on the wire. */
  readonly partial?: boolean
  readonly response?: CallResponse
  /** Why the response is missing, or why it ended early. */
  readonly error?: string
  /** What the proxy sent instead of the request, if it mended it. `body` and `text` are what the harness sent. */
  readonly sent?: { readonly body: unknown; readonly text?: string }
}

/** What the provider answered, as far as it was captured. */
export interface CallResponse {
  readonly status?: number
  /** The parsed JSON, if it is not a stream. */
  readonly body?: unknown
  /** The raw text: JSON, or server-sent events. */
  readonly text?: string
}

/** A line or an entry of a source that cannot be read as a call. It becomes a finding. */
export interface SourceDamage {
  readonly source: string
  readonly number: number
  readonly message: string
}

/** What kind of recording a source is, as `sotto check --json` names it. */
export type SourceFormat =
  | "bodies"
  | "calls"
  | "har"
  | "sotto"
  | "claude-code"
  | "codex"
  | "pi"
  | "opencode"
  | "gemini-cli"

/** One element of what a reader of sources yields. */
export type SourceItem =
  | { readonly type: "call"; readonly call: Call }
  | { readonly type: "damage"; readonly damage: SourceDamage }
