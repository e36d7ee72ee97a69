import { useState } from "preact/hooks"
import type { SessionListItem } from "../../contract.js"
import { useLoaded } from "../data/hooks.js"
import type { DataReader } from "../data/reader.js"
import { hashOf } from "../route/route.js"
import { Badge, Loading, Trouble } from "../shell/parts.js"
import { counted, day } from "../text/figures.js"
import { Text } from "../text/text.js"

const TONES = { running: "good", asking: "warn", waiting: "accent", idle: "plain" } as const
const WORDS = { running: "running", asking: "asks", waiting: "waits", idle: "idle" } as const

/** Lists everything that can be looked at. */
export function List({ reader }: { readonly reader: DataReader }) {
  const [more, setMore] = useState<readonly SessionListItem[]>([])
  const [isDone, setDone] = useState(false)
  const sessions = useLoaded(() => reader.sessions(), [])
  const traces = useLoaded(() => reader.traces(), [])
  const all = [...(sessions.value?.sessions ?? []), ...more]
  const fetchMore = async () => {
    const part = await reader.sessions(all.at(-1)?.id)
    setMore([...more, ...part.sessions])
    setDone(!part.more)
  }
  return (
    <div class="page list">
      <h1>What the model saw</h1>
      {sessions.error && <Trouble error={sessions.error} />}
      <section aria-labelledby="sessions">
        <h2 id="sessions">Sessions</h2>
        {!sessions.value && !sessions.error && <Loading />}
        {sessions.value && all.length === 0 && (
          <p class="quiet">No session yet. Start one with `sotto`, then look at it here.</p>
        )}
        <ul class="cards">
          {all.map((session) => (
            <li key={session.id}>
              <a class="card" href={hashOf({ at: "timeline", subject: { type: "session", id: session.id } })}>
                <span class="card-title">
                  <Text value={session.title ?? session.id} />
                </span>
                <Badge tone={TONES[session.state]}>{WORDS[session.state]}</Badge>
                <span class="quiet">
                  {counted(session.steps, "step")} · <Text value={session.model} /> · {day(session.updatedAt)}
                </span>
                <span class="quiet path">
                  <Text value={session.cwd} />
                </span>
              </a>
            </li>
          ))}
        </ul>
        {sessions.value?.more && !isDone && (
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
        <ul class="cards">
          {traces.value?.traces.map((trace) => (
            <li key={trace.id}>
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
