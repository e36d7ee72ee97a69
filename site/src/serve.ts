import { createReadStream, statSync } from "node:fs"
import { createServer, type Server } from "node:http"
import { extname, join, normalize } from "node:path"

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".txt": "text/plain; charset=utf-8",
}

/** Shows a folder on loopback. Resolves when it listens. */
export async function serve(folder: string, port: number): Promise<{ server: Server; url: string }> {
  const server = createServer((request, response) => {
    const file = fileOf(folder, request.url ?? "/")
    if (file === undefined) {
      response.writeHead(404, { "content-type": "text/plain; charset=utf-8" }).end("There is no such page.\n")
      return
    }
    response.writeHead(200, {
      "content-type": TYPES[extname(file)] ?? "application/octet-stream",
      "cache-control": "no-store",
    })
    createReadStream(file).pipe(response)
  })
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(port, "127.0.0.1", resolve)
  })
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("The server has no port.")
  return { server, url: `http://127.0.0.1:${address.port}/` }
}

/** The file of a folder that an address names. Nothing outside of it. */
function fileOf(folder: string, address: string): string | undefined {
  try {
    const path = decodeURIComponent(new URL(address, "http://localhost").pathname)
    const file = join(folder, normalize(path))
    if (path.includes("\0")) return undefined
    if (statSync(file).isFile()) return file
    const index = join(file, "index.html")
    return path.endsWith("/") && statSync(index).isFile() ? index : undefined
  } catch {
    return undefined // No such file, or no address.
  }
}
