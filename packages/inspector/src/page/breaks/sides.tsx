import { type DiffStretch, marked, shortened } from "../text/diff.js"
import { counted } from "../text/figures.js"
import { Text } from "../text/text.js"

type Named = readonly [name: string, text: string]

/** Shows two texts beside one another, with what differs marked. */
export function Sides({ before, after }: { readonly before: Named; readonly after: Named }) {
  const both = marked(before[1], after[1])
  return (
    <div class="sides">
      <Side name={before[0]} tone="before" stretches={shortened(both.before)} />
      <Side name={after[0]} tone="after" stretches={shortened(both.after)} />
    </div>
  )
}

function Side({
  name,
  tone,
  stretches,
}: {
  readonly name: string
  readonly tone: "before" | "after"
  readonly stretches: readonly DiffStretch[]
}) {
  return (
    <div class={`side ${tone}`}>
      <p class="side-name">{name}</p>
      <pre>
        {stretches.length === 0 && <i>nothing</i>}
        {stretches.map((one, i) =>
          "left" in one ? (
            <span key={i} class="left-out">
              {counted(one.left, "more character")}, the same on both sides
            </span>
          ) : one.changed ? (
            <mark key={i}>
              <Text value={one.text} />
            </mark>
          ) : (
            <Text key={i} value={one.text} />
          ),
        )}
      </pre>
    </div>
  )
}
