import { randomBytes } from "node:crypto"
import { join } from "node:path"
import type { ContentPart } from "@sotto/core"
import { printedIn } from "../../execution/programs/command-output.js"
import { startOf } from "../../platform/text/text.js"
import { appendPrivate } from "../../platform/workspace/private-files.js"
import { LARGEST_IMAGE, mediaTypeOf } from "../../tools/file-views/file-view.js"
import type { Output } from "../../tools/tool.js"
import { fieldsOf, listIn, type McpFields, textIn } from "./fields.js"
import { MOST_SHOWN } from "./resource.js"

const MOST_IMAGES = 10
/** Each may become a file. */
const MOST_BLOCKS = 200

/** Converts what a tool answered to what a model can take; what is too long or of another kind goes to a file. */
export async function toolOutput(result: McpFields, scratch: string): Promise<Output> {
  const blocks = listIn(result, "content").map(fieldsOf)
  const parts = await partsOf(blocks, scratch)
  const structured = result.structuredContent
  // Servers are to say the same in words, for those who do not read structures.
  if (structured !== undefined && !blocks.some(({ type }) => type === "text"))
    parts.unshift({ type: "text", text: JSON.stringify(structured) })
  return { content: await shown(parts, scratch), ...(result.isError === true && { error: true }) }
}

/** Converts what a resource holds to what a model can take; what is too long or of another kind goes to a file. */
export async function resourceOutput(result: McpFields, scratch: string): Promise<Output> {
  const blocks = listIn(result, "contents").map((resource) => ({ type: "resource", resource }))
  return { content: await shown(await partsOf(blocks, scratch), scratch) }
}

/** Converts blocks that stand among what a user says: texts that follow one another are one. */
export async function contentFrom(
  blocks: readonly McpFields[],
  scratch: string,
): Promise<readonly ContentPart[]> {
  const content = await shown(await partsOf(blocks, scratch), scratch)
  const joined: ContentPart[] = []
  for (const part of typeof content === "string" ? [said(content)] : content) {
    const last = joined.at(-1)
    if (part.type === "text" && last?.type === "text")
      joined.splice(-1, 1, said(`${last.text}\n${part.text}`))
    else joined.push(part)
  }
  return joined
}

async function partsOf(blocks: readonly McpFields[], scratch: string): Promise<ContentPart[]> {
  const parts: ContentPart[] = []
  let images = 0
  for (const block of blocks.slice(0, MOST_BLOCKS)) {
    const part = await partOf(block, scratch, images < MOST_IMAGES)
    if (part.type === "image") images++
    parts.push(part)
  }
  const rest = blocks.length - MOST_BLOCKS
  if (rest > 0) parts.push(said(`[${rest} more blocks are left out]`))
  return parts
}

async function partOf(block: McpFields, scratch: string, showImage: boolean): Promise<ContentPart> {
  switch (block.type) {
    case "text":
      return said(textIn(block, "text") ?? "")
    case "image":
    case "audio":
      return media(textIn(block, "data") ?? "", textIn(block, "mimeType"), scratch, showImage)
    case "resource": {
      const resource = fieldsOf(block.resource)
      const text = textIn(resource, "text")
      const uri = textIn(resource, "uri") ?? ""
      if (text !== undefined) return said(uri === "" ? text : `[${uri}]\n${text}`)
      return media(textIn(resource, "blob") ?? "", textIn(resource, "mimeType"), scratch, showImage)
    }
    case "resource_link": {
      const about = ["name", "uri", "mimeType", "description"].flatMap((field) => textIn(block, field) ?? [])
      return said(`[a resource that can be read: ${startOf(about.join(", "), 1_000)}]`)
    }
    default:
      return said(`[something of the kind ${JSON.stringify(block.type) ?? "nothing"}, which cannot be shown]`)
  }
}

/** Makes an image if it is one, by its own bytes: a provider refuses the whole request over one that is not. */
async function media(
  data: string,
  claimed: string | undefined,
  scratch: string,
  showImage: boolean,
): Promise<ContentPart> {
  const bytes = Buffer.from(data, "base64")
  const mediaType = mediaTypeOf(bytes)
  if (showImage && mediaType?.startsWith("image/") && bytes.length <= LARGEST_IMAGE)
    return { type: "image", mediaType, data: bytes.toString("base64") }
  if (bytes.length === 0) return said("[media without content]")
  const kind = startOf(mediaType ?? claimed ?? "binary", 80)
  return said(`[${kind}, ${bytes.length} bytes: saved as ${saved(bytes, "bin", scratch)}]`)
}

async function shown(parts: readonly ContentPart[], scratch: string): Promise<Output["content"]> {
  const texts = parts.flatMap((part) => (part.type === "text" ? [part.text] : []))
  const length = texts.reduce((sum, text) => sum + text.length, 0)
  if (length > MOST_SHOWN) {
    const { text } = await printedIn(saved(texts.join("\n"), "txt", scratch))
    return parts.length === texts.length ? text : [said(text), ...parts.filter(({ type }) => type !== "text")]
  }
  if (parts.length === texts.length) return texts.join("\n") || "It answered with nothing."
  return parts
}

function saved(content: string | Buffer, ending: string, scratch: string): string {
  const path = join(scratch, `mcp-${randomBytes(4).toString("hex")}.${ending}`)
  appendPrivate(path, content)
  return path
}

function said(text: string): ContentPart {
  return { type: "text", text }
}
