import type { Endpoint } from "@sotto/lens/sources"
import type { MendResult } from "../mender/mended.js"
import type { RawHeaders } from "../transport/headers.js"

/** The bytes of a body in blocks. Nothing is kept of one that is larger than `LARGEST_BODY`. */
export type CapturedBody = readonly Uint8Array<ArrayBuffer>[] | "too large"

/** A call as it passed, in bytes: what the analysis is handed. */
export interface CapturedCall {
  /** Counted from 1 in this run, in the order in which calls end: the order of the lines of a recording. */
  readonly number: number
  readonly at: number
  readonly ms: number
  readonly method: string
  readonly path: string
  readonly endpoint: Endpoint
  readonly headers: RawHeaders
  readonly body: CapturedBody
  readonly response?: { readonly status: number; readonly headers: RawHeaders; readonly body: CapturedBody }
  readonly error?: string
  /** What became of the request, if a policy is on. */
  readonly mending?: MendResult
}
