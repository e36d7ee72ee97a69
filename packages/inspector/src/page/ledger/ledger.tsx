import { useCallback, useEffect, useRef, useState } from "preact/hooks"
import { hashOf, type PageRoute } from "../route/route.js"
import { useShown } from "../shell/context.js"
import { KindName, Loading, Trouble } from "../shell/parts.js"
import { counted, short, whole } from "../text/figures.js"
import { Text } from "../text/text.js"
import { visibleText } from "../text/visible.js"
import { cellAt, EMPTY, type Grid, groupOf, withPart, wordsFor } from "./grid.js"

/** Steps that are asked for at once. */
const PART = 200
const CELL = 18
const SIGNS = {
  spoke: "●",
  throttled: "◔",
  "over-budget": "▲",
  disabled: "–",
  nothing: "",
  failed: "✕",
} as const
const OUTCOMES = [
  ["spoke", "spoke"],
  ["throttled", "throttled"],
  ["over-budget", "over budget"],
  ["disabled", "off"],
  ["failed", "failed"],
  ["nothing", "nothing to say"],
] as const

/** Shows every rule at every step. */
export function Ledger({ route }: { readonly route: Extract<PageRoute, { at: "ledger" }> }) {
  const { reader, subject, rows, go, live, session } = useShown()
  const [grid, setGrid] = useState<Grid>(EMPTY)
  const [error, setError] = useState<Error | undefined>(undefined)
  const [top, setTop] = useState({ left: 0, width: 900 })
  const box = useRef<HTMLDivElement>(null)
  const asked = useRef(new Set<number>())
  const fetchPart = useCallback(
    async (from: number) => {
      if (asked.current.has(from)) return
      asked.current.add(from)
      try {
        const part = await reader.ledger(subject.id, from, PART)
        setGrid((before) => withPart(before, part))
        setError(undefined)
      } catch (reason) {
        asked.current.delete(from)
        setError(reason instanceof Error ? reason : new Error(String(reason)))
      }
    },
    [reader, subject.id],
  )
  const total = Math.max(grid.total, rows.total)
  const first = Math.max(1, Math.floor(top.left / CELL) - 4)
  const last = Math.min(total, Math.ceil((top.left + top.width) / CELL) + 4)
  useEffect(() => {
    asked.current.delete(Math.floor(Math.max(0, total - 1) / PART) * PART + 1)
  }, [live.stale])
  useEffect(() => {
    for (let part = Math.floor((first - 1) / PART); part <= Math.floor(Math.max(0, last - 1) / PART); part++)
      void fetchPart(part * PART + 1)
  }, [first, last, fetchPart, live.stale])
  useEffect(() => {
    const element = box.current
    if (element === null) return
    const observer = new ResizeObserver(() => setTop((before) => ({ ...before, width: element.clientWidth })))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  const { n, kind } = route
  useEffect(() => {
    const element = box.current
    if (element === null || n === undefined) return
    const x = (n - 1) * CELL
    if (x < element.scrollLeft || x > element.scrollLeft + element.clientWidth - 260)
      element.scrollLeft = Math.max(0, x - element.clientWidth / 2)
  }, [n])
  const pick = (to: number, other: string) => go({ at: "ledger", subject, n: to, kind: other })
  const silent = grid.kinds.filter((one) => groupOf(one) === "silent")
  const [isUnfolded, setUnfolded] = useState(false)
  // A link to a rule that was silent shows it.
  const isAll = isUnfolded || silent.some((one) => one.kind === kind)
  const kinds = isAll ? grid.kinds : grid.kinds.filter((one) => groupOf(one) !== "silent")
  const chosenKind = kind ?? kinds[0]?.kind
  const move = (event: KeyboardEvent) => {
    const row = Math.max(
      0,
      kinds.findIndex((one) => one.kind === chosenKind),
    )
    const at = n ?? 1
    const to: readonly [number, number] | undefined = {
      ArrowLeft: [at - 1, row] as const,
      ArrowRight: [at + 1, row] as const,
      ArrowUp: [at, row - 1] as const,
      ArrowDown: [at, row + 1] as const,
      Home: [1, row] as const,
      End: [total, row] as const,
    }[event.key]
    if (event.key === "Enter" && n !== undefined) go({ at: "step", subject, n })
    if (to === undefined) return
    event.preventDefault()
    const wanted = kinds[Math.min(kinds.length - 1, Math.max(0, to[1]))]
    if (wanted) pick(Math.min(total, Math.max(1, to[0])), wanted.kind)
  }
  const shown = Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i)
  const toggle = async (one: string, on: boolean) => {
    setGrid((before) => ({ ...before, kinds: before.kinds.map((k) => (k.kind === one ? { ...k, on } : k)) }))
    try {
      await reader.send("POST", `/sessions/${encodeURIComponent(subject.id)}/reminders`, { kind: one, on })
    } catch (reason) {
      setGrid((before) => ({
        ...before,
        kinds: before.kinds.map((k) => (k.kind === one ? { ...k, on: !on } : k)),
      }))
      setError(reason instanceof Error ? reason : new Error(String(reason)))
    }
  }
  return (
    <div class="page ledger">
      <div class="toolbar">
        <h1>Ledger</h1>
        <span class="quiet">
          {counted(grid.kinds.length, "rule")} at {counted(total, "step")}
        </span>
        <span class="grow" />
        <ul class="legend ledger-legend">
          {OUTCOMES.map(([outcome, word]) => (
            <li key={outcome}>
              <span class={`cell ${outcome}`} aria-hidden="true">
                {SIGNS[outcome]}
              </span>
              {word}
            </li>
          ))}
        </ul>
      </div>
      {error && <Trouble error={error} />}
      {grid.kinds.length === 0 && !error && <Loading />}
      <div class="ledger-body">
        <div
          class="grid-box"
          ref={box}
          onScroll={(event) => {
            const { scrollLeft, clientWidth } = event.currentTarget
            setTop({ left: scrollLeft, width: clientWidth })
          }}
        >
          <div
            class="grid"
            role="grid"
            aria-label="Rules by steps"
            aria-rowcount={kinds.length + 1}
            aria-colcount={total + 1}
            tabIndex={0}
            onKeyDown={move}
            style={{ width: `max(100%, ${220 + total * CELL}px)` }}
          >
            <div class="grid-row head" role="row" aria-rowindex={1}>
              <span class="grid-kind" role="columnheader" aria-colindex={1}>
                rule
              </span>
              {shown.map((step) => {
                const row = rows.all[step - 1]
                const isMark = row?.step === 1 || step === 1 || step % 10 === 0
                return (
                  <span
                    key={step}
                    role="columnheader"
                    aria-colindex={step + 1}
                    class={row?.step === 1 ? "grid-step turn" : "grid-step"}
                    style={{ left: `${220 + (step - 1) * CELL}px` }}
                  >
                    {isMark ? step : <span class="visually-hidden">step {step}</span>}
                  </span>
                )
              })}
            </div>
            {kinds.map(({ kind: name, on, tokens, spoke, kept }, i) => (
              <div
                class={`grid-row group-${groupOf({ kind: name, on, tokens, spoke, kept })}${on ? "" : " off"}`}
                role="row"
                aria-rowindex={i + 2}
                key={name}
              >
                <span class="grid-kind" role="rowheader" aria-colindex={1}>
                  {reader.isLive && session?.canSteer ? (
                    <label class="switch">
                      <input
                        type="checkbox"
                        checked={on}
                        onChange={(event) => void toggle(name, event.currentTarget.checked)}
                        aria-label={`${visibleText(name)} is on`}
                      />
                      <KindName kind={name} />
                    </label>
                  ) : (
                    <KindName kind={name} />
                  )}
                  {spoke > 0 && (
                    <span class="grid-tokens" title={`spoke at ${counted(spoke, "step")}`}>
                      {short(tokens)}
                    </span>
                  )}
                </span>
                {shown.map((step) => {
                  const cell = cellAt(grid, name, step)
                  const isChosen = step === n && name === chosenKind
                  if (cell?.outcome === "nothing" && !isChosen) return null
                  return (
                    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid itself takes the keys
                    <span
                      key={step}
                      role="gridcell"
                      tabIndex={-1}
                      aria-colindex={step + 1}
                      aria-selected={isChosen}
                      aria-label={cell ? wordsOf(cell.cells) : "not fetched yet"}
                      title={cell ? visibleText(wordsOf(cell.cells)) : ""}
                      class={`cell ${cell?.outcome ?? "waiting"}`}
                      style={{ left: `${220 + (step - 1) * CELL}px` }}
                      onClick={() => pick(step, name)}
                    >
                      {cell ? SIGNS[cell.outcome] : ""}
                    </span>
                  )
                })}
              </div>
            ))}
          </div>
        </div>
        {n !== undefined && chosenKind !== undefined && <Detail grid={grid} n={n} kind={chosenKind} />}
      </div>
      {silent.length > 0 && (
        <button type="button" aria-expanded={isAll} onClick={() => setUnfolded(!isAll)}>
          {isAll ? "Hide" : "Show"} {counted(silent.length, "rule")} without anything to say
        </button>
      )}
    </div>
  )
}

function wordsOf(cells: readonly Parameters<typeof wordsFor>[0][]): string {
  return cells.length === 0 ? "nothing to say" : cells.map(wordsFor).join("; ")
}

function Detail({ grid, n, kind }: { readonly grid: Grid; readonly n: number; readonly kind: string }) {
  const { reader, subject } = useShown()
  const cell = cellAt(grid, kind, n)
  const hasSpoken = cell?.cells.some(({ outcome }) => outcome === "spoke") ?? false
  const [texts, setTexts] = useState<{ key: string; texts: readonly string[] } | undefined>(undefined)
  const key = `${n}:${kind}`
  useEffect(() => {
    if (!hasSpoken) return
    let isCurrent = true
    void reader.page(subject, n).then(
      ({ told = [] }) =>
        isCurrent &&
        setTexts({ key, texts: told.filter((one) => one.kind === kind).map(({ text }) => text) }),
      () => undefined,
    )
    return () => {
      isCurrent = false
    }
  }, [reader, subject, n, kind, key, hasSpoken])
  return (
    <aside class="ledger-detail" aria-live="polite" aria-label="Selected cell">
      <h2>
        <KindName kind={kind} /> at step {whole(n)}
      </h2>
      {cell === undefined && <p class="quiet">Not fetched yet.</p>}
      {cell?.cells.length === 0 && <p>The rule had nothing to say.</p>}
      <ul>
        {cell?.cells.map((one, i) => (
          <li key={i}>
            {one.key && (
              <>
                <code>
                  <Text value={one.key} />
                </code>{" "}
              </>
            )}
            <Text value={wordsFor(one)} />
          </li>
        ))}
      </ul>
      {hasSpoken &&
        texts?.key === key &&
        texts.texts.map((text, i) => (
          <pre key={i}>
            <Text value={text} />
          </pre>
        ))}
      <p>
        <a href={hashOf({ at: "step", subject, n })}>Open step {whole(n)}</a>
      </p>
    </aside>
  )
}
