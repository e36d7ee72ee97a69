import { stringField } from "../../vocabulary/fields.js"
import { isBase64 } from "../base64.js"
import type { Problems } from "../problems.js"
import { LONGEST_CACHE_KEY, LONGEST_NAME } from "./write.js"

// What both of OpenAI's APIs refuse, in their words.

/** Writes a path as the API does: "input[3].content[0]" for "input.3.content.0". */
export function apiPath(path: string): string {
  return path.replace(/\.(\d+)/g, "[$1]")
}

export function missing(path: string, problems: Problems): void {
  problems.add(path, `Missing required parameter: '${apiPath(path)}'.`)
}

export function unsupported(
  path: string,
  value: string | undefined,
  values: readonly string[],
  problems: Problems,
): void {
  if (value === undefined) missing(path, problems)
  else problems.add(path, invalidValue(value, values))
}

/** Notes an unknown value of a list that may have grown since. */
export function unknown(
  path: string,
  value: string | undefined,
  values: readonly string[],
  problems: Problems,
): void {
  if (value === undefined) missing(path, problems)
  else problems.note(path, invalidValue(value, values))
}

function invalidValue(value: string, values: readonly string[]): string {
  const quoted = values.map((one) => `'${one}'`)
  const listed = [quoted.slice(0, -1).join(", "), ...quoted.slice(-1)].filter(Boolean).join(" and ")
  return `Invalid value: '${value}'. Supported values are: ${listed}.`
}

/** Checks that a list has something in it. */
export function checkNotEmpty(list: readonly unknown[], path: string, problems: Problems): void {
  if (list.length > 0) return
  problems.add(
    path,
    `Invalid '${apiPath(path)}': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
  )
}

export function checkLength(text: string, longest: number, path: string, problems: Problems): void {
  if (text.length <= longest) return
  problems.add(
    path,
    `Invalid '${apiPath(path)}': string too long. Expected a string with maximum length ${longest}, but got a string with length ${text.length} instead.`,
  )
}

export function checkName(name: string | undefined, path: string, problems: Problems): void {
  checkLength(name ?? "", LONGEST_NAME, path, problems)
  if (name === undefined) missing(path, problems)
  else if (!/^[a-zA-Z0-9_-]+$/.test(name))
    problems.add(
      path,
      `Invalid '${apiPath(path)}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
    )
}

/** Checks what a call names and passes. */
export function checkCalled(called: unknown, path: string, problems: Problems): void {
  checkName(stringField(called, "name"), `${path}.name`, problems)
  if (stringField(called, "arguments") === undefined) missing(`${path}.arguments`, problems)
}

export function checkCacheKey(body: unknown, problems: Problems): void {
  checkLength(stringField(body, "prompt_cache_key") ?? "", LONGEST_CACHE_KEY, "prompt_cache_key", problems)
}

const DATA_URL = /^data:([\w.+-]+\/[\w.+-]+);base64,/

/** Gives the media type of a data URL whose data can be read. */
function mediaTypeOf(url: string): string | undefined {
  const found = DATA_URL.exec(url)
  return found !== null && isBase64(url.slice(found[0].length)) ? found[1] : undefined
}

export function checkImage(url: string | undefined, path: string, problems: Problems): void {
  const mediaType = mediaTypeOf(url ?? "")
  if (url === undefined) missing(path, problems)
  else if (/^https?:\/\//.test(url)) return
  else if (mediaType === undefined)
    problems.add(
      path,
      `Invalid '${apiPath(path)}'. Expected a base64-encoded data URL with an image MIME type.`,
    )
  else if (!["image/png", "image/jpeg", "image/gif", "image/webp"].includes(mediaType))
    problems.add(
      path,
      "You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', 'jpeg', 'gif', 'webp'].",
    )
}

export function checkFile(file: unknown, path: string, problems: Problems): void {
  if (stringField(file, "file_id") !== undefined || stringField(file, "file_url") !== undefined) return
  if (stringField(file, "filename") === undefined) missing(`${path}.filename`, problems)
  if (mediaTypeOf(stringField(file, "file_data") ?? "") === undefined)
    problems.add(
      `${path}.file_data`,
      `Invalid '${apiPath(path)}.file_data'. Expected a base64-encoded data URL with an application/pdf MIME type (e.g. 'data:application/pdf;base64,aGVsbG8=').`,
    )
}
