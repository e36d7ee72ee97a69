import type { ProxySettings } from "../../platform/network/proxy-settings.js"
import { printable } from "../../platform/text/printable.js"
import { startOf } from "../../platform/text/text.js"
import { pagedLines } from "../file-views/file-view.js"
import type { Output, ToolContext } from "../tool.js"
import { type Download, download, LONGEST_MS } from "./download.js"
import { accessTo, addressIn } from "./hosts.js"
import { type PageText, pageText } from "./page.js"

export type FetchInput = { readonly url: string; readonly offset?: number; readonly limit?: number }

/** What of the user's settings fetching goes by. */
export interface FetchOptions {
  readonly proxies: ProxySettings | undefined
  /** Hosts that may have a private address, by the user's own settings. */
  readonly privateHosts: readonly string[]
  now(): number
  /** Milliseconds that a download may take. */
  readonly longest?: number
}

/** A page that was fetched in this session. */
interface Kept {
  readonly found: Omit<Download, "bytes">
  readonly page: PageText
  readonly at: number
}

/** Milliseconds for which a page is not fetched again. */
const FRESH = 15 * 60_000
const MOST_KEPT = 30
const LONGEST_ERROR = 2_000
const LONGEST_TITLE = 200

/** The pages that a session has fetched, the newest last. */
export class FetchedPages {
  readonly #pages = new Map<string, Kept>()
  readonly #options: FetchOptions

  constructor(options: FetchOptions) {
    this.#options = options
  }

  async fetch({ url: text, offset, limit }: FetchInput, context: ToolContext): Promise<Output> {
    const range = { ...(offset !== undefined && { offset }), ...(limit !== undefined && { limit }) }
    const url = addressIn(text)
    const now = this.#options.now()
    const known = this.#pages.get(url.href)
    if (known !== undefined && now - known.at < FRESH && known.at <= now) {
      const why = await this.#refusalOf(known, context)
      if (why !== undefined) return { content: why, error: true }
      return { content: shown(url, known, range, `from this session's cache, ${agoOf(now - known.at)}`) }
    }
    const { proxies, privateHosts, longest = LONGEST_MS } = this.#options
    const { bytes, ...found } = await download(url, {
      proxies,
      privateHosts,
      abort: context.abort,
      longest,
      permit: (other, from) =>
        context.permit([{ ...accessTo(other), detail: `${other.href}\n(${from.host} redirects there)` }]),
    })
    const { status, statusText } = found
    if (status >= 200 && status < 300) {
      const kept = { found, page: await pageText({ ...found, bytes }), at: now }
      this.#keep(url.href, kept)
      return { content: shown(url, kept, range) }
    }
    const page = await pageText({ ...found, bytes }).catch(() => undefined)
    const said = startOf(page?.text.trim() ?? "", LONGEST_ERROR)
    const answer = `${url.href} answered ${status} ${printable(statusText).slice(0, 80)}`.trimEnd()
    return { content: said === "" ? `${answer}.` : `${answer}:\n\n${said}`, error: true }
  }

  /** What may not be asked now is not read from the cache either. */
  async #refusalOf({ found }: Kept, context: ToolContext): Promise<string | undefined> {
    for (const host of found.hosts.slice(1)) {
      const why = await context.permit([{ permission: "fetch", target: host }])
      if (why !== undefined) return why
    }
    return undefined
  }

  #keep(href: string, kept: Kept): void {
    this.#pages.delete(href)
    this.#pages.set(href, kept)
    for (const oldest of this.#pages.keys()) {
      if (this.#pages.size <= MOST_KEPT) break
      this.#pages.delete(oldest)
    }
  }
}

/** Says where a text is from, and shows the lines that are wanted. */
function shown(
  asked: URL,
  { found, page }: Kept,
  range: { readonly offset?: number; readonly limit?: number },
  cached?: string,
): string {
  const { url } = found
  const title = startOf(printable(page.title), LONGEST_TITLE)
  const about = [
    ...(title === "" ? [] : [JSON.stringify(title)]),
    page.type,
    ...(url.href === asked.href ? [] : [`redirected to ${url.href}`]),
    ...(url.protocol === "http:" ? ["over http: anybody on the way could have changed it"] : []),
    ...(cached === undefined ? [] : [cached]),
  ]
  const note = page.isCut ? "\n[It is longer than can be fetched: this is its beginning.]" : ""
  const text =
    page.text.trim() === ""
      ? "[There is no text in it. What scripts would show is not there.]"
      : pagedLines(page.text, range)
  return `${asked.href} (${about.join("; ")})\n\n${text}${note}`
}

function agoOf(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / 60_000)
  return minutes < 1 ? "less than a minute old" : `${minutes} minute${minutes === 1 ? "" : "s"} old`
}
