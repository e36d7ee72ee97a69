import { useMemo, useRef, useState } from "preact/hooks"
import { useRows, useWidth } from "../data/hooks.js"
import { useShown } from "../shell/context.js"
import { Loading } from "../shell/parts.js"
import { dollars, seconds, short, whole } from "../text/figures.js"
import { savePng, saveSvg } from "./picture.js"
import { type ChartData, chartsOf, layersOf, tableOf, thinned, ticks } from "./series.js"

const HEIGHT = 200
const LEFT = 54
const BOTTOM = 22
const TOP = 8
/** Longer tables are cut on the page; copying takes all of it. */
const MOST_LINES = 200

function figure(value: number, unit: ChartData["unit"]): string {
  return unit === "tokens" ? short(value) : unit === "dollars" ? dollars(value) : seconds(value)
}

export function Charts() {
  const { rows } = useShown()
  useRows(rows)
  const { version } = rows
  const charts = useMemo(() => chartsOf(rows.all), [rows, version])
  if (rows.total === 0) return <Loading />
  return (
    <div class="page charts">
      <h1>Charts</h1>
      <div class="chart-grid">
        {charts.map((chart) => (
          <Chart key={chart.id} chart={chart} />
        ))}
      </div>
    </div>
  )
}

function Chart({ chart }: { readonly chart: ChartData }) {
  const { word, subject, go, selected } = useShown()
  const [measure, width] = useWidth()
  const [isTable, setTable] = useState(false)
  const [isCopied, setCopied] = useState(false)
  const [at, setAt] = useState<number | undefined>(undefined)
  const svg = useRef<SVGSVGElement>(null)
  const drawn = useMemo(() => thinned(chart), [chart])
  const name = `${subject.id}-${chart.id}`
  const copy = async () => {
    await navigator.clipboard.writeText(tableOf(chart, word))
    setCopied(true)
  }
  const stepAt = (event: MouseEvent) => {
    const box = (event.currentTarget as Element).getBoundingClientRect()
    const share = (event.clientX - box.left - LEFT) / Math.max(1, box.width - LEFT)
    const i = Math.floor(share * drawn.steps.length)
    return i >= 0 && i < drawn.steps.length ? i : undefined
  }
  return (
    <section class="chart" aria-labelledby={`chart-${chart.id}`}>
      <header>
        <h2 id={`chart-${chart.id}`}>{chart.title}</h2>
        <span class="grow" />
        <fieldset class="group" aria-label={`${chart.title}: save or copy`}>
          <button type="button" onClick={() => setTable(!isTable)} aria-expanded={isTable}>
            Table
          </button>
          <button type="button" onClick={() => void copy()}>
            {isCopied ? "Copied" : "Copy"}
          </button>
          <button type="button" onClick={() => svg.current && saveSvg(svg.current, name)}>
            SVG
          </button>
          <button type="button" onClick={() => svg.current && void savePng(svg.current, name)}>
            PNG
          </button>
        </fieldset>
      </header>
      <div class="chart-box" ref={measure}>
        <Drawing
          chart={drawn}
          width={width}
          svg={svg}
          at={at}
          selected={selected}
          onMove={(event) => setAt(stepAt(event))}
          onLeave={() => setAt(undefined)}
          onPick={(event) => {
            const n = drawn.steps[stepAt(event) ?? -1]
            if (n !== undefined) go({ at: "step", subject, n })
          }}
        />
      </div>
      <p class="readout" aria-live="off">
        {at === undefined
          ? `${word}s ${whole(chart.steps[0] ?? 1)} to ${whole(chart.steps.at(-1) ?? 1)}`
          : `${word} ${whole(drawn.steps[at] ?? 0)}: ${drawn.series
              .map(({ name: one, values }) => `${one} ${figure(values[at] ?? 0, chart.unit)}`)
              .join(", ")}`}
      </p>
      {chart.series.length > 1 && (
        <ul class="legend">
          {chart.series.map(({ name: one, tone }) => (
            <li key={one} class={tone}>
              {one}
            </li>
          ))}
        </ul>
      )}
      {isTable && <ChartTable chart={chart} />}
    </section>
  )
}

