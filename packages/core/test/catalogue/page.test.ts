import { readFileSync } from "node:fs"
import { standardRules } from "@sotto/core"
import { describe, expect, it } from "vitest"
import { remindersPage } from "./page.js"
import { WHEN } from "./when.js"

/** Every kind that the seeds name. */
const OF_THE_SEEDS = [
  ...["file", "pdf_reference", "compact_file_reference", "directory", "mcp_resource", "nested_memory"],
  ...["relevant_memories", "selected_lines_in_ide", "opened_file_in_ide", "edited_text_file"],
  ...["todo_reminder", "task_reminder", "skill_listing", "invoked_skills", "skill_discovery"],
  ...["output_style", "diagnostics", "plan_mode", "plan_mode_reentry", "plan_mode_exit", "auto_mode"],
  ...["auto_mode_exit", "plan_file_reference", "critical_system_reminder", "queued_command"],
  ...["agent_mention", "task_status", "context_efficiency", "compaction_reminder"],
  ...["hook_stopped_continuation", "team_context", "async_hook_response", "max_steps", "build_switch"],
]

describe("docs/seeds.md", () => {
  const page = readFileSync(new URL("../../../../docs/seeds.md", import.meta.url), "utf8")
  const kinds: readonly string[] = standardRules().map(({ kind }) => kind)

  it("names every kind of the seeds, and every other that there is", () => {
    const named = [...page.matchAll(/`(\w+)`/g)].map(([, name]) => name)
    expect(OF_THE_SEEDS.filter((kind) => !kinds.includes(kind))).toEqual([])
    expect(kinds.filter((kind) => !named.includes(kind))).toEqual([])
  })

  it("shows only tours of kinds that there are", () => {
    const tours = [...page.matchAll(/sotto tour ([a-z_]+)/g)].flatMap(([, kind]) => kind ?? [])
    expect(tours.length).toBeGreaterThan(3)
    expect(tours.filter((kind) => !kinds.includes(kind))).toEqual([])
  })
})

describe("docs/reference/reminders.md", () => {
  it("says of every kind when it speaks, and of no other", () => {
    expect(Object.keys(WHEN).toSorted()).toEqual(
      standardRules()
        .map(({ kind }) => kind)
        .toSorted(),
    )
    for (const when of Object.values(WHEN)) expect(when).toMatch(/^[a-z][^.]+$/)
  })

  it("has an example of every kind", () => {
    const page = remindersPage()
    for (const { kind } of standardRules())
      expect(page).toMatch(new RegExp(`## ${kind}\n\n[^#]+\`\`\`text\n.+`))
  })

  it("is current: `npm run docs` writes it", async () => {
    await expect(remindersPage()).toMatchFileSnapshot("../../../../docs/reference/reminders.md")
  })
})
