import type { Mend } from "@sotto/lens"
import type { RawHeaders } from "./headers.js"

/** What a policy did to a request. */
export interface MendResult {
  /** The text that went out, if it is another one. */
  readonly body?: string
  readonly mends: readonly Mend[]
  readonly fellBack?: string
}

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

/**
 * Bytes of one body, as it passes and unpacked, that the proxy reads into memory to analyse, record or mend it. More than
 * providers take. A larger body passes like any other.
 */
export const LARGEST_BODY = 128 * 1024 * 1024

/**
 * Bytes of requests that are read at once to be mended. A request that comes while this limit is reached passes
 * unmended.
 */
export const LARGEST_READING = 384 * 1024 * 1024

/** Completes "the request is …". */
export const TOO_LARGE = `larger than ${LARGEST_BODY / 1024 / 1024} MB, which is as much as the proxy reads`
