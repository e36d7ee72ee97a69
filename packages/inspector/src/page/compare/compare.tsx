import { CONTEXT_KINDS } from "@sotto/lens/pages"
import type { CallRow, CompareAnswer, SegmentChange } from "../../contract.js"
import type { Subject } from "../../embedded.js"
import { Sides } from "../breaks/sides.js"
import { useLoaded } from "../data/hooks.js"
import type { DataReader } from "../data/reader.js"
import { nameOf } from "../list/list.js"
import { type ComparedCall, comparedName, hashOf, type PageRoute } from "../route/route.js"
import { Badge, Loading, Trouble } from "../shell/parts.js"
import { counted, dollars, hitRate, seconds, whole } from "../text/figures.js"
import { Text } from "../text/text.js"

interface CompareProps {
  readonly reader: DataReader
  readonly route: Extract<PageRoute, { at: "compare" }>
  readonly go: (route: PageRoute) => void
}

/** What one side comes to as a whole. */
interface Whole {
  readonly name: string
  readonly count: number
  readonly tokens: { readonly sent: number; readonly read: number; readonly output?: number }
  readonly cost?: number
  readonly breaks: number
  readonly ms?: number
}

async function wholeOf(reader: DataReader, { type, id }: Subject): Promise<Whole> {
  if (type === "session") {
    const found = await reader.session(id)
    const { steps, tokens, cost, breaks, createdAt, updatedAt } = found
    const all = { name: nameOf(found), count: steps, tokens, breaks, ms: updatedAt - createdAt }
    return { ...all, ...(cost !== undefined && { cost }) }
  }
  const { name, calls, totals } = await reader.trace(id)
  const { startedAt, endedAt } = totals
  const isTimed = startedAt !== undefined && endedAt !== undefined
  return { ...totals, name, count: calls, ...(isTimed && { ms: endedAt - startedAt }) }
}

/** Shows two sessions, or two requests of one or two of them, side by side. */
export function Compare({ reader, route, go }: CompareProps) {
  const { a, b } = route
  const names = [a, b].map((side) => side && comparedName(side))
  const loaded = useLoaded(async () => {
    if (!a || !b) return undefined
    const [left, right] = [comparedName(a), comparedName(b)]
    const [found, one, other] = await Promise.all([
      reader.compare(left, right),
      wholeOf(reader, a.subject),
      wholeOf(reader, b.subject),
    ])
    return { key: `${left} ${right}`, found, a: one, b: other }
  }, names)
  const shown = loaded.value?.key === names.join(" ") ? loaded.value : undefined
  return (
    <div class="page compare">
      <h1>Compare</h1>
      <Choice reader={reader} route={route} go={go} />
      {loaded.error && <Trouble error={loaded.error} />}
      {!(a && b) && <p class="quiet">Choose two sessions or recordings, and a request of each.</p>}
      {a && b && !shown && !loaded.error && <Loading />}
      {shown && a && b && (
        <>
          <h2>As a whole</h2>
          <Wholes a={shown.a} b={shown.b} />
          <h2>The two requests</h2>
          <p>
            <a href={hashOf({ at: "step", subject: a.subject, n: shown.found.a.n })}>
              A: request {whole(shown.found.a.n)}
            </a>
            {" · "}
            <a href={hashOf({ at: "step", subject: b.subject, n: shown.found.b.n })}>
              B: request {whole(shown.found.b.n)}
            </a>
          </p>
          <Calls a={shown.found.a} b={shown.found.b} />
          <Differences found={shown.found} />
        </>
      )}
    </div>
  )
}

/** Chooses what is compared. The choice is in the address. */
function Choice({ reader, route, go }: CompareProps) {
  const sessions = useLoaded(() => reader.sessions(), [])
  const traces = useLoaded(() => reader.traces(), [])
  const known: readonly (readonly [Subject, string])[] = [
    ...(sessions.value?.sessions ?? []).map(
      (one) => [{ type: "session" as const, id: one.id }, nameOf(one)] as const,
    ),
    ...(traces.value?.traces ?? []).map((one) => [{ type: "trace" as const, id: one.id }, one.name] as const),
  ]
  const side = (which: "a" | "b") => {
    const chosen = route[which]
    const value = chosen ? comparedName({ subject: chosen.subject }) : ""
    const isListed = known.some(([subject]) => comparedName({ subject }) === value)
    const set = (call: ComparedCall | undefined) => {
      const { [which]: _, ...rest } = route
      go(call === undefined ? rest : { ...rest, [which]: call })
    }
    const title = which.toUpperCase()
    return (
      <div class="compare-side">
        <label>
          {title}
          <select
            value={value}
            onChange={(event) => {
              const found = known.find(([subject]) => comparedName({ subject }) === event.currentTarget.value)
              set(found && { subject: found[0] })
            }}
          >
            <option value="">none</option>
            {chosen && !isListed && <option value={value}>{chosen.subject.id}</option>}
            {known.map(([subject, name]) => (
              <option key={comparedName({ subject })} value={comparedName({ subject })}>
                {name} ({subject.id.slice(0, 8)})
              </option>
            ))}
          </select>
        </label>
        <label>
          request
          <input
            type="number"
            min={1}
            value={chosen?.n ?? ""}
            placeholder="last"
            disabled={!chosen}
            onChange={(event) => {
              const n = event.currentTarget.valueAsNumber
              if (chosen) set({ subject: chosen.subject, ...(n >= 1 && { n: Math.floor(n) }) })
            }}
          />
        </label>
      </div>
    )
  }
  return (
    <div class="compare-choice">
      {side("a")}
      {side("b")}
    </div>
  )
}

