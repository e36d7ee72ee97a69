import type { SessionState } from "../../contract.js"
import type { Subject } from "../../embedded.js"

/** One side of a comparison: a request of a session or a trace; without a number the last one. */
export interface ComparedCall {
  readonly subject: Subject
  readonly n?: number
}

export type Tab = "request" | "view" | "dialects" | "reply" | "raw"

export type PageRoute =
  /** Only sessions with these words, and in this state. */
  | { readonly at: "list"; readonly q?: string; readonly state?: SessionState }
  | { readonly at: "new" }
  | { readonly at: "compare"; readonly a?: ComparedCall; readonly b?: ComparedCall }
  /** An address that leads nowhere. */
  | { readonly at: "unknown"; readonly hash: string }
  | {
      readonly at: "timeline"
      readonly subject: Subject
      readonly from?: number
      readonly to?: number
      /** The step whose tools are shown beside the list. */
      readonly open?: number
    }
  | {
      readonly at: "step"
      readonly subject: Subject
      readonly n: number
      readonly tab?: Tab
      /** The segment to show. */
      readonly path?: string
    }
  | { readonly at: "ledger"; readonly subject: Subject; readonly n?: number; readonly kind?: string }
  | { readonly at: "breaks"; readonly subject: Subject; readonly n?: number }
  | { readonly at: "charts"; readonly subject: Subject }
  | { readonly at: "findings"; readonly subject: Subject }
  | { readonly at: "search"; readonly subject: Subject; readonly q: string }

/** The routes that show a session or a trace. */
export type SubjectRoute = Extract<PageRoute, { readonly subject: Subject }>

export const STATES: readonly SessionState[] = ["running", "asking", "waiting", "idle"]
const TABS: readonly Tab[] = ["request", "view", "dialects", "reply", "raw"]

/** Reads the part of an address behind "#". */
export function parseRoute(hash: string): PageRoute {
  const [path = "", query = ""] = hash.replace(/^#/, "").split("?", 2)
  const [, type, id, view = "timeline", place] = path.split("/").map(decoded)
  const values = new URLSearchParams(query)
  const unknown: PageRoute = { at: "unknown", hash }
  if (path === "" || path === "/") {
    const q = values.get("q")
    const state = STATES.find((one) => one === values.get("state"))
    return { at: "list", ...(q && { q }), ...(state && { state }) }
  }
  if (path === "/new") return { at: "new" }
  if (path === "/compare") {
    const [a, b] = [comparedIn(values.get("a")), comparedIn(values.get("b"))]
    return { at: "compare", ...(a && { a }), ...(b && { b }) }
  }
  if ((type !== "s" && type !== "t") || !id) return unknown
  const subject: Subject = { type: type === "s" ? "session" : "trace", id }
  const n = counting(place)
  switch (view) {
    case "step": {
      if (n === undefined) return unknown
      const tab = TABS.find((name) => name === values.get("tab"))
      const segment = values.get("segment")
      return { at: "step", subject, n, ...(tab && { tab }), ...(segment && { path: segment }) }
    }
    case "ledger": {
      const kind = values.get("kind")
      return { at: "ledger", subject, ...(n !== undefined && { n }), ...(kind && { kind }) }
    }
    case "breaks":
      return { at: "breaks", subject, ...(n !== undefined && { n }) }
    case "charts":
    case "findings":
      return { at: view, subject }
    case "search":
      return { at: "search", subject, q: values.get("q") ?? "" }
    case "timeline": {
      const from = counting(values.get("from"))
      const to = counting(values.get("to"))
      const open = counting(values.get("open"))
      const isPart = from !== undefined && to !== undefined && from <= to
      return { at: "timeline", subject, ...(isPart && { from, to }), ...(open !== undefined && { open }) }
    }
    default:
      return unknown
  }
}

/** Gives the address of a route, from "#" on. */
export function hashOf(route: PageRoute): string {
  if (route.at === "list") return `#/${query({ q: route.q, state: route.state })}`
  if (route.at === "new") return "#/new"
  if (route.at === "unknown") return route.hash
  if (route.at === "compare")
    return `#/compare${query({ a: route.a && comparedName(route.a), b: route.b && comparedName(route.b) })}`
  const { type, id } = route.subject
  const base = `#/${type === "session" ? "s" : "t"}/${encodeURIComponent(id)}`
  switch (route.at) {
    case "timeline": {
      const isPart = route.from !== undefined && route.to !== undefined
      const part = isPart ? { from: `${route.from}`, to: `${route.to}` } : {}
      return `${base}/timeline${query({ ...part, open: route.open?.toString() })}`
    }
    case "step":
      return `${base}/step/${route.n}${query({ tab: route.tab, segment: route.path })}`
    case "ledger":
      return `${base}/ledger${route.n === undefined ? "" : `/${route.n}`}${query({ kind: route.kind })}`
    case "breaks":
      return `${base}/breaks${route.n === undefined ? "" : `/${route.n}`}`
    case "charts":
    case "findings":
      return `${base}/${route.at}`
    case "search":
      return `${base}/search${query({ q: route.q })}`
  }
}

/** Names a request as the server and the address do: "s/ID/3". */
export function comparedName({ subject: { type, id }, n }: ComparedCall): string {
  return `${type === "session" ? "s" : "t"}/${encodeURIComponent(id)}${n === undefined ? "" : `/${n}`}`
}

function comparedIn(text: string | null): ComparedCall | undefined {
  const [type, id = "", place] = (text ?? "").split("/").map(decoded)
  if ((type !== "s" && type !== "t") || id === "") return undefined
  const n = counting(place)
  return { subject: { type: type === "s" ? "session" : "trace", id }, ...(n !== undefined && { n }) }
}

/**
 * Finds the word that the link in the terminal brings along, which opens the page once. It never leaves the fragment.
 */
export function onceIn(hash: string): { readonly once: string; readonly to: string } | undefined {
  const values = new URLSearchParams(hash.replace(/^#/, ""))
  const once = values.get("once")
  if (!once) return undefined
  const to = values.get("to") ?? "/"
  return { once, to: to.startsWith("/") ? `#${to}` : "#/" }
}

function query(values: Readonly<Record<string, string | undefined>>): string {
  const set = Object.entries(values).flatMap(([name, value]) => (value ? [[name, value]] : []))
  return set.length === 0 ? "" : `?${new URLSearchParams(set)}`
}

function counting(text: string | null | undefined): number | undefined {
  return text && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return ""
  }
}
