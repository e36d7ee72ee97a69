import type { MendResult } from "../mender/mended.js"
import type { RawHeaders } from "./headers.js"

/** Looks on while one call passes. It is handed pieces that belong to the traffic: it copies what it keeps. */
export interface Tap {
  /** One more piece of the request's body. */
  sent(piece: Uint8Array): void
  /** A policy looked at the request. */
  mended(mending: MendResult): void
  answered(status: number, headers: RawHeaders): void
  /** One more piece of the response's body. */
  received(piece: Uint8Array): void
  /** The call is over, with a reason if it did not come to its proper end. */
  ended(error?: string): void
}