type Line = readonly [name: string, a: string, b: string, difference?: string]

function Table({ lines, label }: { readonly lines: readonly Line[]; readonly label: string }) {
  return (
    <table class="compared" aria-label={label}>
      <thead>
        <tr>
          <td />
          <th scope="col">A</th>
          <th scope="col">B</th>
          <th scope="col">B − A</th>
        </tr>
      </thead>
      <tbody>
        {lines.map(([name, a, b, difference = ""]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>
              <Text value={a} />
            </td>
            <td>
              <Text value={b} />
            </td>
            <td>{difference}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** Writes how much more the second has, in the words of the figure. */
function more(a: number | undefined, b: number | undefined, words: (count: number) => string): string {
  if (a === undefined || b === undefined || a === b) return ""
  return `${b > a ? "+" : "−"}${words(Math.abs(b - a))}`
}

function Wholes({ a, b }: { readonly a: Whole; readonly b: Whole }) {
  const known = (value: number | undefined, words: (value: number) => string) =>
    value === undefined ? "unknown" : words(value)
  const line = (name: string, of: (side: Whole) => number | undefined, words = whole): Line => [
    name,
    known(of(a), words),
    known(of(b), words),
    more(of(a), of(b), words),
  ]
  return (
    <Table
      label="As a whole"
      lines={[
        ["name", a.name, b.name],
        line("requests", ({ count }) => count),
        line("tokens in", ({ tokens }) => tokens.sent),
        line("tokens out", ({ tokens }) => tokens.output),
        ["hit rate", hitRate(a.tokens), hitRate(b.tokens)],
        line("cost", ({ cost }) => cost, dollars),
        line("breaks", ({ breaks }) => breaks),
        line("duration", ({ ms }) => ms, seconds),
      ]}
    />
  )
}

function Calls({ a, b }: { readonly a: CallRow; readonly b: CallRow }) {
  const kinds = CONTEXT_KINDS.filter((kind) => a.kinds[kind] !== undefined || b.kinds[kind] !== undefined)
  const line = (name: string, of: (row: CallRow) => number, words = whole): Line => [
    name,
    words(of(a)),
    words(of(b)),
    more(of(a), of(b), words),
  ]
  return (
    <Table
      label="The two requests"
      lines={[
        ["model", a.model, b.model],
        line("tokens sent", ({ tokens }) => tokens.sent),
        line("read from the cache", ({ tokens }) => tokens.read),
        line("written to the cache", ({ tokens }) => tokens.written),
        ...(a.money !== undefined && b.money !== undefined
          ? [line("cost", ({ money = 0 }) => money, dollars)]
          : []),
        ...kinds.map((kind) => line(`of it ${kind}, about`, (row) => row.kinds[kind] ?? 0)),
      ]}
    />
  )
}

function Differences({ found }: { readonly found: CompareAnswer }) {
  const { same, segments, onlyTokens, changes, left } = found
  return (
    <section aria-labelledby="differences">
      <h2 id="differences">What differs</h2>
      <p>
        The first {counted(same.segments, "segment")} ({counted(same.tokens, "token")}) of both are the same.{" "}
        {changes.length === 0
          ? "Nothing differs."
          : `Only A has ${counted(onlyTokens.a, "token")}, only B has ${counted(onlyTokens.b, "token")}, of ${whole(segments.a)} and ${whole(segments.b)} segments.`}
      </p>
      {changes.map((change, i) => (
        <Difference key={i} change={change} />
      ))}
      {left > 0 && <p class="quiet">And {counted(left, "more difference")}.</p>}
    </section>
  )
}

function Difference({ change: { a, b } }: { readonly change: SegmentChange }) {
  const one = b ?? a
  if (one === undefined) return null
  return (
    <article class="difference">
      <h3>
        <Badge tone={a && b ? "warn" : "accent"}>{a && b ? "changed" : a ? "only in A" : "only in B"}</Badge>{" "}
        {one.section === "messages" ? one.role : one.section} {one.kind}{" "}
        {one.name && (
          <code>
            <Text value={one.name} />
          </code>
        )}{" "}
        <span class="quiet">
          <Text value={one.path} /> · {a && counted(a.tokens, "token")}
          {a && b && " → "}
          {b && counted(b.tokens, "token")}
        </span>
      </h3>
      {a && b ? (
        <Sides before={["A", a.text]} after={["B", b.text]} />
      ) : (
        <details>
          <summary>Text</summary>
          <pre>
            <Text value={one.text} />
            {one.cut && "…"}
          </pre>
        </details>
      )}
    </article>
  )
}
