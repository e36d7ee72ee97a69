import { jsonIn } from "@sotto/core/dialect"
import { isKeepable } from "./json.js"

/** What people and programs say of a session to find it again. Absent if there is none. */
export interface SessionLabels {
  /** A set, sorted. */
  readonly labels?: readonly string[]
  readonly metadata?: Readonly<Record<string, string>>
}

/** What can be said of a session at any time, whoever runs it. What is absent stays; null takes a title away. */
export interface SessionDescription extends SessionLabels {
  readonly title?: string | null
  readonly summary?: string
}

/** The most that one session has: all lists carry it, for every session. */
const LABEL_LIMITS = { labels: 20, characters: 64, metadataBytes: 4096 } as const

/** Finds what is wrong with labels, as the rest of a sentence that begins with their name. */
export function labelProblem(labels: unknown): string | undefined {
  const { labels: most, characters } = LABEL_LIMITS
  if (!Array.isArray(labels)) return "should be a list"
  if (new Set(labels).size > most) return `should have at most ${most}, and has ${new Set(labels).size}`
  const wrong = labels.find((label) => !isName(label))
  if (wrong === undefined) return undefined
  return `should each be a text of 1 to ${characters} characters, without line ends; ${JSON.stringify(wrong)} is not`
}

/** Finds what is wrong with metadata, as the rest of a sentence that begins with its name. */
export function metadataProblem(metadata: unknown): string | undefined {
  if (metadata === null || typeof metadata !== "object" || Array.isArray(metadata))
    return "should be an object of texts"
  let bytes = 0
  for (const [name, value] of Object.entries(metadata)) {
    if (!isName(name))
      return `should have names of 1 to ${LABEL_LIMITS.characters} characters, without line ends; ${JSON.stringify(name)} is not`
    if (typeof value !== "string" || !isKeepable(value)) return `should have a text as "${name}"`
    bytes += Buffer.byteLength(name) + Buffer.byteLength(value)
  }
  if (bytes <= LABEL_LIMITS.metadataBytes) return undefined
  return `should have at most ${LABEL_LIMITS.metadataBytes} bytes, names and texts together, and has ${bytes}`
}

function isName(text: unknown): boolean {
  if (typeof text !== "string" || !isKeepable(text) || text.trim() !== text) return false
  return text !== "" && [...text].length <= LABEL_LIMITS.characters && !/\p{Cc}/u.test(text)
}

/** Writes labels for a column. No labels and no column are the same. */
export function labelText(labels: readonly string[] | undefined): string | null {
  if (labels === undefined || labels.length === 0) return null
  return JSON.stringify([...new Set(labels)].sort())
}

/** Writes metadata for a column. No metadata and no column are the same. */
export function metadataText(metadata: Readonly<Record<string, string>> | undefined): string | null {
  if (metadata === undefined || Object.keys(metadata).length === 0) return null
  return JSON.stringify(metadata)
}

/** Reads labels and metadata from their columns. What cannot be read is left out, and `damaged` says so. */
export function labelsIn(row: {
  readonly labels: string | null
  readonly metadata: string | null
}): SessionLabels & { readonly damaged?: string } {
  const labels = row.labels === null ? [] : jsonIn(row.labels)
  const metadata = row.metadata === null ? {} : jsonIn(row.metadata)
  const wrong = (name: string, why: string | undefined) => why && `its ${name} ${why}`
  const isWhole = labelProblem(labels) === undefined
  const isRead = metadataProblem(metadata) === undefined
  const damaged = wrong("labels", labelProblem(labels)) ?? wrong("metadata", metadataProblem(metadata))
  return {
    ...(isWhole && row.labels !== null && { labels: labels as readonly string[] }),
    ...(isRead && row.metadata !== null && { metadata: metadata as Readonly<Record<string, string>> }),
    ...(damaged !== undefined && { damaged }),
  }
}

/** Lists the columns that a description changes, each with what it is to hold. */
export function changedColumns({ title, summary, labels, metadata }: SessionDescription) {
  return Object.entries({
    ...(title !== undefined && { title }),
    ...(summary !== undefined && { summary }),
    ...(labels !== undefined && { labels: labelText(labels) }),
    ...(metadata !== undefined && { metadata: metadataText(metadata) }),
  })
}
