import type { ProxySettings } from "./proxy-settings.js"

/** The platform's `fetch`, as far as its callers here use it: they send text, and follow redirects by themselves. */
export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

/** Makes a `fetch` that goes through the proxies of the environment, where it names any. */
export function fetchThrough(proxies: ProxySettings | undefined): Fetch {
  if (proxies === undefined) return fetch
  return async (url, init) => (await import("./proxied-fetch.js")).proxiedFetch(proxies, new URL(url), init)
}

/** Names the proxies of the settings, for people. Throws ProxyError for a setting that names no usable proxy. */
export async function proxyNames(settings: ProxySettings): Promise<readonly string[]> {
  return (await import("./proxy.js")).namesOf(settings)
}
