import type { KnownSignal, MediaPart, Signal } from "@sotto/core"

/** What a message brought along because the user mentioned it, such as `@notes.md`: the model was given it. */
export interface AttachedEvent {
  readonly type: "attached"
  /** The id of the message that mentions it. */
  readonly message: string
  /** A path, `server:uri`, or the name of an agent. */
  readonly name: string
  /** How much of it: "lines 3 to 9", "an image", "12 entries". */
  readonly what: string
}

/** Words what a noted signal attached to a message; undefined if it is about something else. */
export function attachedBy(signal: Signal): AttachedEvent | undefined {
  const known = signal as Partial<KnownSignal<Mentioned>> & Signal
  if (typeof known.message !== "string") return undefined
  const { message } = known
  switch (known.type) {
    case "mention.file":
      return { type: "attached", message, name: String(known.path), what: fileWords(known) }
    case "mention.pdf":
      return {
        type: "attached",
        message,
        name: String(known.path),
        what: `a PDF of ${known.pages ?? "many"} pages, by name only`,
      }
    case "mention.directory":
      return {
        type: "attached",
        message,
        name: String(known.path),
        what: counted(linesOf(known.listing), "entry", "entries"),
      }
    case "mention.resource": {
      const what =
        known.text === undefined
          ? (known.mediaType ?? "binary, by name only")
          : counted(linesOf(known.text), "line", "lines")
      return { type: "attached", message, name: `${known.server}:${known.uri}`, what }
    }
    case "mention.agent":
      return { type: "attached", message, name: String(known.agent), what: "an agent, by name" }
    default:
      return undefined
  }
}

type Mentioned = "mention.file" | "mention.pdf" | "mention.directory" | "mention.resource" | "mention.agent"

function fileWords({
  content = "",
  lines,
  truncated,
  media = [],
}: Partial<KnownSignal<"mention.file">>): string {
  // The content of a file has numbers before its lines. A note says why there is none.
  if (/^\[.*\]$/s.test(content)) return content.slice(1, -1).replace(/\.$/, "")
  if (media.length > 0) return media.map(mediaWords).join(", ")
  if (lines) return `lines ${lines.from} to ${lines.to}`
  if (truncated) return `the first ${truncated.shown} of ${truncated.total} lines`
  return content === "" ? "an empty file" : counted(linesOf(content), "line", "lines")
}

function mediaWords({ type, mediaType }: MediaPart): string {
  if (type === "image") return "an image"
  return mediaType === "application/pdf" ? "a PDF" : mediaType
}

function linesOf(text: string | undefined): number {
  return text === undefined || text === "" ? 0 : text.split("\n").length
}

function counted(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`
}
