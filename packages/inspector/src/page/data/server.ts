import type { ErrorAnswer } from "../../contract.js"
import type { Subject } from "../../embedded.js"
import { type DataReader, type FeedListener, type PageQuery, ServerRefusal } from "./reader.js"

/** How long the page waits before it listens again, in milliseconds. */
const AGAIN = [250, 1_000, 3_000, 10_000]

/** Reads from the server that the page came from. */
export function serverReader(): DataReader {
  return {
    isLive: true,
    sessions: (wanted) => get(`/sessions${query({ limit: 50, ...wanted })}`),
    traces: () => get("/traces"),
    session: (id) => get(`/sessions/${encodeURIComponent(id)}`),
    trace: (id) => get(`/traces/${encodeURIComponent(id)}`),
    rows: (subject, from, limit) =>
      get(`${pathOf(subject)}/${subject.type === "session" ? "steps" : "calls"}${query({ from, limit })}`),
    // A page has the whole body in it unless it is left out.
    page: (subject, n, wanted: PageQuery = {}) =>
      get(`${callPath(subject, n)}${query({ ...wanted, body: "false" })}`),
    tools: (subject, n, whole) => get(`${callPath(subject, n)}/tools${query({ whole })}`),
    compare: (a, b) => get(`/compare${query({ a, b })}`),
    breaks: (subject) => get(`${pathOf(subject)}/breaks`),
    ledger: (id, from, limit) => get(`/sessions/${encodeURIComponent(id)}/ledger${query({ from, limit })}`),
    search: (subject, q) => get(`${pathOf(subject)}/search${query({ q, limit: 100 })}`),
    raw: async (subject, n) => {
      const { body } = await get<{ readonly body?: unknown }>(`${callPath(subject, n)}${query({ limit: 1 })}`)
      return JSON.stringify(body, null, 2)
    },
    async send(method, path, body) {
      const answer = await asked(method, path, body)
      return answer.status === 204 ? undefined : answer.json()
    },
    listen,
  }
}

function pathOf({ type, id }: Subject): string {
  return `/${type}s/${encodeURIComponent(id)}`
}

function callPath(subject: Subject, n: number): string {
  return `${pathOf(subject)}/${subject.type === "session" ? "requests" : "calls"}/${n}`
}

async function get<Answer>(path: string): Promise<Answer> {
  return (await asked("GET", path)).json() as Promise<Answer>
}

async function asked(method: string, path: string, body?: unknown): Promise<Response> {
  const answer = await fetch(path, {
    method,
    credentials: "same-origin",
    ...(body !== undefined && {
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    }),
  }).catch(() => {
    throw new ServerRefusal("The server does not answer.", 0, "Start it again with `sotto inspect`.")
  })
  if (answer.ok) return answer
  throw await refusal(answer)
}

async function refusal(answer: Response): Promise<ServerRefusal> {
  const { error } = (await answer.json().catch(() => ({}))) as Partial<ErrorAnswer>
  if (answer.status === 401)
    return new ServerRefusal(
      "This page is not signed in.",
      401,
      "Open it with the link that `sotto inspect` prints.",
    )
  return new ServerRefusal(
    error?.message ?? `The server answers ${answer.status}.`,
    answer.status,
    error?.remedy,
  )
}

function query(values: Readonly<Record<string, string | number | undefined>>): string {
  const set = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  )
  return set.length === 0 ? "" : `?${new URLSearchParams(set)}`
}

/** Listens, and listens again from the last event whenever the connection is lost. */
function listen(subject: Subject, from: number, listener: FeedListener): () => void {
  let [last, failures] = [from, 0]
  let source: EventSource | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const open = () => {
    source = new EventSource(`${pathOf(subject)}/events${query({ from: last })}`)
    source.onopen = () => {
      failures = 0
      listener.link("open")
    }
    const take = ({ data, lastEventId }: MessageEvent<string>) => {
      const seq = Number(lastEventId)
      if (lastEventId !== "" && Number.isFinite(seq)) last = seq
      const event = parsed(data)
      if (event === undefined) return
      listener.event(event, seq)
      if (event.type === "end") stop("ended")
    }
    source.onmessage = take
    source.onerror = () => {
      source?.close()
      listener.link("lost")
      timer = setTimeout(open, AGAIN[Math.min(failures++, AGAIN.length - 1)])
    }
  }
  const stop = (link?: "ended") => {
    source?.close()
    clearTimeout(timer)
    if (link) listener.link(link)
  }
  open()
  return () => stop()
}

function parsed(data: string): Parameters<FeedListener["event"]>[0] | undefined {
  try {
    const event: unknown = JSON.parse(data)
    return event !== null && typeof event === "object" && "type" in event
      ? (event as Parameters<FeedListener["event"]>[0])
      : undefined
  } catch {
    return undefined
  }
}
