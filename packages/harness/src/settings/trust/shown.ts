import type { PermissionRule } from "@sotto/core"
import type { AgentSettings } from "../config/fields.js"
import type { HookSettings, LanguageServerSettings, McpServerSettings } from "../config/outside.js"

// How the parts of a configuration are shown to the user who decides about trust. Every field is in sight: a variable
// in `env` can change which program runs.

/** Writes every field as its name and its value. */
export function fieldTexts(fields: object): readonly string[] {
  return Object.entries(fields).map(([name, value]) => `${name} ${JSON.stringify(value)}`)
}

export function ruleText({ permission, pattern, action }: PermissionRule): string {
  return `${action} ${permission} ${pattern}`
}

export function agentText({ permission = [], ...rest }: AgentSettings): string {
  return [...fieldTexts(rest), ...permission.map(ruleText)].join("; ")
}

export function hookText({ command, match, ...rest }: HookSettings): string {
  const runs = `runs ${command}${match === undefined ? "" : ` (for ${match})`}`
  return [runs, ...fieldTexts(rest)].join("; ")
}

export function serverText({ command, args = [], url, disable, ...rest }: McpServerSettings): string {
  const how = command === undefined ? `connects to ${url ?? ""}` : `runs ${[command, ...args].join(" ")}`
  return [disable === true ? "switched off" : how, ...fieldTexts(rest)].join("; ")
}

export function languageText(server: boolean | LanguageServerSettings): string {
  if (typeof server === "boolean") return server ? "runs the usual program" : "switched off"
  const { command, ...rest } = server
  const runs = command === undefined ? "runs the usual program" : `runs ${command.join(" ")}`
  return [runs, ...fieldTexts(rest)].join("; ")
}
