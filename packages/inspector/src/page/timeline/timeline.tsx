import { useEffect, useRef, useState } from "preact/hooks"
import { MiniBar } from "../cache/bar.js"
import { useRows, useWidth } from "../data/hooks.js"
import type { AnyRow } from "../data/shapes.js"
import { hashOf, type PageRoute } from "../route/route.js"
import { useShown } from "../shell/context.js"
import { useKeys } from "../shell/keys.js"
import { Badge, KindName, Loading, Trouble } from "../shell/parts.js"
import { Virtual } from "../shell/virtual.js"
import { clock, counted, seconds, short, whole } from "../text/figures.js"
import { Text } from "../text/text.js"
import { visibleText } from "../text/visible.js"
import { type Bar, type Overview, overviewOf } from "./layout.js"
import { ToolPanel } from "./tools.js"
import { including, shifted, type TimeWindow, wholeOf, zoomed } from "./window.js"

/** Turns, steps, tools, messages and breaks: the whole of it as a picture, and a row for each step. */
export function Timeline({ route }: { readonly route: Extract<PageRoute, { at: "timeline" }> }) {
  const { subject, rows, go, selected, select, word } = useShown()
  useRows(rows)
  const { total } = rows
  const window: TimeWindow =
    route.from !== undefined && route.to !== undefined
      ? { from: Math.min(route.from, Math.max(1, total)), to: Math.min(route.to, Math.max(1, total)) }
      : wholeOf(total)
  const show = ({ from, to }: TimeWindow, opened = route.open) =>
    go({
      ...{ at: "timeline", subject },
      ...(!(from === 1 && to === total) && { from, to }),
      ...(opened !== undefined && { open: opened }),
    })
  const pick = (n: number) => {
    const next = Math.min(Math.max(1, n), Math.max(1, total))
    select(next)
    const moved = including(window, next, total)
    // What is shown beside the list follows the selection.
    const opened = route.open === undefined ? undefined : next
    if (moved !== window || opened !== route.open) show(moved, opened)
  }
  const toggle = (n: number) => {
    select(n)
    const { open: _, ...rest } = route
    go(route.open === n ? rest : { ...rest, open: n })
  }
  const isListed = useRef(false)
  useEffect(() => {
    // A link to a step selects it; later the selection leads.
    if (route.open !== undefined && !isListed.current) select(route.open)
    isListed.current = true
  }, [route.open, select])
  const open = (n: number) => go({ at: "step", subject, n })
  const zoom = (factor: number) => show(zoomed(window, factor, selected, total))
  const size = window.to - window.from + 1
  useKeys({
    j: () => pick(selected + 1),
    k: () => pick(selected - 1),
    ArrowDown: () => pick(selected + 1),
    ArrowUp: () => pick(selected - 1),
    ArrowLeft: () => show(shifted(window, -Math.ceil(size / 4), total)),
    ArrowRight: () => show(shifted(window, Math.ceil(size / 4), total)),
    Home: () => pick(1),
    End: () => pick(total),
    Enter: () => open(selected),
    o: () => toggle(selected),
    "+": () => zoom(0.5),
    "=": () => zoom(0.5),
    "-": () => zoom(2),
    "0": () => show(wholeOf(total)),
  })
  if (rows.error && total === 0) return <Trouble error={rows.error} />
  if (total === 0) return <Empty />
  return (
    <div class="page timeline">
      <div class="toolbar">
        <h1>Timeline</h1>
        <span class="quiet">
          {size === total
            ? counted(total, word)
            : `${word}s ${whole(window.from)} to ${whole(window.to)} of ${whole(total)}`}
          {rows.loaded < total && `, ${whole(rows.loaded)} fetched`}
        </span>
        <span class="grow" />
        <fieldset class="group" aria-label="Zoom">
          <button type="button" onClick={() => zoom(2)} disabled={size === total} aria-label="Zoom out">
            −
          </button>
          <button type="button" onClick={() => show(wholeOf(total))} disabled={size === total}>
            All
          </button>
          <button type="button" onClick={() => zoom(0.5)} disabled={size === 1} aria-label="Zoom in">
            +
          </button>
        </fieldset>
      </div>
      <Picture window={window} onPick={pick} onOpen={open} onZoom={show} />
      <Legend />
      <div class="timeline-body">
        <Virtual
          count={size}
          height={60}
          label={`${word}s`}
          at={selected - window.from}
          onShown={(first, last) => void rows.need(window.from + first, window.from + last)}
          row={(i) => {
            const n = window.from + i
            const row = rows.all[n - 1]
            if (row === undefined) return <div class="row waiting">{n}</div>
            return (
              <div class="row-box">
                <StepRow row={row} isSelected={n === selected} href={hashOf({ at: "step", subject, n })} />
                <button
                  type="button"
                  class="row-open"
                  aria-expanded={route.open === n}
                  aria-label={`Tools of ${word} ${n}`}
                  onClick={() => toggle(n)}
                >
                  {route.open === n ? "‹" : "›"}
                </button>
              </div>
            )
          }}
        />
        {route.open !== undefined && route.open <= total && (
          <ToolPanel n={route.open} onClose={() => toggle(route.open ?? 0)} />
        )}
      </div>
    </div>
  )
}

