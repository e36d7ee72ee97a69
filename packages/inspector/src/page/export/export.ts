import { documentOf } from "../../document.js"
import type { Embedded, Subject } from "../../embedded.js"
import { download } from "../data/download.js"
import type { DataReader } from "../data/reader.js"
import type { Rows } from "../data/rows.js"
import type { AnyPage } from "../data/shapes.js"

/** Requests that are fetched at the same time. */
const AT_ONCE = 6
/** A file holds this much text of requests; later requests are in it without their segments. */
const LARGEST = 40_000_000

/** Saves everything that the page can show of a subject as one file. */
export async function saveAsFile(
  reader: DataReader,
  subject: Subject,
  rows: Rows,
  title: string,
): Promise<void> {
  await rows.load()
  const data = await collected(reader, subject, rows)
  const [script, style] = await Promise.all([textOf("app.js"), textOf("app.css")])
  const [scriptHash, styleHash] = await Promise.all([hashOf(script), hashOf(style)])
  const html = documentOf({ title, script, scriptHash, style, styleHash, data: JSON.stringify(data) })
  download(`${title}.html`, html, "text/html")
}

async function collected(reader: DataReader, subject: Subject, rows: Rows): Promise<Embedded> {
  const all = rows.all.filter((row) => row !== undefined)
  const pages: (AnyPage | null)[] = all.map(() => null)
  let size = 0
  let next = 0
  const fetchSome = async () => {
    while (next < all.length && size < LARGEST) {
      const i = next++
      const page = await reader.page(subject, all[i]?.n ?? 0)
      size += page.segments.reduce((sum, { text }) => sum + text.length, 0)
      pages[i] = page
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, fetchSome))
  const [{ breaks }, detail] = await Promise.all([
    reader.breaks(subject),
    subject.type === "trace" ? reader.trace(subject.id) : reader.session(subject.id),
  ])
  const whole = breaks.map((found) => pages[found.n - 1]?.break ?? found)
  const ledger = subject.type === "session" ? await reader.ledger(subject.id, 1, 1_000) : undefined
  return {
    version: 1,
    subject,
    ...("report" in detail
      ? { trace: detail }
      : { session: { ...detail, canSteer: false, dialects: [detail.dialect] } }),
    rows: all,
    breaks: whole,
    pages: pages as Embedded["pages"],
    ...(ledger && { ledger }),
  }
}

async function textOf(name: string): Promise<string> {
  const answer = await fetch(new URL(name, document.baseURI))
  if (!answer.ok) throw new Error(`The page cannot read its own ${name}.`)
  return answer.text()
}

async function hashOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))
  return btoa(String.fromCharCode(...new Uint8Array(digest)))
}
