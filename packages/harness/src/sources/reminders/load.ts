import { parseRule, type Rule } from "@sotto/core"
import type { Project } from "../../platform/workspace/project.js"
import { markdownIn } from "../../settings/config/files.js"
import { definitionFolders } from "../../settings/trust/definitions.js"
import { sottoRules } from "./standard.js"

/**
 * Loads the user's and a trusted folder's own rules, `.sotto/reminders/*.md`. Of two with one kind the nearer counts. A
 * folder's words are never told with system authority, and none of its rules takes the place of a standard one.
 */
export async function loadRules(
  place: Project,
  report: (notice: string) => void = () => undefined,
): Promise<readonly Rule[]> {
  const standard = new Set<string>(sottoRules().map(({ kind }) => kind))
  const folders = await Promise.all(
    definitionFolders(place, "reminders").map(async ({ path, from }) =>
      (await markdownIn(path)).flatMap((file): readonly Rule[] => {
        const rule = parseRule(file.text, file.path)
        if (from === "user") return [rule]
        if (!standard.has(rule.kind)) return [{ ...rule, trust: "untrusted" }]
        report(
          `${file.path} is left out: "${rule.kind}" is a kind of Sotto's own. Give the rule another \`kind\`.`,
        )
        return []
      }),
    ),
  )
  return [...new Map(folders.flat().map((rule) => [rule.kind, rule])).values()]
}