interface DrawingProps {
  readonly chart: ChartData
  readonly width: number
  readonly svg: { current: SVGSVGElement | null }
  readonly at: number | undefined
  readonly selected: number
  readonly onMove: (event: MouseEvent) => void
  readonly onLeave: () => void
  readonly onPick: (event: MouseEvent) => void
}

function Drawing({ chart, width, svg, at, selected, onMove, onLeave, onPick }: DrawingProps) {
  const { steps, series, isStacked, unit, title } = chart
  const totals = steps.map((_, i) =>
    isStacked
      ? series.reduce((sum, { values }) => sum + (values[i] ?? 0), 0)
      : Math.max(...series.map(({ values }) => values[i] ?? 0)),
  )
  const most = totals.reduce((a, b) => Math.max(a, b), 0)
  const axis = ticks(most)
  const top = axis.at(-1) || 1
  const inner = Math.max(50, width - LEFT)
  const y = (value: number) => TOP + HEIGHT - (value / top) * HEIGHT
  const every = Math.max(1, Math.ceil(steps.length / Math.max(2, Math.floor(inner / 70))))
  const place = steps.indexOf(selected)
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the table has the same values, and the timeline the same steps
    <svg
      ref={svg}
      width={width}
      height={HEIGHT + TOP + BOTTOM}
      viewBox={`0 0 ${width} ${HEIGHT + TOP + BOTTOM}`}
      role="img"
      aria-label={`${title}: the most is ${figure(most, unit)}. The table has every value.`}
      onMouseMove={onMove}
      onMouseLeave={onLeave}
      onClick={onPick}
    >
      {axis.map((value) => (
        <g key={value} class="axis">
          <path d={`M${LEFT} ${Math.round(y(value)) + 0.5}H${width}`} />
          <text x={LEFT - 6} y={y(value) + 4} text-anchor="end">
            {figure(value, unit)}
          </text>
        </g>
      ))}
      <g transform={`translate(${LEFT} ${TOP})`}>
        {layersOf(chart, inner, HEIGHT, top).map(({ name, tone, path }) => (
          <path key={name} class={`layer ${tone}`} d={path}>
            <title>{name}</title>
          </path>
        ))}
        {place >= 0 && <path class="cursor" d={`M${((place + 0.5) / steps.length) * inner} 0V${HEIGHT}`} />}
        {at !== undefined && (
          <path class="cursor hover" d={`M${((at + 0.5) / steps.length) * inner} 0V${HEIGHT}`} />
        )}
      </g>
      {steps.map((n, i) =>
        i % every === 0 ? (
          <text
            key={n}
            class="axis-step"
            x={LEFT + ((i + 0.5) / steps.length) * inner}
            y={HEIGHT + TOP + 16}
            text-anchor="middle"
          >
            {n}
          </text>
        ) : null,
      )}
    </svg>
  )
}

function ChartTable({ chart: { steps, series, unit, title } }: { readonly chart: ChartData }) {
  const { word } = useShown()
  return (
    <div class="table-box" tabIndex={0} role="region" aria-label={`${title}, table`}>
      <table>
        <thead>
          <tr>
            <th scope="col">{word}</th>
            {series.map(({ name }) => (
              <th scope="col" key={name}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {steps.slice(0, MOST_LINES).map((n, i) => (
            <tr key={n}>
              <th scope="row">{n}</th>
              {series.map(({ name, values }) => (
                <td key={name}>{unit === "tokens" ? whole(values[i] ?? 0) : figure(values[i] ?? 0, unit)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {steps.length > MOST_LINES && (
        <p class="quiet">
          The first {MOST_LINES} of {whole(steps.length)}. Copy takes all.
        </p>
      )}
    </div>
  )
}
