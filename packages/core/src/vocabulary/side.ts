import type { Usage } from "./reply.js"

/** How something is asked about a conversation: with the session's own bytes and a tail, or with a transcript of it. */
export type SideWay = "side" | "transcript"

/** A question to the model about a running conversation. */
export interface SideQuestion {
  /** What it is for: "summary", "title", "outcome", "fork", or a word of the harness's own. Kept in the log. */
  readonly purpose: string
  /** What the model is asked, after everything that was said so far. */
  readonly ask: string
  /** False if only the provider's cache matters: the model is to write as little as its API allows. */
  readonly answer?: boolean
}

/** What the two ways of asking cost, in input-token equivalents. */
export type SidePrices = { readonly [W in SideWay]?: number }

/** A request beside the steps that was paid for. */
export interface Bill {
  /** What it was for: as in `SideQuestion`, or "retry" for an attempt that was charged and brought no reply. */
  readonly purpose: string
  /** The model that was asked. */
  readonly model: string
  /** What it cost, as the provider counted. Absent if the provider did not say. */
  readonly usage?: Usage
  /** Which way was taken, where there are two. */
  readonly way?: SideWay
  /** What the two ways would have cost, where they were compared. */
  readonly prices?: SidePrices
  /** Seconds that the provider was asked to keep its cache, where that is longer than it does by itself. */
  readonly cacheLifetime?: number
}
