import { existsSync, readFileSync, statSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, extname, join, normalize, sep } from "node:path"
import type { Context } from "hono"
import { ApiError } from "./errors.js"

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
  ".json": "application/json",
  ".ico": "image/x-icon",
}

/** The folder of the built page. */
export function pageFolder(): string {
  const found = createRequire(import.meta.url).resolve("@sotto/inspector/package.json")
  return join(dirname(found), "dist", "web")
}

/** Serves the files of the inspector's page. The page itself stands at every address that it shows, with a hash behind. */
export function servePage(c: Context): Response | Promise<Response> {
  const folder = pageFolder()
  const path = normalize(decoded(c.req.path))
  const file = path === sep || path === "/" ? join(folder, "index.html") : join(folder, path)
  if (!file.startsWith(folder + sep) || !statSync(file, { throwIfNoEntry: false })?.isFile()) {
    if (path !== "/" && path !== sep) return c.notFound()
    if (!existsSync(join(folder, "index.html")))
      throw new ApiError(
        503,
        "page-not-built",
        "The inspector's page is not built.",
        "Build it with `npm run build`. The API works without it.",
      )
  }
  const isAsset = path.startsWith(`${sep}assets${sep}`)
  return c.body(readFileSync(file), 200, {
    "content-type": TYPES[extname(file)] ?? "application/octet-stream",
    // Names of assets change with their content.
    "cache-control": isAsset ? "private, max-age=31536000, immutable" : "no-store",
  })
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return "/"
  }
}
