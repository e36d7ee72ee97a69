import { type Rule, standardRules, type Throttle } from "@sotto/core"
import { loadConfig, loadRules } from "@sotto/harness"
import { EXIT, UsageError } from "../usage.js"

/** Every rule of this directory, as it would run. */
export async function rules(args: readonly string[]): Promise<number> {
  if (args.length > 0) throw new UsageError("sotto rules takes no arguments.")
  const place = { cwd: process.cwd(), env: process.env }
  const [{ reminders }, own] = await Promise.all([loadConfig(place), loadRules(place)])
  const rows = [...standardRules(), ...own].map((rule) => rowOf(rule, reminders[rule.kind]))
  const headings = ["kind", "", "priority", "throttle", "trust", "from"]
  const all = [headings, ...rows]
  const widths = headings.map((_, i) => Math.max(...all.map((row) => row[i]?.length ?? 0)))
  for (const row of all)
    process.stdout.write(
      `${row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join("  ")
        .trimEnd()}\n`,
    )
  return EXIT.done
}

function rowOf(
  rule: Rule,
  settings: Awaited<ReturnType<typeof loadConfig>>["reminders"][string] | undefined,
): readonly string[] {
  const on = settings === undefined ? rule.optIn !== true : settings !== false
  const own = settings === undefined || settings === false ? {} : settings
  return [
    rule.kind,
    on ? "on" : "off",
    String(own.priority ?? rule.priority ?? 50),
    throttleText(own.throttle ?? rule.throttle ?? {}),
    rule.trust ?? "harness",
    rule.source ?? "standard",
  ]
}

function throttleText({ steps, turns, limit }: Throttle): string {
  const parts = [
    ...(steps ? [`${steps} steps`] : []),
    ...(turns ? [`${turns} turns`] : []),
    ...(limit === undefined ? [] : [`at most ${limit}`]),
  ]
  return parts.length === 0 ? "-" : parts.join(", ")
}
