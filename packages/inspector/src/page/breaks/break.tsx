import { useState } from "preact/hooks"
import type { BreakPage } from "../../contract.js"
import { hashOf } from "../route/route.js"
import { useShown } from "../shell/context.js"
import { Badge } from "../shell/parts.js"
import { marked, type Stretch } from "../text/diff.js"
import { dollars, whole } from "../text/figures.js"
import { Text } from "../text/text.js"

/** One break: where it is, what changed, what it cost, and what to do. */
export function BreakCard({
  found,
  isOpen = false,
}: {
  readonly found: BreakPage
  readonly isOpen?: boolean
}) {
  const { subject, word } = useShown()
  const [isShown, setShown] = useState(isOpen)
  const { cause, detail, lostTokens, money, segment, byte, remedy, n, severity } = found
  return (
    <article class={`break ${severity}`} id={`break-${n}`}>
      <header>
        <Badge tone={severity === "note" ? "warn" : "bad"}>{cause}</Badge>
        <a href={hashOf({ at: "step", subject, n, path: segment })}>
          {word} {whole(n)}
        </a>
        <span>
          <Text value={detail} />
        </span>
        <span class="grow" />
        <b class="cost">
          {whole(lostTokens)} tokens{money !== undefined && `, ${dollars(money)}`}
        </b>
      </header>
      <p class="quiet">
        at{" "}
        <code>
          <Text value={segment} />
        </code>
        {byte !== undefined && `, byte ${whole(byte)}`}
      </p>
      <p class="remedy">
        <b>Remedy</b> <Text value={remedy} />
      </p>
      {!isOpen && (
        <button type="button" class="link" aria-expanded={isShown} onClick={() => setShown(!isShown)}>
          {isShown ? "Hide before and after" : "Before and after"}
        </button>
      )}
      {isShown && <Sides found={found} />}
    </article>
  )
}

function Sides({ found: { before, after } }: { readonly found: BreakPage }) {
  const { before: left, after: right } = marked(before, after)
  return (
    <div class="sides">
      <Side name="before" stretches={left} />
      <Side name="after" stretches={right} />
    </div>
  )
}

function Side({ name, stretches }: { readonly name: string; readonly stretches: readonly Stretch[] }) {
  return (
    <div class={`side ${name}`}>
      <h3>{name}</h3>
      <pre>
        {stretches.length === 0 && <i>nothing</i>}
        {stretches.map(({ text, changed }, i) =>
          changed ? (
            <mark key={i}>
              <Text value={text} />
            </mark>
          ) : (
            <Text key={i} value={text} />
          ),
        )}
      </pre>
    </div>
  )
}
