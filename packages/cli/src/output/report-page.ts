import type { Break, Finding, Report, ThreadReport } from "@sotto/lens"
import { counted, percent, whole } from "./figures.js"
import { byCost, priceTag, purposeOf, summaryOf, tokensLine } from "./summary.js"

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.4rem } h2 { font-size: 1.15rem; margin-top: 2rem } h3 { font-size: 1rem; margin-bottom: 0 }
table { border-collapse: collapse; width: 100% } th, td { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid #8884 }
td.number { white-space: nowrap; text-align: right }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: #8881; padding: .6rem; margin: .3rem 0 }
.error { color: #c22; font-weight: 600 } .warning { font-weight: 600 } .note, .quiet { opacity: .75 }
.summary { font-size: 1.1rem }
`

/** The whole report as one page that needs nothing else. */
export function reportPage(report: Report): string {
  const findings = byCost(report.findings)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>sotto check</title>
<style>${STYLE}</style>
</head>
<body>
<h1>sotto check</h1>
<p class="summary">${escaped(summaryOf(report))}</p>
<p class="quiet">${report.sources.map(({ name, format, calls }) => escaped(`${name} (${format}, ${counted(calls, "call")})`)).join("<br>")}</p>
<h2>Findings, the most expensive first</h2>
${findings.length === 0 ? "<p>Nothing was found that would have to be mended.</p>" : findingTable(findings)}
<h2>Threads</h2>
${report.threads.map(threadSection).join("\n")}
</body>
</html>
`
}

function findingTable(findings: readonly Finding[]): string {
  const rows = findings.map((finding) => {
    const { id, severity, message, remedy, thread, call } = finding
    const place = [
      ...(thread === undefined ? [] : [`<a href="#thread-${escaped(thread)}">thread ${escaped(thread)}</a>`]),
      ...(call === undefined ? [] : [`call ${call}`]),
    ].join(", ")
    return `<tr><td class="${severity}">${severity}</td><td><code>${escaped(id)}</code><br><span class="quiet">${place}</span></td><td>${escaped(message)}<br><span class="quiet">${escaped(remedy)}</span></td><td class="number">${escaped(priceTag(finding))}</td></tr>`
  })
  return `<table>\n<tr><th>severity</th><th>finding</th><th>what, and what to do</th><th>cost</th></tr>\n${rows.join("\n")}\n</table>`
}

function threadSection(thread: ThreadReport): string {
  const { id, model, dialect, calls, source, reminders, breaks } = thread
  const about = `${purposeOf(thread)}, ${counted(calls, "call")}, ${model || "unknown model"} (${dialect}), ${source}`
  return `<section id="thread-${escaped(id)}">
<h3>Thread ${escaped(id)}</h3>
<p class="quiet">${escaped(about)}</p>
<p>${escaped(tokensLine(thread))}</p>
${reminders.length === 0 ? "" : reminderTable(reminders)}
${breaks.map(breakDetails).join("\n")}
</section>`
}

function reminderTable(reminders: ThreadReport["reminders"]): string {
  const rows = reminders.map(
    ({ kind, times, distinct, tokens, share }) =>
      `<tr><td>${escaped(kind)}</td><td class="number">${whole(times)}</td><td class="number">${whole(distinct)}</td><td class="number">${whole(tokens)}</td><td class="number">${percent(share)}</td></tr>`,
  )
  return `<table>\n<tr><th>reminders, as far as they are recognised</th><th>times</th><th>wordings</th><th>tokens</th><th>share</th></tr>\n${rows.join("\n")}\n</table>`
}

function breakDetails({ call, segment, byte, cause, detail, lostTokens, before, after }: Break): string {
  const at = byte === undefined ? segment : `${segment}, byte ${whole(byte)}`
  const excerpt = (label: string, text: string) =>
    `<p class="quiet">${label}${text === "" ? ": nothing" : ""}</p>${text === "" ? "" : `<pre>${escaped(text)}</pre>`}`
  return `<details>
<summary>Call ${call}: <code>${cause}</code>, ${whole(lostTokens)} tokens lost: ${escaped(detail)}</summary>
<p class="quiet">${escaped(at)}</p>
${excerpt("before", before)}
${excerpt("after", after)}
</details>`
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}
