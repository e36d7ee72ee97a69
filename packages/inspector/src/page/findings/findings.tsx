import type { Finding, Report } from "../../contract.js"
import { useRows } from "../data/hooks.js"
import { hashOf } from "../route/route.js"
import { useShown } from "../shell/context.js"
import { Badge, KindName, Loading } from "../shell/parts.js"
import { counted, moneyText, percent, whole } from "../text/figures.js"
import { Text } from "../text/text.js"

const TONES = { error: "bad", warning: "warn", note: "plain" } as const

/** Shows what `sotto check` says of a trace: findings, then threads. */
export function Findings() {
  const { trace, rows } = useShown()
  useRows(rows)
  if (trace === undefined) return <Loading />
  const { report } = trace
  return (
    <div class="page findings">
      <div class="toolbar">
        <h1>Findings</h1>
        <span class="quiet">{summaryOf(report)}</span>
      </div>
      <ul class="sources quiet">
        {report.sources.map(({ name, format, calls }) => (
          <li key={name}>
            <Text value={name} /> ({format}, {counted(calls, "call")})
          </li>
        ))}
      </ul>
      {report.findings.length === 0 && (
        <p class="good-news">Nothing was found that would have to be mended.</p>
      )}
      <ul class="finding-list">
        {report.findings.map((finding, i) => (
          <FindingCard key={i} finding={finding} />
        ))}
      </ul>
      <h2>Threads</h2>
      <Threads report={report} />
    </div>
  )
}

function summaryOf({ threads }: Report): string {
  const calls = threads.reduce((sum, thread) => sum + thread.calls, 0)
  const breaks = threads.flatMap((thread) => thread.breaks).filter(({ cause }) => cause !== "compacted")
  const lost = breaks.reduce((sum, { lostTokens }) => sum + lostTokens, 0)
  const said =
    breaks.length === 0 ? "no break" : `${counted(breaks.length, "break")}, ${whole(lost)} tokens lost`
  return `${counted(calls, "call")} in ${counted(threads.length, "thread")}, ${said}`
}

function FindingCard({ finding }: { readonly finding: Finding }) {
  const { subject, rows } = useShown()
  const { id, severity, message, remedy, thread, call, tokens, money, assumed } = finding
  const row = rows.all.find((one) => one?.thread === thread && one?.call === call)
  return (
    <li class={`finding ${severity}`}>
      <header>
        <Badge tone={TONES[severity]}>{severity}</Badge> <code>{id}</code>
        {thread !== undefined && <span class="quiet">thread {thread}</span>}
        {row && <a href={hashOf({ at: "step", subject, n: row.n })}>call {row.n}</a>}
        <span class="grow" />
        <b class="cost">
          {[tokens && counted(Math.round(tokens), "token"), money && moneyText(money, assumed)]
            .filter(Boolean)
            .join(", ")}
        </b>
      </header>
      <p>
        <Text value={message} />
      </p>
      <p class="remedy">
        <b>Remedy</b> <Text value={remedy} />
      </p>
    </li>
  )
}

function Threads({ report }: { readonly report: Report }) {
  return (
    <>
      {report.threads.map(({ id, model, dialect, calls, purpose, tokens, reminders, parent }) => (
        <section key={id} class="thread">
          <h3>
            Thread {id}: {purpose} {parent && <span class="quiet">of thread {parent}</span>}
          </h3>
          <p class="quiet">
            {counted(calls, "call")}, <Text value={model || "unknown model"} /> ({dialect}).{" "}
            {whole(tokens.sent)} tokens sent, {tokens.sent > 0 ? percent(tokens.read / tokens.sent) : "0%"}{" "}
            read from the cache, {whole(tokens.written)} written, {whole(tokens.missed)} missed,{" "}
            {tokens.reported ? "as the provider reports." : "as the provider's rules predict."}
          </p>
          {reminders.length > 0 && (
            <table>
              <caption class="visually-hidden">Reminders of thread {id}</caption>
              <thead>
                <tr>
                  <th scope="col">reminders, as far as they are recognised</th>
                  <th scope="col">times</th>
                  <th scope="col">wordings</th>
                  <th scope="col">tokens</th>
                  <th scope="col">share</th>
                </tr>
              </thead>
              <tbody>
                {reminders.map((one) => (
                  <tr key={one.kind}>
                    <td>
                      <KindName kind={one.kind} />
                    </td>
                    <td>{whole(one.times)}</td>
                    <td>{whole(one.distinct)}</td>
                    <td>{whole(one.tokens)}</td>
                    <td>{percent(one.share)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
        </section>
      ))}
    </>
  )
}
