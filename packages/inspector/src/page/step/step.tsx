import { useEffect, useState } from "preact/hooks"
import type { CacheDiagnosis, HttpDialectName, MarkedReminder, ToldReminder } from "../../contract.js"
import { BreakCard } from "../breaks/break.js"
import { Sides } from "../breaks/sides.js"
import { CacheBar } from "../cache/bar.js"
import { useLoaded, useRows } from "../data/hooks.js"
import type { AnyPage } from "../data/shapes.js"
import { hashOf, type PageRoute, type Tab } from "../route/route.js"
import { useShown } from "../shell/context.js"
import { useKeys } from "../shell/keys.js"
import { Badge, Figure, KindName, Loading, Trouble } from "../shell/parts.js"
import { clock, counted, day, moneyText, seconds, whole } from "../text/figures.js"
import { Text } from "../text/text.js"
import { Segments, withKinds } from "./segments.js"

/** Segments that come at once when earlier ones are asked for. */
const EARLIER = 200

const TABS: readonly (readonly [Tab, string])[] = [
  ["request", "Request"],
  ["view", "Beside the view"],
  ["dialects", "Other dialects"],
  ["reply", "Reply"],
  ["raw", "Raw"],
]

/** Shows one request as it was sent. */
export function Step({ route }: { readonly route: Extract<PageRoute, { at: "step" }> }) {
  const shown = useShown()
  const { reader, subject, rows, go, select, word, live } = shown
  useRows(rows)
  const { n, tab = "request" } = route
  const loaded = useLoaded(() => reader.page(subject, n), [subject.id, n, n === rows.total ? live.stale : 0])
  const page = loaded.value?.row.n === n ? loaded.value : undefined
  useEffect(() => select(n), [n, select])
  const move = (to: number | undefined) => {
    if (to !== undefined && to >= 1 && to <= Math.max(rows.total, n)) go({ ...route, n: to, ...NO_PATH })
  }
  useKeys({
    j: () => move(n + 1),
    k: () => move(n - 1),
    ArrowRight: () => move(n + 1),
    ArrowLeft: () => move(n - 1),
    Escape: () => go({ at: "timeline", subject }),
  })
  const tabs = TABS.filter(
    ([name]) =>
      (name !== "view" && name !== "dialects") ||
      (subject.type === "session" && (name !== "dialects" || (shown.session?.dialects.length ?? 0) > 1)),
  ).filter(([name]) => name !== "raw" || (reader.isLive && subject.type === "session"))
  return (
    <div class="page step">
      <div class="toolbar">
        <h1>
          {word === "step" ? "Step" : "Call"} {whole(n)}
          {page?.row.turn !== undefined && (
            <span class="quiet">
              {" "}
              turn {page.row.turn}, step {page.row.step}
            </span>
          )}
          {page && page.row.turn === undefined && (
            <span class="quiet">
              {" "}
              thread {page.row.thread}, call {page.row.call}
            </span>
          )}
        </h1>
        <span class="grow" />
        {page && reader.isLive && (
          <a
            class="button"
            href={hashOf({
              at: "compare",
              a: { subject, n: page.previous ?? Math.max(1, n - 1) },
              b: { subject, n },
            })}
          >
            Compare
          </a>
        )}
        <fieldset class="group" aria-label="Go to">
          <button type="button" onClick={() => move(n - 1)} disabled={n <= 1}>
            ← {word} {n - 1 || ""}
          </button>
          <button type="button" onClick={() => move(n + 1)} disabled={rows.total > 0 && n >= rows.total}>
            {word} {n + 1} →
          </button>
        </fieldset>
      </div>
      {loaded.error && <Trouble error={loaded.error} />}
      {!page && !loaded.error && <Loading />}
      {page && (
        <>
          <Summary page={page} />
          <Proof page={page} />
          {page.diagnosis && <Diagnosis diagnosis={page.diagnosis} />}
          {page.break && <BreakCard found={page.break} isOpen />}
          <Mends page={page} />
          <div class="tabs" role="tablist" aria-label="Parts of the step">
            {tabs.map(([name, label]) => (
              <button
                key={name}
                type="button"
                role="tab"
                id={`tab-${name}`}
                aria-selected={name === tab}
                aria-controls="tab-panel"
                tabIndex={name === tab ? 0 : -1}
                onClick={() => go({ ...route, tab: name })}
                onKeyDown={(event) => {
                  const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0
                  if (step === 0) return
                  event.preventDefault()
                  const at = tabs.findIndex(([other]) => other === tab)
                  const [next] = tabs[(at + step + tabs.length) % tabs.length] ?? []
                  if (next) {
                    go({ ...route, tab: next })
                    document.getElementById(`tab-${next}`)?.focus()
                  }
                }}
              >
                {label}
              </button>
            ))}
          </div>
          <div id="tab-panel" role="tabpanel" aria-labelledby={`tab-${tab}`}>
            {tab === "request" && <Request page={page} {...(route.path && { at: route.path })} />}
            {tab === "view" && <BesideView page={page} />}
            {tab === "dialects" && <Dialects page={page} />}
            {tab === "reply" && <Reply page={page} />}
            {tab === "raw" && <Raw n={n} />}
          </div>
        </>
      )}
    </div>
  )
}

