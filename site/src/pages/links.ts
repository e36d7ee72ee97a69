import { posix } from "node:path"

/** A link or picture as a page has it, and what it means. */
export interface Link {
  readonly href: string
  readonly line: number
  readonly target: Target
}

export type Target =
  | { readonly is: "outside"; readonly url: string }
  | { readonly is: "repository"; readonly path: string; readonly anchor: string | undefined }

/** What a link on a page leads to. */
export function targetOf(from: string, href: string): Target {
  if (/^[a-z][a-z0-9+.-]*:/i.test(href)) return { is: "outside", url: href }
  const [file = "", anchor] = decodeURI(href).split("#", 2)
  const path = file === "" ? from : posix.join(posix.dirname(from), file).replace(/\/$/, "")
  return { is: "repository", path, anchor }
}

/** The picture formats that browsers show. */
export function isPicture(path: string): boolean {
  return /\.(?:svg|png|jpe?g|gif|webp|avif)$/i.test(path)
}
