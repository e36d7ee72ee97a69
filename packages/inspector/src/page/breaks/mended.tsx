import { hashOf } from "../route/route.js"
import { useShown } from "../shell/context.js"
import { counted } from "../text/figures.js"
import { Text } from "../text/text.js"

/** Calls that the proxy changed. What it withheld and told instead is a click away. */
export function MendedCalls() {
  const { rows, subject, word } = useShown()
  const mended = rows.all.filter((row) => row?.mends !== undefined)
  if (mended.length === 0) return null
  return (
    <section aria-labelledby="mended">
      <h2 id="mended">Mended by the proxy</h2>
      <ul class="mended">
        {mended.map(
          (row) =>
            row && (
              <li key={row.n}>
                <a href={hashOf({ at: "step", subject, n: row.n })}>
                  {word} {row.n}
                </a>
                : {counted(row.mends ?? 0, "change")}
                {row.asked && (
                  <span class="quiet">
                    {" "}
                    <Text value={row.asked} />
                  </span>
                )}
              </li>
            ),
        )}
      </ul>
    </section>
  )
}
