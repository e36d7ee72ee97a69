/** Headers as they stand on the wire: name, value, name, value. */
export type RawHeaders = readonly string[]

/** Finds the first value of a header, by its name in small letters. */
export function headerOf(headers: RawHeaders, name: string): string | undefined {
  for (let i = 0; i < headers.length; i += 2) if (headers[i]?.toLowerCase() === name) return headers[i + 1]
  return undefined
}

/** Headers that speak of one connection only, and that the other side of the proxy must not see. */
const OF_ONE_CONNECTION = new Set([
  "proxy-connection",
  "proxy-authorization",
  "proxy-authenticate",
  "upgrade",
])

/**
 * Gives the headers of a request as they go on: the same, in the same order and spelling, with the upstream's Host.
 * What `Connection` names besides keeping or closing the connection stays here.
 */
export function onwards(headers: RawHeaders, host: string): string[] {
  return replaced(withoutConnection(headers), "host", host)
}

/** Gives the headers of a response as they go back. A client of HTTP/1.0 cannot read chunks. */
export function backwards(headers: RawHeaders, isOldClient: boolean): string[] {
  const kept = withoutConnection(headers)
  return isOldClient ? without(kept, (name) => name === "transfer-encoding") : kept
}

/** Gives a header another value, where it stands. */
export function replaced(headers: RawHeaders, name: string, value: string): string[] {
  const found = headerOf(headers, name) !== undefined
  const all = headers.map((text, i) => (i % 2 === 1 && headers[i - 1]?.toLowerCase() === name ? value : text))
  return found ? all : [...all, name, value]
}

export function without(headers: RawHeaders, isGone: (name: string) => boolean): string[] {
  return headers.filter((_, i) => !isGone((headers[i - (i % 2)] ?? "").toLowerCase()))
}

function withoutConnection(headers: RawHeaders): string[] {
  const named = new Set(
    (headerOf(headers, "connection") ?? "")
      .toLowerCase()
      .split(",")
      .map((token) => token.trim()),
  )
  const [keeps, closes] = [named.delete("keep-alive"), named.delete("close")]
  // These go through: the proxy passes trailers on, and sees to the connection's end itself.
  for (const own of ["te", "", "host", "content-length", "transfer-encoding"]) named.delete(own)
  const kept = without(headers, (name) => OF_ONE_CONNECTION.has(name) || named.has(name))
  if (named.size === 0) return kept
  const left = closes ? "close" : keeps ? "keep-alive" : undefined
  return left === undefined
    ? without(kept, (name) => name === "connection")
    : replaced(kept, "connection", left)
}
