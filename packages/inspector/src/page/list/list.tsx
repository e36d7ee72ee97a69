import type { Ref } from "preact"
import { useEffect, useState } from "preact/hooks"
import type { SessionListItem, SessionState } from "../../contract.js"
import type { Subject } from "../../embedded.js"
import { useLoaded } from "../data/hooks.js"
import type { DataReader } from "../data/reader.js"
import { hashOf, type PageRoute, STATES } from "../route/route.js"
import { Badge, Loading, Trouble } from "../shell/parts.js"
import { counted, day, hitRate, moneyText } from "../text/figures.js"
import { Text } from "../text/text.js"
import { visibleText } from "../text/visible.js"

const TONES = { running: "good", asking: "warn", waiting: "accent", idle: "plain" } as const
const WORDS = { running: "running", asking: "asks", waiting: "waits", idle: "idle" } as const
/** How often the list looks again, in milliseconds: sessions start, ask and end while it is open. */
const LOOKS = 5_000

interface ListProps {
  readonly reader: DataReader
  readonly route: Extract<PageRoute, { at: "list" }>
  readonly go: (route: PageRoute) => void
  readonly field: Ref<HTMLInputElement>
}

/** Lists everything that can be looked at. */
export function List({ reader, route, go, field }: ListProps) {
  const { q = "", state } = route
  const wanted = { ...(q && { q }), ...(state && { state }) }
  const key = JSON.stringify(wanted)
  const [more, setMore] = useState<{ key: string; sessions: readonly SessionListItem[]; isAll: boolean }>({
    key,
    sessions: [],
    isAll: false,
  })
  const [missed, setMissed] = useState<Error | undefined>(undefined)
  const sessions = useLoaded(() => reader.sessions(wanted), [key])
  const traces = useLoaded(() => reader.traces(), [])
  useEffect(() => {
    if (!reader.isLive) return
    const timer = setInterval(() => {
      if (document.visibilityState !== "visible") return
      sessions.again()
      traces.again()
    }, LOOKS)
    return () => clearInterval(timer)
  }, [reader])
  const first = sessions.value?.sessions ?? []
  const known = new Set(first.map(({ id }) => id))
  const rest = more.key === key ? more.sessions.filter(({ id }) => !known.has(id)) : []
  const all = [...first, ...rest]
  const fetchMore = async () => {
    const last = all.at(-1)?.id
    try {
      const part = await reader.sessions({ ...wanted, ...(last && { before: last }) })
      setMore({ key, sessions: [...rest, ...part.sessions], isAll: !part.more })
      setMissed(undefined)
    } catch (error) {
      setMissed(error instanceof Error ? error : new Error(String(error)))
    }
  }
  const filter = (words: string, only: SessionState | undefined) =>
    go({ at: "list", ...(words && { q: words }), ...(only && { state: only }) })
  const [chosen, setChosen] = useState<readonly Subject[]>([])
  const isChosen = (subject: Subject) => chosen.some((one) => isSame(one, subject))
  const choose = (subject: Subject) =>
    setChosen(
      isChosen(subject) ? chosen.filter((one) => !isSame(one, subject)) : [...chosen, subject].slice(-2),
    )
  const check = (subject: Subject, name: string) =>
    reader.isLive && (
      <input
        type="checkbox"
        checked={isChosen(subject)}
        aria-label={`Compare ${visibleText(name)}`}
        title="Compare"
        onChange={() => choose(subject)}
      />
    )
  const [a, b] = chosen
  const isFiltered = q !== "" || state !== undefined
  return (
    <div class="page list">
      <h1>What the model saw</h1>
      {sessions.error && <Trouble error={sessions.error} />}
      <section aria-labelledby="sessions">
        <div class="toolbar">
          <h2 id="sessions">Sessions</h2>
          <span class="grow" />
          {reader.isLive && (
            <>
              <input
                ref={field}
                type="search"
                value={q}
                aria-label="Search sessions"
                placeholder="Title, folder or id  /"
                onInput={(event) => filter(event.currentTarget.value, state)}
              />
              <select
                value={state ?? ""}
                aria-label="State"
                onChange={(event) =>
                  filter(
                    q,
                    STATES.find((one) => one === event.currentTarget.value),
                  )
                }
              >
                <option value="">every state</option>
                {STATES.map((one) => (
                  <option key={one} value={one}>
                    {WORDS[one]}
                  </option>
                ))}
              </select>
              <a
                class="button"
                href={hashOf({
                  at: "compare",
                  ...(a && { a: { subject: a } }),
                  ...(b && { b: { subject: b } }),
                })}
              >
                {chosen.length === 0 ? "Compare" : `Compare ${chosen.length} of 2`}
              </a>
              <a class="button primary" href={hashOf({ at: "new" })}>
                New session
              </a>
            </>
          )}
        </div>
        {!sessions.value && !sessions.error && <Loading />}
        {sessions.value && all.length === 0 && (
          <p class="quiet" role="status">
            {isFiltered
              ? "No session has these words and this state."
              : "No session yet. Start one here, or with `sotto`."}
          </p>
        )}
        <ul class="cards" aria-label="Sessions">
          {all.map((session) => (
            <li key={session.id}>
              {check({ type: "session", id: session.id }, nameOf(session))}
              <SessionCard session={session} />
            </li>
          ))}
        </ul>
        {missed && <Trouble error={missed} />}
        {sessions.value?.more && !(more.key === key && more.isAll) && (
          <button type="button" onClick={() => void fetchMore()}>
            Earlier sessions
          </button>
        )}
      </section>
      <section aria-labelledby="traces">
        <h2 id="traces">Recordings and proxies</h2>
        {traces.error && <Trouble error={traces.error} />}
        {traces.value?.traces.length === 0 && (
          <p class="quiet">None. `sotto proxy --record FILE` makes one; `sotto inspect FILE` opens it.</p>
        )}
        <ul class="cards" aria-label="Recordings and proxies">
          {traces.value?.traces.map((trace) => (
            <li key={trace.id}>
              {check({ type: "trace", id: trace.id }, trace.name)}
              <a class="card" href={hashOf({ at: "timeline", subject: { type: "trace", id: trace.id } })}>
                <span class="card-title">
                  <Text value={trace.name} />
                </span>
                <Badge tone={trace.kind === "proxy" ? "good" : "plain"}>
                  {trace.kind === "proxy" ? "running proxy" : "recording"}
                </Badge>
                <span class="quiet">
                  {counted(trace.calls, "call")} · {day(trace.updatedAt)}
                </span>
              </a>
            </li>
          ))}
        </ul>
      </section>
    </div>
  )
}

function isSame(a: Subject, b: Subject): boolean {
  return a.type === b.type && a.id === b.id
}

function SessionCard({ session }: { readonly session: SessionListItem }) {
  const { id, state, steps, cost, assumed, tokens, model, updatedAt, cwd } = session
  return (
    <a class="card" href={hashOf({ at: "timeline", subject: { type: "session", id } })}>
      <span class="card-title">
        <Text value={nameOf(session)} />
      </span>
      <Badge tone={TONES[state]}>{WORDS[state]}</Badge>
      <span class="card-figures">
        <span>{counted(steps, "step")}</span>
        {tokens.sent > 0 && (
          <span title="read from the cache, of all tokens sent">{hitRate(tokens)} cached</span>
        )}
        <span>{cost === undefined ? "cost unknown" : moneyText(cost, assumed)}</span>
      </span>
      <span class="quiet path">
        <Text value={cwd} /> · <Text value={model} /> · {day(updatedAt)} · {id.slice(0, 8)}
      </span>
    </a>
  )
}

/** Names a session by its title, or by how it began. */
export function nameOf({ title, begun }: Pick<SessionListItem, "title" | "begun">): string {
  return title || begun || "Nothing said yet"
}
