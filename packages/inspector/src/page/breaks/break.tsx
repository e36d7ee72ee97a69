import { useState } from "preact/hooks"
import type { BreakPage } from "../../contract.js"
import { hashOf } from "../route/route.js"
import { useShown } from "../shell/context.js"
import { Badge } from "../shell/parts.js"
import { moneyText, whole } from "../text/figures.js"
import { Text } from "../text/text.js"
import { Sides } from "./sides.js"

/** Shows one break: where it is, what changed, what it cost, and what to do. */
export function BreakCard({
  found,
  isOpen = false,
}: {
  readonly found: BreakPage
  readonly isOpen?: boolean
}) {
  const { subject, word } = useShown()
  const [isShown, setShown] = useState(isOpen)
  // Where nothing changed there is nothing to compare.
  const hasTexts = found.before !== "" || found.after !== ""
  const { cause, detail, lostTokens, money, assumed, segment, byte, remedy, n, severity } = found
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
          {whole(lostTokens)} tokens{money !== undefined && `, ${moneyText(money, assumed)}`}
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
      {!isOpen && hasTexts && (
        <button type="button" class="link" aria-expanded={isShown} onClick={() => setShown(!isShown)}>
          {isShown ? "Hide before and after" : "Before and after"}
        </button>
      )}
      {isShown && hasTexts && <Sides before={["before", found.before]} after={["after", found.after]} />}
    </article>
  )
}
