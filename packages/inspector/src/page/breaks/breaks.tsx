import { useEffect } from "preact/hooks"
import { useLoaded, useRows } from "../data/hooks.js"
import type { PageRoute } from "../route/route.js"
import { useShown } from "../shell/context.js"
import { Loading, Trouble } from "../shell/parts.js"
import { counted, moneyText, whole } from "../text/figures.js"
import { BreakCard } from "./break.js"
import { MendedCalls } from "./mended.js"

/** How many are shown at once: more say nothing that the causes do not say. */
const MOST = 200

/** Shows every break, the most expensive first. */
export function Breaks({ route }: { readonly route: Extract<PageRoute, { at: "breaks" }> }) {
  const { reader, subject, rows, live } = useShown()
  useRows(rows)
  const loaded = useLoaded(() => reader.breaks(subject), [subject.id, live.stale])
  const breaks = [...(loaded.value?.breaks ?? [])].sort((a, b) => b.lostTokens - a.lostTokens)
  const { n } = route
  useEffect(() => {
    if (n !== undefined && loaded.value)
      document.getElementById(`break-${n}`)?.scrollIntoView({ block: "start" })
  }, [n, loaded.value])
  const lost = breaks.reduce((sum, { lostTokens }) => sum + lostTokens, 0)
  const money = breaks.reduce((sum, one) => sum + (one.money ?? 0), 0)
  return (
    <div class="page breaks">
      <div class="toolbar">
        <h1>Breaks</h1>
        {loaded.value && breaks.length > 0 && (
          <span class="quiet">
            {counted(breaks.length, "break")}, {whole(lost)} tokens processed again
            {money > 0 && `, ${moneyText(money, breaks.find((one) => one.assumed)?.assumed)} extra`}
          </span>
        )}
      </div>
      {loaded.error && <Trouble error={loaded.error} />}
      {!loaded.value && !loaded.error && <Loading />}
      {loaded.value && breaks.length === 0 && (
        <p class="good-news">No break: every request continues the one before it, byte for byte.</p>
      )}
      {breaks.slice(0, MOST).map((found) => (
        <BreakCard key={found.n} found={found} isOpen={found.n === n || breaks.length <= 3} />
      ))}
      {breaks.length > MOST && <p class="quiet">And {counted(breaks.length - MOST, "cheaper one")}.</p>}
      <MendedCalls />
    </div>
  )
}
