import { createHash } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { documentOf, isInlineable } from "./document.js"
import type { Embedded } from "./embedded.js"

export type * from "./contract.js"
export { PAGE_POLICY } from "./document.js"
export type { Embedded } from "./embedded.js"
export { embeddedTrace } from "./trace.js"

/** A file of the page. */
export interface PageFile {
  /** Below the address of the page: "" is the page itself. */
  readonly path: string
  readonly type: string
  readonly content: string
}

const FILES = [
  { path: "", file: "index.html", type: "text/html; charset=utf-8" },
  { path: "app.js", file: "app.js", type: "text/javascript; charset=utf-8" },
  { path: "app.css", file: "app.css", type: "text/css; charset=utf-8" },
] as const

/** Lists the files of the page. Send them with the header `content-security-policy: PAGE_POLICY`. */
export function pageFiles(): readonly PageFile[] {
  return FILES.map(({ path, file, type }) => ({ path, type, content: built(file) }))
}

/**
 * Makes one file of the page and its data that needs nothing else. `redact` sees the data before it is put into the
 * page.
 */
export function pageWith(
  data: Embedded,
  title: string,
  redact: (text: string) => string = (text) => text,
): string {
  const [script, style] = [built("app.js"), built("app.css")]
  if (!isInlineable(script) || !isInlineable(style)) throw new Error("The page cannot stand in one file.")
  return documentOf({
    title: redact(title),
    script,
    scriptHash: hashOf(script),
    style,
    styleHash: hashOf(style),
    data: redact(JSON.stringify(data)),
  })
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("base64")
}

/**
 * Reads a file of the page: beside this module where that is built or bundled; for its source, where the build puts it.
 */
function built(name: string): string {
  const beside = new URL(`./web/${name}`, import.meta.url)
  return readFileSync(existsSync(beside) ? beside : new URL(`../dist/web/${name}`, import.meta.url), "utf8")
}