function Empty() {
  const { rows, word } = useShown()
  const [isOld, setOld] = useState(false)
  useEffect(() => {
    void rows.load().then(() => setOld(true))
  }, [rows])
  return (
    <div class="page timeline">
      <h1>Timeline</h1>
      {isOld ? <p class="quiet">There is no {word} yet.</p> : <Loading />}
    </div>
  )
}

const LANES = { turns: 0, bars: 18, tools: 100, reminders: 114, messages: 128, height: 156 } as const

interface PictureProps {
  readonly window: TimeWindow
  readonly onPick: (n: number) => void
  readonly onOpen: (n: number) => void
  readonly onZoom: (window: TimeWindow) => void
}

/** Draws the overview. Everything in it is also in the list below, which is what a screen reader reads. */
function Picture({ window, onPick, onOpen, onZoom }: PictureProps) {
  const { rows, selected, word } = useShown()
  const [measure, width] = useWidth()
  const [drag, setDrag] = useState<{ from: number; to: number } | undefined>(undefined)
  const count = window.to - window.from + 1
  const stepAt = (event: MouseEvent) => {
    const box = (event.currentTarget as Element).getBoundingClientRect()
    const share = (event.clientX - box.left) / box.width
    return Math.min(window.to, Math.max(window.from, window.from + Math.floor(share * count)))
  }
  const overview = overviewOf(rows.all, window, width)
  const x = ((selected - window.from) / count) * width
  const each = width / count
  return (
    <div class="picture" ref={measure}>
      <svg
        width={width}
        height={LANES.height}
        role="img"
        aria-label={`Overview of ${word}s ${window.from} to ${window.to}. The list below says the same.`}
        onMouseDown={(event) => setDrag({ from: stepAt(event), to: stepAt(event) })}
        onMouseMove={(event) => drag && setDrag({ ...drag, to: stepAt(event) })}
        onMouseLeave={() => setDrag(undefined)}
        onMouseUp={(event) => {
          const to = stepAt(event)
          const from = drag?.from ?? to
          setDrag(undefined)
          if (from === to) onPick(to)
          else onZoom({ from: Math.min(from, to), to: Math.max(from, to) })
        }}
        onDblClick={(event) => onOpen(stepAt(event))}
        onWheel={(event) => {
          if (!event.ctrlKey) return
          event.preventDefault()
          onZoom(zoomed(window, event.deltaY < 0 ? 0.7 : 1.4, stepAt(event), rows.total))
        }}
      >
        {selected >= window.from && selected <= window.to && (
          <rect class="selected" x={x} y={0} width={Math.max(2, each)} height={LANES.height} />
        )}
        <Turns overview={overview} />
        {overview.bars.map((bar) => (
          <OneBar key={bar.from} bar={bar} />
        ))}
        {overview.journeys.map(({ id, origin, arrived, delivered, text }) => (
          <g key={id} class={`journey ${origin}`}>
            <title>{visibleText(text)}</title>
            <path d={`M${arrived} ${LANES.messages + 14}H${delivered + Math.min(each, 8) / 2}`} />
            <circle cx={arrived} cy={LANES.messages + 14} r={3} />
            <path
              class="head"
              d={`M${delivered + Math.min(each, 8) / 2 - 4} ${LANES.messages + 8}l6 6l-6 6z`}
            />
          </g>
        ))}
        {drag && drag.from !== drag.to && (
          <rect
            class="brush"
            x={((Math.min(drag.from, drag.to) - window.from) / count) * width}
            width={((Math.abs(drag.to - drag.from) + 1) / count) * width}
            y={0}
            height={LANES.height}
          />
        )}
      </svg>
    </div>
  )
}

function Turns({ overview }: { readonly overview: Overview }) {
  return (
    <>
      {overview.turns.map(({ turn, x, n }) => (
        <g key={n} class="turn-mark">
          <path d={`M${x + 0.5} 0V${LANES.height}`} />
          <text x={x + 4} y={12}>
            turn {turn}
          </text>
        </g>
      ))}
    </>
  )
}

