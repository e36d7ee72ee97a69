import { type ContentBlock, type EmbeddedResource, RequestError } from "@agentclientprotocol/sdk"
import type { ContentPart, StandardFacts, StandardSignals } from "@sotto/core"
import { type FileRange, type Lines, placeOfUri } from "./file-range.js"

export type Selection = StandardFacts["ide:selection"]

/** What a message mentions, with its content, as the editor has it: saved or not. */
export type Attachment =
  | ({ readonly type: "mention.file" } & Pick<
      StandardSignals["mention.file"],
      "path" | "content" | "lines" | "truncated"
    >)
  | ({ readonly type: "mention.resource" } & Omit<StandardSignals["mention.resource"], "message">)

/** A prompt of the editor, in the engine's words. */
export interface Prompt {
  readonly parts: readonly ContentPart[]
  readonly attachments: readonly Attachment[]
  readonly selections: readonly Selected[]
}

/** Lines that a prompt is about; still to be read where the editor sent no text of them. */
export type Selected = Omit<Selection, "text"> & { readonly absolute: string; readonly text?: string }

// As much as reading a file would show.
const MOST_LINES = 2_000
const MOST_CHARACTERS = 50_000

/** Throws RequestError for what no model could be shown. */
export function readPrompt(blocks: readonly ContentBlock[], cwd: string): Prompt {
  const words = new Words()
  const attachments: Attachment[] = []
  const selections: Selected[] = []
  for (const block of blocks) {
    if (isForUserOnly(block)) {
      words.show(unsent(block))
      continue
    }
    switch (block.type) {
      case "text":
        words.say(block.text)
        break
      case "image":
        words.show({ type: "image", mediaType: block.mimeType, data: block.data })
        break
      case "resource_link": {
        const place = placeOfUri(block.uri, cwd)
        if (place === undefined) words.name(`[${block.title ?? block.name}](${block.uri})`)
        else if (place.lines === undefined) words.name(mention(place.path))
        else {
          selections.push({ file: place.path, absolute: place.absolute, ...place.lines })
          words.name(named(place))
        }
        break
      }
      case "resource": {
        const place = placeOfUri(block.resource.uri, cwd)
        if (!("text" in block.resource)) {
          embed(block.resource, place, words)
          break
        }
        const { uri, text } = block.resource
        words.name(place ? named(place) : uri)
        if (place === undefined) attachments.push(resourceOf(uri, text))
        else if (place.lines === undefined) attachments.push(fileOf(place.path, text))
        else selections.push({ file: place.path, absolute: place.absolute, ...place.lines, text })
        break
      }
      case "audio":
        throw noAudio()
    }
  }
  const parts = words.parts()
  if (parts.length === 0) throw RequestError.invalidParams(undefined, "the prompt is empty")
  if (parts.every(({ ignored }) => ignored === true))
    throw RequestError.invalidParams(undefined, "the prompt has nothing that is for the model")
  return { parts, attachments, selections }
}

/** True for what the user sees and the model does not: the protocol's audience says so, or our own word. */
function isForUserOnly({ annotations, _meta }: ContentBlock): boolean {
  const audience = annotations?.audience ?? []
  const isUsers = audience.length > 0 && audience.every((role) => role === "user")
  return isUsers || (_meta?.sotto as { readonly ignored?: unknown } | null | undefined)?.ignored === true
}

/** Makes a part that the model does not see. Only names what is linked or sent along. */
function unsent(block: ContentBlock): ContentPart {
  const ignored = true
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text, ignored }
    case "image":
      return { type: "image", mediaType: block.mimeType, data: block.data, ignored }
    case "resource_link":
      return { type: "text", text: `[${block.title ?? block.name}](${block.uri})`, ignored }
    case "resource":
      return { type: "text", text: block.resource.uri, ignored }
    case "audio":
      throw noAudio()
  }
}

function noAudio(): RequestError {
  return RequestError.invalidParams(undefined, "audio cannot be sent to the model; send it as text")
}

/** Facts hold one selection: of several in one prompt the last counts as it, the others are told as mentions. */
export function attachmentOf({ file, text, from, to }: Selection): Attachment {
  return fileOf(file, text, { from, to })
}

function named({ path, lines }: FileRange): string {
  return lines ? `${path}:${lines.from}-${lines.to}` : path
}

/** Writes a mention as the user would type it: the harness reads what is mentioned. */
function mention(name: string): string {
  const isPlain = /^[^\s"'`<>|*?]*[^\s"'`<>|*?.,;:!?)\]}]$/.test(name)
  return isPlain ? `@${name}` : `@"${name}"`
}

function embed(
  { mimeType, blob, uri }: Extract<EmbeddedResource["resource"], { readonly blob: string }>,
  place: FileRange | undefined,
  words: Words,
): void {
  const type = mimeType ?? "application/octet-stream"
  const name = place?.path ?? uri
  if (type.startsWith("image/")) words.show({ type: "image", mediaType: type, data: blob, name })
  else if (type === "application/pdf") words.show({ type: "file", mediaType: type, data: blob, name })
  // Nothing that a model could read; on disk a tool may find something in it.
  else words.name(place ? mention(place.path) : `${name} (${type}, cannot be shown)`)
}

function fileOf(path: string, text: string, at?: Lines): Attachment {
  const lines = text.replace(/\r?\n$/, "").split(/\r?\n/)
  const first = at?.from ?? 1
  const shown: string[] = []
  let size = 0
  for (const line of lines.slice(0, MOST_LINES)) {
    const numbered = `${first + shown.length}\t${line}`
    size += numbered.length + 1
    if (size > MOST_CHARACTERS && shown.length > 0) break
    shown.push(numbered.slice(0, MOST_CHARACTERS))
  }
  const whole = shown.length === lines.length
  return {
    type: "mention.file",
    path,
    content: text === "" ? "" : shown.join("\n"),
    ...(at && { lines: at }),
    ...(!whole && { truncated: { shown: shown.length, total: lines.length } }),
  }
}

function resourceOf(uri: string, text: string): Attachment {
  const left = text.length - MOST_CHARACTERS
  const shown = left > 0 ? `${text.slice(0, MOST_CHARACTERS)}\n[${left} more characters are left out]` : text
  return { type: "mention.resource", server: "editor", uri, text: shown }
}

/** Puts the words and the names between them together, as they stood in the editor. */
class Words {
  readonly #parts: ContentPart[] = []
  #text = ""
  #afterName = false

  say(text: string): void {
    const glued = this.#text !== "" && !/\s$/.test(this.#text) && !/^[\s.,;:!?)]/.test(text)
    this.#text += glued ? `${this.#afterName ? " " : "\n"}${text}` : text
    this.#afterName = false
  }

  name(name: string): void {
    const glued = this.#text !== "" && !/[\s(]$/.test(this.#text)
    this.#text += glued ? ` ${name}` : name
    this.#afterName = true
  }

  show(part: ContentPart): void {
    this.#endText()
    this.#parts.push(part)
  }

  parts(): readonly ContentPart[] {
    this.#endText()
    return this.#parts
  }

  #endText(): void {
    if (this.#text.trim() !== "") this.#parts.push({ type: "text", text: this.#text })
    this.#text = ""
    this.#afterName = false
  }
}
