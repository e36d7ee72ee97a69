import { type ContentPart, capabilitiesOf, type ModelChoice } from "@sotto/core"
import { MOST_MEDIA, Room } from "../../sources/mentions/show.js"
import { LARGEST_IMAGE, mediaTypeOf } from "../../tools/file-views/file-view.js"
import { CommandError } from "./command-fields.js"

type Media = Exclude<ContentPart, { readonly type: "text" }>

/** The bytes that a kind of file is known by. */
const BEGINNING = 12

/**
 * Refuses images and files that a model cannot be shown: the sender can send another one, and a provider that refuses a
 * request would refuse every later one of the session too.
 */
export function checkMedia(parts: readonly ContentPart[], model: () => ModelChoice): void {
  const media = parts.flatMap((part, i) => (part.type === "text" ? [] : [{ part, at: `parts.${i}` }]))
  if (media.length === 0) return
  for (const { part, at } of media) checkData(part, at)
  const parted = media.map(({ part }) => part)
  if (!new Room().take("", parted))
    throw new CommandError(
      "media-too-large",
      `images and files of one message may have ${MOST_MEDIA} bytes together`,
    )
  const { id, dialect, capabilities } = model()
  const takes = { ...capabilitiesOf({ id, ...(dialect && { dialect }) }), ...capabilities }
  for (const { part, at } of media) {
    const isTaken = part.type === "image" ? takes.images : takes.documents
    if (part.ignored !== true && !isTaken)
      throw new CommandError(
        "media-not-taken",
        `the model ${id} takes no ${part.type === "image" ? "images" : "PDF files"}, such as ${at}; use another model, or say it in words`,
      )
  }
}

/** Checks that the data is what the part says. */
function checkData({ type, mediaType, data }: Media, at: string): void {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(data) || data.replace(/=+$/, "").length % 4 === 1)
    throw new CommandError(
      "bad-media",
      `the data of ${at} is not base64; send the bytes without "data:" before them`,
    )
  const bytes = Math.floor((data.replace(/=+$/, "").length * 3) / 4)
  if (type === "image" && bytes > LARGEST_IMAGE)
    throw new CommandError(
      "media-too-large",
      `the image ${at} has ${bytes} bytes; an image may have ${LARGEST_IMAGE}`,
    )
  const found = mediaTypeOf(Buffer.from(data.slice(0, BEGINNING * 2), "base64"))
  if (found === undefined || (found === "application/pdf") !== (type === "file"))
    throw new CommandError(
      "media-not-taken",
      `models take PNG, JPEG, GIF and WebP as images, and PDF as files, and ${at} is none; mention other files with @path`,
    )
  if (found !== mediaType)
    throw new CommandError("bad-media", `the data of ${at} is ${found}, and its mediaType says ${mediaType}`)
}
