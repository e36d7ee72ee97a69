import { field, jsonIn, stringField } from "../vocabulary/fields.js"
import type { ContentPart } from "../vocabulary/message.js"
import type { Transcript } from "./transcript.js"

/** Names something that could not come over, so that the conversation still makes sense. */
function placeholder(text: string): readonly ContentPart[] {
  return [{ type: "text", text: `[${text}]`, synthetic: true }]
}

interface Media {
  readonly mediaType: unknown
  /** Base64. */
  readonly data: unknown
  readonly name?: unknown
}

/** Makes an image or a document with its bytes. Names in its place what has none, or is damaged. */
export function mediaPart(media: Media, into: Transcript, at: string): readonly ContentPart[] {
  const { mediaType, data, name } = media
  const bytes = typeof data === "string" ? data.replace(/\s/g, "") : ""
  const named = typeof name === "string" && name !== "" ? { name } : {}
  if (typeof mediaType !== "string" || !/^[\w.+-]+\/[\w.+-]+$/.test(mediaType)) {
    into.skip(at, "a file without a media type")
    return placeholder("a file of an unknown type was here")
  }
  if (bytes === "" || bytes.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(bytes)) {
    into.skip(at, `${mediaType} without readable data`)
    return placeholder(`${mediaType} was here`)
  }
  const type = mediaType.startsWith("image/") ? "image" : "file"
  return [{ type, mediaType, data: bytes, ...named }]
}

/** Reads a URL: its bytes if it has them ("data:…"), else its address as text, because core fetches nothing. */
export function mediaAt(
  url: unknown,
  into: Transcript,
  at: string,
  { mediaType, name }: { readonly mediaType?: unknown; readonly name?: unknown } = {},
): readonly ContentPart[] {
  const found = typeof url === "string" ? /^data:([^;,]*)(;[^,]*)?;base64,(.*)$/s.exec(url) : null
  if (found) return mediaPart({ mediaType: found[1] || mediaType, data: found[3], name }, into, at)
  if (typeof url === "string" && url !== "" && !url.startsWith("data:")) {
    into.skip(at, "a file by its address: the address came over, the file did not")
    return placeholder(`a file was here: ${url}`)
  }
  into.skip(at, "a file without data or address")
  return placeholder("a file was here")
}

/** Texts of a list of parts, or a text by itself. */
export function textIn(value: unknown): string {
  if (typeof value === "string") return value
  if (!Array.isArray(value)) return stringField(value, "text") ?? ""
  return value.map((one) => (typeof one === "string" ? one : (stringField(one, "text") ?? ""))).join("\n")
}

/** Finds the list in what was given: the list itself, a body that has it under one of the names, or its JSON. */
export function listIn(given: unknown, into: Transcript, ...names: readonly string[]): readonly unknown[] {
  const value = typeof given === "string" ? jsonIn(given) : given
  if (Array.isArray(value)) return value
  for (const name of names) {
    const inner = field(value, name)
    if (Array.isArray(inner)) return inner
  }
  into.skip(
    "",
    `there is no list of messages: neither the value itself nor ${names.join(" or ")} in it is one`,
  )
  return []
}

/** Says of what kind something is that was left out. */
export function kindOf(value: unknown): string {
  if (value === null) return "null"
  const type = stringField(value, "type") ?? stringField(value, "role")
  return type === undefined ? `${Array.isArray(value) ? "a list" : typeof value}` : JSON.stringify(type)
}
