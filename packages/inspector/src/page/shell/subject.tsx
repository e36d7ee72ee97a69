import { useCallback, useEffect, useMemo, useReducer, useState } from "preact/hooks"
import { Breaks } from "../breaks/breaks.js"
import { Charts } from "../charts/charts.js"
import { useLoaded, useRows } from "../data/hooks.js"
import { type DataReader, ServerRefusal } from "../data/reader.js"
import { Rows } from "../data/rows.js"
import { Findings } from "../findings/findings.js"
import { Ledger } from "../ledger/ledger.js"
import { Dock } from "../live/dock.js"
import { NOTHING, reduce } from "../live/live.js"
import { hashOf, type PageRoute, type SubjectRoute } from "../route/route.js"
import { Search } from "../search/search.js"
import { Step } from "../step/step.js"
import { visibleText } from "../text/visible.js"
import { Timeline } from "../timeline/timeline.js"
import { ShownContext, type SubjectContext } from "./context.js"
import { useKeys } from "./keys.js"
import { Missing, Trouble } from "./parts.js"
import { Totals } from "./totals.js"

interface Props {
  readonly reader: DataReader
  readonly route: SubjectRoute
  readonly go: (route: PageRoute) => void
  /** Tells the shell what is shown. */
  readonly onShown: (shown: { readonly title: string; readonly rows: Rows }) => void
}

/** Shows a session or a trace with all its views. */
export function SubjectViews({ reader, route, go, onShown }: Props) {
  const { type, id } = route.subject
  const subject = useMemo(() => ({ type, id }), [type, id])
  const rows = useMemo(() => new Rows(reader, subject), [reader, subject])
  useRows(rows)
  const [live, happen] = useReducer(reduce, NOTHING)
  const [chosen, setChosen] = useState<number | undefined>(undefined)
  const session = useLoaded(
    async () => (type === "session" ? await reader.session(id) : undefined),
    [type, id, live.stale],
  )
  const trace = useLoaded(
    async () => (type === "trace" ? await reader.trace(id) : undefined),
    [type, id, live.stale],
  )
  const detail = session.value ?? trace.value
  const [start, setStart] = useState<{ id: string; seq: number } | undefined>(undefined)
  useEffect(() => {
    if (session.value) happen({ is: "detail", detail: session.value })
    if (detail && start?.id !== id) setStart({ id, seq: detail.seq })
  }, [session.value, detail, start, id])
  useEffect(() => {
    if (!reader.isLive || start?.id !== id) return
    return reader.listen(subject, start.seq, {
      event: (event, seq) =>
        happen({ is: "event", event: event.type === "call" ? { type: "usage" } : event, seq }),
      link: (link) => happen({ is: "link", link }),
    })
  }, [reader, subject, start, id])
  useEffect(() => {
    if (live.stale === 0) return
    // Many events come at once; one fetch is enough for them.
    let timer = setTimeout(refresh, 100)
    function refresh() {
      // The network may be gone for a while: what was missed is fetched when it is back.
      rows.refresh().catch(() => {
        timer = setTimeout(refresh, 1_000)
      })
    }
    return () => clearTimeout(timer)
  }, [rows, live.stale])
  const title = visibleText(
    session.value?.title ||
      session.value?.begun ||
      trace.value?.name ||
      rows.all[0]?.messages?.[0]?.text ||
      id,
  )
  useEffect(() => onShown({ title, rows }), [title, rows, onShown])
  // Until a step is chosen it is the newest one, and of a recording, which is over, the first.
  const selected = chosen ?? (trace.value?.kind === "recording" ? 1 : Math.max(1, rows.total))
  const select = useCallback((n: number) => setChosen(n), [])
  useKeys({
    "1": () => go({ at: "timeline", subject }),
    "2": () => go({ at: "step", subject, n: selected }),
    "3": () => type === "session" && go({ at: "ledger", subject }),
    "4": () => go({ at: "breaks", subject }),
    "5": () => go({ at: "charts", subject }),
    "6": () => type === "trace" && go({ at: "findings", subject }),
    n: () => toBreak(1),
    p: () => toBreak(-1),
  })
  const toBreak = (direction: 1 | -1) => {
    const places = rows.all.flatMap((row) => (row?.break ? [row.n] : []))
    const next = direction === 1 ? places.find((n) => n > selected) : places.findLast((n) => n < selected)
    if (next !== undefined) go({ at: "step", subject, n: next })
  }
  const shown: SubjectContext = {
    reader,
    subject,
    rows,
    ...(session.value && { session: session.value }),
    ...(trace.value && { trace: trace.value }),
    live,
    word: type === "session" ? "step" : "call",
    go,
    selected,
    select,
  }
  const error = session.error ?? trace.error
  if (error instanceof ServerRefusal && error.status === 404 && !detail)
    return (
      <main id="main" tabIndex={-1}>
        <Missing what={error.message} />
      </main>
    )
  return (
    <ShownContext.Provider value={shown}>
      <Nav route={route} selected={selected} />
      <Totals />
      <main id="main" tabIndex={-1}>
        {error && !detail && <Trouble error={error} />}
        <View route={route} />
      </main>
      {type === "session" && reader.isLive && <Dock />}
    </ShownContext.Provider>
  )
}

function View({ route }: { readonly route: SubjectRoute }) {
  switch (route.at) {
    case "timeline":
      return <Timeline route={route} />
    case "step":
      return <Step route={route} />
    case "ledger":
      return <Ledger route={route} />
    case "breaks":
      return <Breaks route={route} />
    case "charts":
      return <Charts />
    case "findings":
      return <Findings />
    case "search":
      return <Search route={route} />
  }
}

function Nav({ route, selected }: { readonly route: SubjectRoute; readonly selected: number }) {
  const { subject } = route
  const isSession = subject.type === "session"
  const items: readonly (readonly [string, PageRoute])[] = [
    ["Timeline", { at: "timeline", subject }],
    [isSession ? "Step" : "Call", { at: "step", subject, n: selected }],
    ...(isSession ? [["Ledger", { at: "ledger", subject }] as const] : []),
    ["Breaks", { at: "breaks", subject }],
    ["Charts", { at: "charts", subject }],
    ...(isSession ? [] : [["Findings", { at: "findings", subject }] as const]),
  ]
  return (
    <nav aria-label="Views">
      {items.map(([name, to]) => (
        <a key={name} href={hashOf(to)} aria-current={to.at === route.at ? "page" : undefined}>
          {name}
        </a>
      ))}
    </nav>
  )
}
