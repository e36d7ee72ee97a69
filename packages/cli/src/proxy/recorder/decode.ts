import * as zlib from "node:zlib"
import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from "node:zlib"
import { LARGEST_BODY, TOO_LARGE } from "../transport/tap.js"

/** A body as text, or the reason why it cannot be read as text. */
export type DecodedBody = { readonly text: string } | { readonly problem: string }

/** A body is compressed once. More layers are an attempt to keep the analysis busy. */
const MOST_LAYERS = 3

/** Undoes the compressions that a body went through, and reads it as UTF-8. The bytes are only looked at. */
export function decoded(bytes: Uint8Array, encoding: string | undefined): DecodedBody {
  let unpacked = bytes
  const encodings = (encoding ?? "")
    .toLowerCase()
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "" && one !== "identity")
  if (encodings.length > MOST_LAYERS) return { problem: `compressed more than ${MOST_LAYERS} times` }
  for (const one of encodings.toReversed()) {
    const unpack = unpackers[one]
    if (unpack === undefined) return { problem: `compressed as ${one}, which this Node cannot undo` }
    try {
      unpacked = unpack(unpacked)
    } catch (error) {
      // A small body may unpack to a large one on purpose.
      const isLarge = error instanceof Error && "code" in error && error.code === "ERR_BUFFER_TOO_LARGE"
      return { problem: isLarge ? TOO_LARGE : `not the ${one} that its header promises` }
    }
  }
  try {
    return { text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(unpacked) }
  } catch {
    return { problem: "not UTF-8 text" }
  }
}

type Unpack = (bytes: Uint8Array) => Uint8Array

// A stream that was cut off still tells what came before.
const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH } = zlib.constants
const limits = { maxOutputLength: LARGEST_BODY }
const gunzip: Unpack = (bytes) => gunzipSync(bytes, { ...limits, finishFlush: Z_SYNC_FLUSH })

const unpackers: Readonly<Record<string, Unpack>> = {
  gzip: gunzip,
  "x-gzip": gunzip,
  br: (bytes) => brotliDecompressSync(bytes, { ...limits, finishFlush: BROTLI_OPERATION_FLUSH }),
  // Some servers leave out the wrapper that the standard asks for.
  deflate: (bytes) =>
    ((bytes[0] ?? 0) & 0x0f) === 8
      ? inflateSync(bytes, { ...limits, finishFlush: Z_SYNC_FLUSH })
      : inflateRawSync(bytes, { ...limits, finishFlush: Z_SYNC_FLUSH }),
  ...zstd(),
}

/** Unpacks zstd where Node can: from 22.15 on. */
function zstd(): Readonly<Record<string, Unpack>> {
  const unpack: unknown = Reflect.get(zlib, "zstdDecompressSync")
  return typeof unpack === "function" ? { zstd: (bytes) => unpack(bytes, limits) as Uint8Array } : {}
}
