import type { Json } from "@sotto/core"

export interface ReplyCall {
  readonly type: "tool-call"
  readonly id: string
  readonly name: string
  readonly input: { readonly [key: string]: Json }
  /** The input breaks off: it is not JSON. */
  readonly malformed?: true
}

/** The page that every search finds. Nothing is asked for it. */
export const FOUND = {
  url: "https://docs.example.com/found",
  title: "What was found",
  cited: "The page that the stand-in finds.",
} as const

/** A part of an answer. */
export type ReplyPart =
  /** The provider searches by itself, and finds one page. */
  | { readonly type: "search"; readonly query: string }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string }
  | ReplyCall

/** Why an answer ended. */
export type ReplyStop = "end" | "tool-calls" | "length" | "refusal"

/** Tokens. `input` is everything sent: what was read from the cache and what was written to it included. */
export interface BilledTokens {
  readonly input: number
  readonly cacheRead: number
  readonly cacheWrite: number
  /** Reasoning included. */
  readonly output: number
  readonly reasoning: number
}

/** What the stand-in answers, before any provider's format. */
export interface ScriptedReply {
  /** Letters and digits, the same for the same request: ids on the wire are made of it. */
  readonly key: string
  readonly model: string
  /** Seconds since 1970. */
  readonly createdAt: number
  readonly parts: readonly ReplyPart[]
  readonly stop: ReplyStop
  readonly usage: BilledTokens
  /** What proves that reasoning was said in answer to this very request. */
  readonly signature: string
  /** What the provider's own diagnostics say of the cache; only where they were asked for. */
  readonly diagnostics?: Json
}

/** Writes the input of a call as models do. */
export function argumentsOf(call: ReplyCall): string {
  const text = JSON.stringify(call.input)
  return call.malformed ? text.slice(0, -1) : text
}

/** Cuts a text into the pieces in which it streams: words, with the blanks before them. */
export function pieces(text: string): readonly string[] {
  return text.match(/\s*\S+(?:\s+$)?|\s+$/gu) ?? []
}

/** Cuts JSON into pieces that respect no word and no key, as the real ones do not. */
export function jsonPieces(text: string): readonly string[] {
  return text.match(/[\s\S]{1,12}/gu) ?? []
}
