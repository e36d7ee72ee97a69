import { counted, hitRate, moneyText, seconds, short, whole } from "../text/figures.js"
import { useShown } from "./context.js"
import { Figure } from "./parts.js"

/** Shows what a session or a trace comes to so far. It changes as they go on. */
export function Totals() {
  const { session, trace, word } = useShown()
  const all = session
    ? { ...session, count: session.steps, startedAt: session.createdAt, endedAt: session.updatedAt }
    : trace && { ...trace.totals, count: trace.calls }
  if (!all) return null
  const { tokens, cost, assumed, breaks, count, startedAt, endedAt } = all
  return (
    <section class="totals" aria-label="Totals">
      <dl>
        <Figure name={`${word}s`}>{whole(count)}</Figure>
        <Figure name="tokens in">
          <span title={counted(tokens.sent, "token")}>{short(tokens.sent)}</span>
        </Figure>
        <Figure name="tokens out">
          {tokens.output === undefined ? (
            "unknown"
          ) : (
            <span title={counted(tokens.output, "token")}>{short(tokens.output)}</span>
          )}
        </Figure>
        <Figure name="hit rate">
          <span title={`${whole(tokens.read)} of them read from the cache`}>{hitRate(tokens)}</span>
        </Figure>
        <Figure name="cost">{cost === undefined ? "unknown" : moneyText(cost, assumed)}</Figure>
        <Figure name="breaks">{whole(breaks)}</Figure>
        {startedAt !== undefined && endedAt !== undefined && (
          <Figure name="duration">{seconds(Math.max(0, endedAt - startedAt))}</Figure>
        )}
      </dl>
    </section>
  )
}