function OneBar({ bar }: { readonly bar: Bar }) {
  const top = LANES.bars
  const room = LANES.tools - LANES.bars - 8
  const full = Math.max(2, bar.height * room)
  const gap = bar.width > 6 ? 1.5 : bar.width > 3 ? 0.5 : 0
  const width = Math.max(1, bar.width - gap)
  let y = top + room
  const part = (name: string, share: number) => {
    const height = share * full
    y -= height
    return <rect key={name} class={name} x={bar.x} y={y} width={width} height={height} />
  }
  const middle = bar.x + width / 2
  const dot = Math.min(3.5, Math.max(1.2, width / 2))
  return (
    <g>
      {bar.parts.map(({ part: name, from, to }) => part(name, to - from))}
      {bar.breaks > 0 && <path class="break-mark" d={`M${middle - 5} ${top - 1}h10l-5 8z`} />}
      {bar.failed > 0 && <rect class="failed" x={bar.x} y={top} width={width} height={3} />}
      {bar.tools > 0 && (
        <rect
          class="tool-mark"
          x={bar.x}
          y={LANES.tools}
          width={width}
          height={Math.min(9, 3 + bar.tools * 2)}
          rx={1}
        />
      )}
      {bar.reminders > 0 && <circle class="reminder-mark" cx={middle} cy={LANES.reminders + 5} r={dot} />}
    </g>
  )
}

function Legend() {
  const { subject } = useShown()
  return (
    <ul class="legend">
      <li class="read">read from the cache</li>
      <li class="written">written to the cache</li>
      <li class="missed">missed</li>
      <li class="rest">not cached</li>
      <li class="break-mark">break</li>
      <li class="tool-mark">tools called</li>
      <li class="reminder-mark">reminders told</li>
      {subject.type === "session" && <li class="journey">message: arrived → delivered</li>}
    </ul>
  )
}

function StepRow({
  row,
  isSelected,
  href,
}: {
  readonly row: AnyRow
  readonly isSelected: boolean
  readonly href: string
}) {
  const { tokens, reminders, tools, messages = [] } = row
  const kinds = [...new Set(reminders.map(({ kind }) => kind))]
  return (
    <a class="row" href={href} aria-current={isSelected ? "true" : undefined}>
      <span class="row-n">
        {row.turn === undefined ? (
          <b>{row.n}</b>
        ) : (
          <>
            <b>{row.n}</b>
            <small>
              {row.turn}.{row.step}
            </small>
          </>
        )}
      </span>
      <span class="row-main">
        <span class="row-line">
          {row.break && (
            <Badge tone={row.break.cause === "compacted" ? "warn" : "bad"}>
              {row.break.cause}, {short(row.break.lostTokens)} lost
            </Badge>
          )}
          {row.epoch?.map((reason) => (
            <Badge tone="accent" key={reason}>
              {reason === "start" ? "start" : `rebase: ${visibleText(reason)}`}
            </Badge>
          ))}
          {row.failed && <Badge tone="bad">{visibleText(row.failed)}</Badge>}
          {row.mends !== undefined && <Badge tone="accent">mended</Badge>}
          {messages.map(({ id, origin, text, delivery }) => (
            <span class="said-by-user" key={id} title={`delivery: ${delivery}`}>
              <span class="who">{origin.kind === "channel" ? visibleText(origin.server) : origin.kind}</span>{" "}
              <Text value={text} />
            </span>
          ))}
          {messages.length === 0 && row.asked && (
            <span class="said-by-user">
              <span class="who">user</span> <Text value={row.asked} />
            </span>
          )}
          {row.said && (
            <span class="said-by-model">
              <Text value={row.said} />
            </span>
          )}
        </span>
        <span class="row-line small">
          {tools.map(({ id, name, about, error }) => (
            <span class={error ? "tool failed" : "tool"} key={id} title={visibleText(about)}>
              <Text value={name} />
            </span>
          ))}
          {kinds.map((kind) => (
            <KindName key={kind} kind={kind} />
          ))}
        </span>
      </span>
      <span class="row-figures">
        <span title="tokens sent">{short(tokens.sent)}</span>
        <MiniBar tokens={tokens} />
        <span class="quiet">
          {row.at !== undefined && clock(row.at)}
          {row.ms !== undefined && ` · ${seconds(row.ms)}`}
        </span>
      </span>
    </a>
  )
}
