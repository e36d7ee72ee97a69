import type { Carrier, Json } from "@sotto/core"
import type { ReplyStop } from "../reply/reply.js"

/** A substring, or a regular expression between slashes: "/mode changed/i". */
export type Pattern = string

/** A check on the request that a step answers. All of its fields have to hold, of the same piece of text where they can. */
export interface Expectation {
  /** Said in this request: by the user, a tool or the harness. */
  readonly told?: Pattern
  readonly notTold?: Pattern
  /** Said in a reminder of this request. */
  readonly reminder?: Pattern
  /** How what was told, or the reminder, travelled; alone: some reminder of this request travelled so. */
  readonly carrier?: Carrier
  /** In the system prompt. */
  readonly system?: Pattern
  readonly tool_choice?: "auto" | "none" | "required"
  /** Tools that are defined. */
  readonly tools?: readonly string[]
}

/** A fault that a script or a client can ask for. */
export type ScriptedFailure =
  /** An error response. */
  | { readonly status: number; readonly retryAfter?: number; readonly message?: string }
  /** The connection is cut, before the first byte or in the middle of the answer. */
  | { readonly drop: "before" | "middle" }
  /** The stream breaks off with an error of this status. */
  | { readonly event: number }
  /** The input of the calls is not JSON. */
  | { readonly malformed: true }
  /** From this step on, system messages in mid-conversation are refused. */
  | { readonly refuse: "system" }

/** A call that the stand-in makes. */
export interface ScriptedCall {
  readonly name: string
  readonly input?: { readonly [key: string]: Json }
  readonly id?: string
}

/** One answer of a script, and what it expects of the request. */
export interface ScriptStep {
  readonly text?: string
  readonly reasoning?: string
  /** What it searches the web for before its words, with the provider's own search: the request has to offer that. */
  readonly search?: string
  readonly calls?: readonly ScriptedCall[]
  readonly stop?: ReplyStop
  /** Milliseconds before the first byte. */
  readonly delay?: number
  /** Milliseconds before each token. */
  readonly tokenDelay?: number
  /** Makes its calls even where `tool_choice` forbids any; else it leaves them out, as a model would. */
  readonly disobey?: boolean
  readonly expect?: readonly Expectation[]
  /** Each applies once, in order, to the same request sent again; then the step is played. */
  readonly fail?: readonly ScriptedFailure[]
}

/** A script for the conversations that begin with certain words. */
export interface ScriptFor {
  /** In the words that open the conversation, reminders aside. */
  readonly when: Pattern
  readonly steps: readonly ScriptStep[]
}

/** What the stand-in says, step by step. */
export interface Script {
  readonly steps: readonly ScriptStep[]
  /** For several conversations at once: the first whose words fit is played instead of `steps`. */
  readonly scripts?: readonly ScriptFor[]
  /**
   * Which step answers a request: the one after as many as the conversation holds answers ("answers", the default,
   * told from the request alone), or the next one for each new request that is answered ("requests", which survives a
   * compaction and suits a single conversation).
   */
  readonly counting?: "answers" | "requests"
}