const NO_PATH = { path: "" } as const

function Summary({ page: { row, unchanged, bytes } }: { readonly page: AnyPage }) {
  const { tokens, money, assumed, at, ms } = row
  return (
    <>
      <dl class="figures">
        <Figure name="sent">{whole(tokens.sent)} tokens</Figure>
        {tokens.output !== undefined && <Figure name="answered">{whole(tokens.output)} tokens</Figure>}
        {bytes !== undefined && <Figure name="on the wire">{whole(bytes)} bytes</Figure>}
        {money !== undefined && <Figure name="cost">{moneyText(money, assumed)}</Figure>}
        {ms !== undefined && <Figure name="took">{seconds(ms)}</Figure>}
        <Figure name="model">
          <Text value={row.model || "unknown"} />
        </Figure>
        {row.agent && (
          <Figure name="agent">
            <Text value={row.agent} />
          </Figure>
        )}
        {at !== undefined && (
          <Figure name="sent at">
            <time dateTime={new Date(at).toISOString()} title={day(at)}>
              {clock(at)}
            </time>
          </Figure>
        )}
      </dl>
      {tokens.sent > 0 && (
        <CacheBar
          tokens={tokens}
          {...(unchanged && unchanged.tokens < tokens.sent && { unchanged: unchanged.tokens / tokens.sent })}
        />
      )}
      {row.failed && (
        <p class="trouble" role="note">
          <Text value={row.failed} />
        </p>
      )}
    </>
  )
}

/** Shows what is new, and that nothing else changed: counted and digested from the segments themselves. */
function Proof({ page: { unchanged, total, row } }: { readonly page: AnyPage }) {
  const { word, subject } = useShown()
  if (unchanged === undefined)
    return (
      <p class="proof">
        The first {word} of its thread: all {counted(total, "segment")} are new.
      </p>
    )
  const { segments, of, bytes, tokens, since } = unchanged
  const isWhole = segments === of
  const isSame = unchanged.before === unchanged.now
  return (
    <p class={isWhole && isSame ? "proof holds" : "proof broken"}>
      <Badge tone={isWhole && isSame ? "good" : "bad"}>{isWhole && isSame ? "append-only" : "changed"}</Badge>{" "}
      {isWhole ? "All " : "Only the first "}
      <b>{isWhole ? counted(of, "segment") : whole(segments)}</b>
      {!isWhole && ` of ${counted(of, "segment")}`} of{" "}
      <a href={hashOf({ at: "step", subject, n: since })}>
        {word} {since}
      </a>{" "}
      stand at the start of this one, byte for byte: {whole(bytes)} bytes, about {whole(tokens)} tokens,
      digest <code>{unchanged.now}</code>
      {isSame ? (
        " on both sides."
      ) : (
        <>
          {" "}
          here and <code>{unchanged.before}</code> there.
        </>
      )}{" "}
      {isWhole
        ? `${counted(total - segments, "segment")} came after them.`
        : `What stands behind them was processed again.`}
      {row.epoch && row.epoch.length > 0 && ` An epoch begins here: ${row.epoch.join(", ")}.`}
    </p>
  )
}

function Mends({ page: { mends } }: { readonly page: AnyPage }) {
  if (mends.length === 0) return null
  return (
    <section class="mends" aria-labelledby="mends">
      <h2 id="mends">Mended by the proxy</h2>
      {mends.map(({ path, message, policy, withheld, told }, i) => (
        <article class="mend" key={i}>
          <h3>
            <code>
              <Text value={path} />
            </code>{" "}
            <Text value={message} /> {policy && <Badge tone="accent">{policy}</Badge>}
          </h3>
          <Sides before={["withheld", withheld ?? ""]} after={["told instead", told ?? ""]} />
        </article>
      ))}
    </section>
  )
}

