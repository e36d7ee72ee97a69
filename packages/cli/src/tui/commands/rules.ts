import { describeRules } from "@sotto/harness"
import type { SlashCommand } from "./command.js"

export const rules: SlashCommand = {
  name: "rules",
  help: "every rule of this directory: on or off, throttle, priority, where it comes from",
  run: async ({ workplace, page }) => {
    const rows = await describeRules({ cwd: workplace.cwd, env: workplace.env })
    const cells = rows.map(
      ({ kind, on, priority, throttle: { steps, turns, limit }, source }) =>
        `| ${kind} | ${on ? "on" : "off"} | ${priority} | ${[steps && `${steps} steps`, turns && `${turns} turns`, limit && `at most ${limit}`].filter(Boolean).join(", ")} | ${source} |`,
    )
    page(["| kind | | priority | throttle | from |", "| --- | --- | --- | --- | --- |", ...cells].join("\n"))
  },
}
