import { pageFiles } from "@sotto/inspector"
import type { Context } from "hono"
import { ApiError } from "./errors.js"

/** Serves the files of the inspector's page by their address. They hold no data, so they need no token. */
export function servePage(): (c: Context) => Response | Promise<Response> {
  let files: ReadonlyMap<string, ReturnType<typeof pageFiles>[number]> | undefined
  return (c) => {
    files ??= new Map(read().map((file) => [`/${file.path}`, file]))
    const file = files.get(c.req.path)
    if (file === undefined) return c.notFound()
    return c.body(file.content, 200, { "content-type": file.type, "cache-control": "no-store" })
  }
}

function read(): ReturnType<typeof pageFiles> {
  try {
    return pageFiles()
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error
    throw new ApiError(
      503,
      "page-not-built",
      "The inspector's page is not built.",
      "Build it with `npm run build`. The API works without it.",
    )
  }
}
