import { decideTrust, describeRules, type RuleRow } from "@sotto/harness"
import { leftOutLines } from "../output/trust.js"
import { oneLine } from "../screen/inert.js"
import { err, out } from "../screen/printer.js"
import { EXIT, UsageError } from "../usage.js"
import type { Subcommand } from "./subcommand.js"

export const subcommand: Subcommand = {
  help: `sotto rules: every rule of this directory, by the kind of reminder that it has the model told

  priority    higher speaks first
  throttle    how long the rule keeps silent after it spoke
  trust       whose words it tells: the harness's, yours (user), or anybody's (untrusted)
  from        Sotto itself (standard), or your file

"reminders" in sotto.json turns a kind off or changes it. docs/reference/reminders.md has every text.
`,
  options: {},
  manual: ["Reminders", "reminders.md"],
  run,
}

const HEADINGS = ["kind", "", "priority", "throttle", "trust", "from"]

async function run(args: readonly string[]): Promise<number> {
  if (args.length > 0) throw new UsageError("sotto rules takes no arguments.")
  const place = { cwd: process.cwd(), env: process.env }
  const trust = await decideTrust(place)
  const { trusted, folder } = trust
  const rows = [HEADINGS, ...(await describeRules({ ...place, trusted, folder })).map(cellsOf)]
  const widths = HEADINGS.map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)))
  for (const row of rows) {
    const line = row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join("  ")
    out.line(line.trimEnd())
  }
  for (const notice of trust.notices) err.line(`sotto: ${notice}`)
  for (const line of leftOutLines(trust)) err.line(line)
  return EXIT.done
}

function cellsOf({ kind, on, priority, throttle, trust, source }: RuleRow): readonly string[] {
  return [kind, on ? "on" : "off", String(priority), throttleText(throttle), trust, source].map(oneLine)
}

function throttleText({ steps, turns, limit }: RuleRow["throttle"]): string {
  const parts = [
    ...(steps ? [`${steps} steps`] : []),
    ...(turns ? [`${turns} turns`] : []),
    ...(limit === undefined ? [] : [`at most ${limit}`]),
  ]
  return parts.length === 0 ? "-" : parts.join(", ")
}
