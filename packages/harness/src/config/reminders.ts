import { parseRule, type Rule } from "@sotto/core"
import { definitionFolders, markdownIn, type Place } from "./places.js"

/** The user's and the project's own rules, `.sotto/reminders/*.md`. Of two with one kind the nearer counts. */
export async function loadRules(place: Place): Promise<readonly Rule[]> {
  const folders = await Promise.all(definitionFolders(place, "reminders").map(markdownIn))
  const rules = folders.flat().map(({ path, text }) => parseRule(text, path))
  return [...new Map(rules.map((rule) => [rule.kind, rule])).values()]
}
