import { toolUse } from "@sotto/lens/pages"
import type { CallPage, ToolsAnswer } from "../../contract.js"
import type { Embedded } from "../../embedded.js"
import { type DataReader, ServerRefusal } from "./reader.js"
import type { AnyPage } from "./shapes.js"

/** Reads from the file that the page itself is. */
export function embeddedReader(data: Embedded): DataReader {
  const none = (what: string) => Promise.reject(new ServerRefusal(`${what} is not in this file.`, 404))
  const only = <T>(value: T | undefined, what: string): Promise<T> =>
    value === undefined ? none(what) : Promise.resolve(value)
  return {
    isLive: false,
    sessions: async () => ({ sessions: data.session ? [data.session] : [], more: false }),
    traces: async () => ({ traces: data.trace ? [data.trace] : [] }),
    session: () => only(data.session, "The session"),
    trace: () => only(data.trace, "The trace"),
    rows: async (_, from, limit) => ({
      rows: data.rows.slice(from - 1, from - 1 + limit),
      total: data.rows.length,
    }),
    page: async (_, n, query = {}) => {
      const own = data.pages[n - 1]
      if (!own) return none("This request")
      return pageFrom(own, data.pages, query.from, query.limit)
    },
    tools: async (_, n, whole) => ({ tools: toolsIn(data.pages, n, whole) }),
    compare: () => none("A comparison"),
    breaks: async () => ({ breaks: data.breaks }),
    ledger: () => only(data.ledger, "The ledger"),
    search: async (_, q) => searchIn(data.pages, q),
    raw: () => none("The raw body"),
    send: () => none("What the session does next"),
    listen: () => () => undefined,
  }
}

/** Puts the calls of a reply together with the results that the next page brings, in their order: a file has no ids. */
function toolsIn(pages: Embedded["pages"], n: number, whole?: string): ToolsAnswer["tools"] {
  const own = pages[n - 1]
  const next = own?.next === undefined ? undefined : pages[own.next - 1]
  const results = (next?.segments ?? []).filter(({ kind, isNew }) => kind === "result" && isNew)
  const calls = (own?.reply ?? []).filter(({ kind }) => kind === "call")
  return calls
    .map(({ name = "", text }, i) => {
      const result = results[i]
      return { id: `${i}`, name, input: parsed(text), ...(result && { result: { text: result.text } }) }
    })
    .filter(({ id }) => whole === undefined || id === whole)
    .map((called) => toolUse(called, whole !== undefined))
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return json
  }
}

/** Makes a page with the segments that were asked for. Finds those before its own in the pages before it. */
function pageFrom(own: CallPage, pages: Embedded["pages"], from: number | undefined, limit = 400): AnyPage {
  if (from === undefined || from >= own.from) return own
  const known = own.segments.slice(0, Math.max(0, from + limit - own.from))
  const before = segmentsBefore(own, pages, from, Math.min(own.from, from + limit))
  return { ...own, segments: [...before, ...known], from: own.from - before.length }
}

function segmentsBefore(
  page: CallPage,
  pages: Embedded["pages"],
  from: number,
  to: number,
): CallPage["segments"] {
  const before = page.previous === undefined ? undefined : pages[page.previous - 1]
  if (!before || from >= to) return []
  const own = before.segments.slice(Math.max(0, from - before.from), Math.max(0, to - before.from))
  const earlier = from < before.from ? segmentsBefore(before, pages, from, Math.min(to, before.from)) : []
  return [...earlier, ...own.map((segment) => ({ ...segment, isNew: false }))]
}

function searchIn(pages: Embedded["pages"], q: string) {
  const wanted = q.toLowerCase()
  const hits = pages.flatMap((page) =>
    (page?.segments ?? []).flatMap(({ path, role, text, isNew }) => {
      const at = isNew ? text.toLowerCase().indexOf(wanted) : -1
      if (at < 0 || !page) return []
      const start = Math.max(0, at - 60)
      const excerpt = `${start > 0 ? "…" : ""}${text.slice(start, at + q.length + 100)}`
      return [{ n: page.row.n, path, role, excerpt }]
    }),
  )
  return { hits: hits.slice(0, 100), more: hits.length > 100 }
}