/** What the provider says of its cache, and what Sotto did. */
function Diagnosis({ diagnosis }: { readonly diagnosis: CacheDiagnosis }) {
  const { provider, sotto, remedy } = diagnosis
  return (
    <p class={remedy === undefined ? "quiet" : "trouble"}>
      The provider says of its cache: <Text value={provider} />. Sotto: <Text value={sotto} />
      {remedy && (
        <>
          ; <Text value={remedy} />
        </>
      )}
      .
    </p>
  )
}

function Request({ page, at }: { readonly page: AnyPage; readonly at?: string }) {
  const { reader, subject } = useShown()
  const [earlier, setEarlier] = useState<Pick<AnyPage, "segments" | "from">>(page)
  const [picked, setPicked] = useState<string | undefined>(undefined)
  useEffect(() => setEarlier(page), [page])
  const from = earlier.from
  const fetchFrom = async (to: number) => {
    const start = Math.max(0, to - EARLIER)
    const part = await reader.page(subject, page.row.n, { from: start, limit: to - start })
    setEarlier({ segments: [...part.segments, ...earlier.segments], from: start })
  }
  const isWanted = at !== undefined && !earlier.segments.some(({ path }) => path === at)
  useEffect(() => {
    if (isWanted && from > 0) void fetchFrom(from)
  }, [isWanted, from])
  const last = from + earlier.segments.length
  const fetchLater = async () => {
    const part = await reader.page(subject, page.row.n, { from: last, limit: EARLIER })
    setEarlier({ segments: [...earlier.segments, ...part.segments], from })
  }
  return (
    <div class="request">
      <div class="wire">
        <h2>What the model got</h2>
        {from > 0 && (
          <div class="earlier">
            <button type="button" onClick={() => void fetchFrom(from)}>
              Show {Math.min(from, EARLIER)} of the {counted(from, "segment")} before
            </button>
          </div>
        )}
        <Segments
          segments={withKinds(earlier.segments, page.told)}
          from={from}
          {...(page.unchanged && { unchanged: page.unchanged.segments })}
          {...(at !== undefined && { at })}
          onWhole={async (path) =>
            (await reader.page(subject, page.row.n, { whole: path })).segments[0]?.text ?? ""
          }
          {...(page.told && { onReminder: (reminder: MarkedReminder) => setPicked(reminder.kind) })}
        />
        {last < page.total && (
          <div class="earlier">
            <button type="button" onClick={() => void fetchLater()}>
              Show {Math.min(page.total - last, EARLIER)} more
            </button>
          </div>
        )}
      </div>
      {page.told && <ToldList told={page.told} picked={picked} page={page} />}
    </div>
  )
}

function ToldList({
  told,
  picked,
  page,
}: {
  readonly told: readonly ToldReminder[]
  readonly picked: string | undefined
  readonly page: AnyPage
}) {
  const { subject } = useShown()
  const silent = (page.ledger ?? []).filter(({ outcome }) => outcome !== "spoke" && outcome !== "nothing")
  return (
    <aside class="told-list" aria-label="Reminders told at this step">
      <h2>Told at this step</h2>
      {told.length === 0 && <p class="quiet">No reminder was told.</p>}
      {told.map((one) => (
        <article
          key={`${one.kind}:${one.key}`}
          class={one.kind === picked ? "told-card picked" : "told-card"}
        >
          <header>
            <KindName kind={one.kind} />
            <span class="quiet">{whole(one.tokens)} tokens</span>
          </header>
          <dl class="facts">
            <dt>carrier</dt>
            <dd>
              <Text value={one.carrier} />
            </dd>
            <dt>trust</dt>
            <dd>{one.trust}</dd>
            {one.key && (
              <>
                <dt>about</dt>
                <dd>
                  <Text value={one.key} />
                </dd>
              </>
            )}
            <dt>rule</dt>
            <dd>
              <Text value={one.rule} />{" "}
              <span class="quiet">
                (<Text value={one.source} />)
              </span>
            </dd>
            <dt>reason</dt>
            <dd>
              <Text value={one.reason} />
            </dd>
          </dl>
          <details>
            <summary>Text</summary>
            <pre>
              <Text value={one.text} />
            </pre>
          </details>
        </article>
      ))}
      {silent.length > 0 && (
        <>
          <h3>Kept silent</h3>
          <ul class="silent">
            {silent.map(({ kind, outcome, until, error, key }) => (
              <li key={`${kind}:${key ?? ""}`}>
                <KindName kind={kind} /> {outcome}
                {until && (
                  <>
                    {" "}
                    until <Text value={until} />
                  </>
                )}
                {error && (
                  <>
                    : <Text value={error} />
                  </>
                )}
              </li>
            ))}
          </ul>
        </>
      )}
      <p>
        <a href={hashOf({ at: "ledger", subject, n: page.row.n })}>This step in the ledger</a>
      </p>
    </aside>
  )
}

