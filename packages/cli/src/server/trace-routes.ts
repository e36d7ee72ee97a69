import { compareSegments } from "@sotto/lens/pages"
import { notFound } from "./errors.js"
import { type ApiRoute, route } from "./route.js"
import * as schema from "./schemas.js"
import type { SessionReader } from "./sessions/session-reader.js"
import { afterOf, type Streams } from "./sse.js"
import { type Traces, unknownTrace } from "./traces/traces.js"
import type { VisibleSessions } from "./visible-sessions.js"

export function traceRoutes(traces: Traces, streams: Streams, reading: SessionReader): readonly ApiRoute[] {
  return [
    route({
      method: "get",
      path: "/compare",
      operationId: "compare",
      summary: "What differs between two requests, of one or two sessions or traces",
      scope: "read",
      isLimitable: true,
      query: schema.compareQuery,
      answer: schema.answer("CompareAnswer"),
      handle: async ({ query: { a, b }, sessions }) => {
        const side = (name: string) => sideOf(name, traces, reading, sessions)
        const [left, right] = [await side(a), await side(b)]
        const differences = compareSegments(left.segments, right.segments)
        return { json: { a: left.row, b: right.row, ...differences } }
      },
    }),
    route({
      method: "get",
      path: "/traces",
      operationId: "listTraces",
      summary: "Recordings that the server was shown, and proxies that run",
      scope: "read",
      answer: schema.answer("TraceList"),
      handle: () => ({ json: { traces: traces.list() } }),
    }),
    route({
      method: "post",
      path: "/traces",
      operationId: "addTrace",
      summary: "Shows the server a recording",
      scope: "administer",
      body: schema.pathBody,
      answer: schema.answer("TraceDetail"),
      status: 201,
      handle: async ({ body: { path } }) => ({ status: 201, json: await traces.detail(traces.add(path)) }),
    }),
    route({
      method: "get",
      path: "/traces/{id}",
      operationId: "getTrace",
      summary: "A trace, with the report of `sotto check`",
      scope: "read",
      params: schema.sessionParams,
      answer: schema.answer("TraceDetail"),
      handle: async ({ params: { id } }) => ({ json: await traces.detail(id) }),
    }),
    route({
      method: "get",
      path: "/traces/{id}/calls",
      operationId: "getCalls",
      summary: "The calls of a trace, a row each",
      scope: "read",
      params: schema.sessionParams,
      query: schema.partQuery,
      answer: schema.answer("CallRows"),
      handle: async ({ params: { id }, query: { from, limit } }) => {
        const { pages } = await traces.get(id)
        return { json: { rows: pages.rows(from, limit), total: pages.length } }
      },
    }),
    route({
      method: "get",
      path: "/traces/{id}/calls/{n}",
      operationId: "getCall",
      summary: "Call n of a trace, counted from 1, laid out for reading",
      scope: "read",
      params: schema.stepParams,
      query: schema.requestQuery,
      answer: schema.answer("CallRequest"),
      handle: async ({ params: { id, n }, query: { from, limit, whole, body = true } }) => {
        const trace = await traces.get(id)
        const { pages } = trace
        const page = pages.page(n, {
          ...(from !== undefined && { from }),
          ...(limit !== undefined && { limit }),
          ...(whole !== undefined && { whole }),
        })
        if (page === undefined)
          throw notFound(`Trace ${id} has no call ${n}.`, `It has ${pages.length}, counted from 1.`)
        const sent = body ? await trace.body(n) : undefined
        return { json: { ...page, ...(sent !== undefined && { body: parsed(sent) }) } }
      },
    }),
    route({
      method: "get",
      path: "/traces/{id}/calls/{n}/tools",
      operationId: "getCallTools",
      summary: "What the model called in its answer to call n: arguments, results, changes of files",
      scope: "read",
      params: schema.stepParams,
      query: schema.toolsQuery,
      answer: schema.answer("ToolsAnswer"),
      handle: async ({ params: { id, n }, query: { whole } }) => {
        const { pages } = await traces.get(id)
        const tools = pages.tools(n, whole)
        if (tools === undefined)
          throw notFound(`Trace ${id} has no call ${n}.`, `It has ${pages.length}, counted from 1.`)
        return { json: { tools } }
      },
    }),
    route({
      method: "get",
      path: "/traces/{id}/calls/{n}/body",
      operationId: "getCallBody",
      summary: "Only the body of call n, as it went out",
      scope: "read",
      params: schema.stepParams,
      answer: schema.answer("FreeObject"),
      handle: async ({ params: { id, n } }) => {
        const body = await (await traces.get(id)).body(n)
        if (body === undefined)
          throw notFound(`Trace ${id} has no call ${n}.`, "GET /traces/{id}/calls lists them.")
        return { text: body }
      },
    }),
    route({
      method: "get",
      path: "/traces/{id}/breaks",
      operationId: "getTraceBreaks",
      summary: "Where a call did not continue the one before it",
      scope: "read",
      params: schema.sessionParams,
      answer: schema.answer("BreakList"),
      handle: async ({ params: { id } }) => ({ json: { breaks: (await traces.get(id)).pages.breaks() } }),
    }),
    route({
      method: "get",
      path: "/traces/{id}/search",
      operationId: "searchTrace",
      summary: "Where a text first stands in what was sent",
      scope: "read",
      params: schema.sessionParams,
      query: schema.searchQuery,
      answer: schema.answer("SearchAnswer"),
      handle: async ({ params: { id }, query: { q, limit } }) => {
        const hits = (await traces.get(id)).pages.search(q, limit + 1)
        return { json: { hits: hits.slice(0, limit), more: hits.length > limit } }
      },
    }),
    route({
      method: "get",
      path: "/traces/{id}/events",
      operationId: "traceEvents",
      summary:
        "Calls as they come, as server-sent events. The number of an event is that of its call; `from` is the first one wanted",
      scope: "read",
      params: schema.sessionParams,
      query: schema.eventsQuery,
      answer: schema.answer("TraceEvent"),
      isStream: true,
      handle: async ({ params: { id }, query: { from }, outgoing, lastEvent }) => {
        const trace = await traces.get(id)
        let stop = () => {}
        const after = afterOf(from === undefined ? undefined : from - 1, lastEvent)
        const stream = streams.open(outgoing, trace, after, () => stop())
        const end = () => stream.now({ type: "end" })
        stop = trace.read({ more: () => stream.more(), end })
        if (trace.isEnded) end()
        return undefined
      },
    }),
  ]
}

/** Finds one side of a comparison. */
async function sideOf(name: string, traces: Traces, reading: SessionReader, sessions: VisibleSessions) {
  const [type, id = "", place] = name.split("/")
  if (type === "s") await sessions.check(id)
  else if (!sessions.areAll) throw unknownTrace(id)
  const pages = type === "s" ? (await reading.steps(id)).pages : (await traces.get(id)).pages
  const n = place === undefined ? pages.length : Number(place)
  const [row] = pages.rows(n, 1)
  const segments = pages.segments(n)
  if (row === undefined || segments === undefined)
    throw notFound(`There is no request ${n} in ${id}.`, `It has ${pages.length}, counted from 1.`)
  return { row, segments }
}

/** Parses a body as JSON. Any other body is shown as the text that it is. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
