import { framedText, nothingSaid } from "../inbox/frame.js"
import { outsideText } from "../text/guard/outside.js"
import { inline, renderForm, wrapReminder } from "../text/reminder-text.js"
import type { Frame, Result } from "../vocabulary/exchange.js"
import { type ContentPart, isBase64, isBlank, type MediaPart } from "../vocabulary/message.js"
import type { Form } from "../vocabulary/reminder.js"
import type { Placement } from "../vocabulary/request.js"
import { wellFormed } from "../vocabulary/unicode.js"
import type { MediaBlock, TextBlock, ToolResultBlock } from "../vocabulary/wire-message.js"

export type Inline = TextBlock | MediaBlock

/** Writes the final text of blocks, and counts what it had to neutralise. */
export class Scribe {
  readonly #placement: Placement
  neutralised = 0

  constructor(placement: Placement) {
    this.#placement = placement
  }

  /** Writes the harness's own words. */
  harness(text: string): TextBlock {
    return { type: "text", text, synthetic: true }
  }

  /** Writes a form where its place alone says who speaks. */
  plain(form: Form): TextBlock {
    return this.harness(this.#rendered(form))
  }

  /** Writes a form between tags, among other people's text; its media follow it as they are. */
  tagged(form: Form): readonly Inline[] {
    return [this.harness(this.#wrap(this.#rendered(form))), ...this.#content(form.body?.media ?? [])]
  }

  /** Writes outside words and their frame as one reminder; media follow it as they are. */
  framed(parts: readonly ContentPart[], frame: Frame): readonly Inline[] {
    const media = this.#content(parts.filter((part) => part.type !== "text"))
    return [this.harness(this.#wrap(this.outside(framedText(frame, parts)))), ...media]
  }

  /** Writes outside words as they are. `id` is what snip would call them, if it may. */
  words(parts: readonly ContentPart[], id?: string): readonly Inline[] {
    const blocks = this.#content(parts)
    const said = blocks.length > 0 ? blocks : [this.harness(nothingSaid(false))]
    return this.#placement.idTags && id !== undefined ? [...said, this.#tag(id)] : said
  }

  result(result: Result): ToolResultBlock {
    const blocks = this.#content(result.output)
    const content = blocks.length > 0 ? blocks : [this.harness("(no output)")]
    return {
      type: "tool-result",
      callId: result.callId,
      name: wellFormed(result.name).text,
      content: this.#placement.idTags ? [...content, this.#tag(result.id)] : content,
      error: result.error,
    }
  }

  outside(text: string): string {
    const { text: safe, count } = outsideText(text)
    this.neutralised += count
    return safe
  }

  #content(parts: readonly ContentPart[]): readonly Inline[] {
    return parts.flatMap((part): Inline[] => {
      if (part.ignored === true) return []
      if (part.type !== "text") return [this.#media(part)]
      return isBlank(part.text) ? [] : [{ type: "text", text: this.outside(part.text) }]
    })
  }

  #media(part: MediaPart): Inline {
    const { images, documents } = this.#placement.capabilities
    const { type, mediaType, data } = part
    const name = part.name === undefined ? undefined : this.outside(part.name)
    const taken =
      type === "image" ? images && IMAGES.includes(mediaType) : documents && mediaType === "application/pdf"
    const isSound = isBase64(data)
    if (taken && isSound) return { type, mediaType, data, ...(name !== undefined && { name }) }
    const what = [type === "image" ? "image" : "file", name && `"${name}"`, `(${this.outside(mediaType)})`]
    const why = isSound ? "this model does not take it" : "it is damaged"
    return this.harness(`[${what.filter(Boolean).join(" ")} was left out: ${why}]`)
  }

  #rendered(form: Form): string {
    const { text, count } = renderForm(form)
    this.neutralised += count
    return text
  }

  #wrap(text: string): string {
    return wrapReminder(text, this.#placement.nonce)
  }

  #tag(id: string): TextBlock {
    return this.harness(`[id:${this.outside(inline(id))}]`)
  }
}

/** What every provider that takes images takes. */
const IMAGES = ["image/png", "image/jpeg", "image/gif", "image/webp"]