function BesideView({ page }: { readonly page: AnyPage }) {
  return (
    <div class="sides">
      <section>
        <h2>The person saw</h2>
        {(page.view ?? []).length === 0 && <p class="quiet">Nothing new.</p>}
        {page.view?.map(({ id, role, text, name }) => (
          <article key={`${id}:${role}:${name ?? ""}`} class={`view-message ${role}`}>
            <span class={`role role-${role === "tool" ? "results" : role}`}>
              {role} {name && <Text value={name} />}
            </span>
            <pre>
              <Text value={text} />
            </pre>
          </article>
        ))}
      </section>
      <section>
        <h2>The model got</h2>
        <Segments
          segments={withKinds(page.segments, page.told).filter(({ isNew }) => isNew)}
          from={page.from}
          {...(page.unchanged && { unchanged: page.unchanged.segments })}
        />
      </section>
    </div>
  )
}

function Dialects({ page }: { readonly page: AnyPage }) {
  const { session } = useShown()
  const all = session?.dialects ?? []
  return (
    <div class="dialects" tabIndex={0} role="region" aria-label="The step in every dialect">
      {all.map((dialect) => (
        <DialectColumn key={dialect} dialect={dialect} page={page} isOwn={dialect === session?.dialect} />
      ))}
    </div>
  )
}

function DialectColumn({
  dialect,
  page,
  isOwn,
}: {
  readonly dialect: HttpDialectName
  readonly page: AnyPage
  readonly isOwn: boolean
}) {
  const { reader, subject } = useShown()
  const loaded = useLoaded(
    () => (isOwn ? Promise.resolve(page) : reader.page(subject, page.row.n, { dialect })),
    [subject.id, page.row.n, dialect],
  )
  return (
    <section aria-label={dialect}>
      <h2>
        {dialect} {isOwn && <Badge tone="good">as sent</Badge>}
      </h2>
      {loaded.error && <Trouble error={loaded.error} />}
      {!loaded.value && !loaded.error && <Loading />}
      {loaded.value && (
        <Segments
          segments={withKinds(loaded.value.segments, page.told)}
          from={loaded.value.from}
          {...(loaded.value.unchanged && { unchanged: loaded.value.unchanged.segments })}
        />
      )}
    </section>
  )
}

function Reply({ page: { reply, row } }: { readonly page: AnyPage }) {
  if (reply.length === 0)
    return <p class="quiet">{row.failed ? "The provider did not answer." : "The answer is not known."}</p>
  return (
    <div class="reply">
      <h2>What the model answered</h2>
      {reply.map(({ kind, name, text }, i) => (
        <article class="segment" key={i}>
          <header>
            <span
              class={`role role-${kind === "call" ? "calls" : kind === "text" ? "assistant" : "reasoning"}`}
            >
              {kind}
            </span>
            {name && (
              <code class="name">
                <Text value={name} />
              </code>
            )}
          </header>
          <div class="segment-text">
            <Text value={text} />
          </div>
        </article>
      ))}
    </div>
  )
}

function Raw({ n }: { readonly n: number }) {
  const { reader, subject } = useShown()
  const loaded = useLoaded(() => reader.raw(subject, n), [subject.id, n])
  if (loaded.error) return <Trouble error={loaded.error} />
  if (loaded.value === undefined) return <Loading />
  const text = loaded.value
  return (
    <div class="raw">
      <button type="button" onClick={() => void navigator.clipboard.writeText(text)}>
        Copy {whole(text.length)} characters
      </button>
      <pre>
        <Text value={text.slice(0, 200_000)} />
      </pre>
    </div>
  )
}
