import type { RawHeaders } from "./headers.js"

/**
 * True if a Host header names this machine. A page from elsewhere whose name resolves to 127.0.0.1 (DNS rebinding) says
 * its own name there. Programs that speak HTTP/1.0 say none.
 */
export function isOwnHost(host: string | undefined): boolean {
  if (host === undefined || host === "") return true
  const name = host.replace(/:\d*$/, "").replace(/\.$/, "").toLowerCase()
  return /^(localhost|[\w-]+(\.[\w-]+)*\.localhost|127(\.\d{1,3}){3}|\[::1\]|\[::ffff:(127\.[\d.]+|7f[0-9a-f]{2}:[0-9a-f]{1,4})\])$/.test(
    name,
  )
}

/**
 * True if a page in a browser sent a request. Browsers name the page's origin, or at least how it relates to the address
 * (`none`: the user typed it). Programs send neither header; Node's fetch sends `Sec-Fetch-Mode` alone.
 */
export function isFromPage(headers: RawHeaders): boolean {
  return headers.some((text, i) => {
    const name = i % 2 === 0 ? text.toLowerCase() : ""
    return name === "origin" || (name === "sec-fetch-site" && headers[i + 1]?.trim() !== "none")
  })
}

/** The path of a request, also where the client writes the whole address. Undefined if that is another host's. */
export function ownPath(url: string): string | undefined {
  if (url.startsWith("/") || url === "*") return url
  const [, host, path = ""] = /^http:\/\/([^/?#]*)(.*)$/i.exec(url) ?? []
  if (host === undefined || !isOwnHost(host)) return undefined
  return path.startsWith("/") ? path : `/${path}`
}
