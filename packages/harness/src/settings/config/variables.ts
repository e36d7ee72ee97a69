import { KEY_VARIABLES } from "../../models/providers.js"
import type { Environment } from "../../platform/workspace/folders.js"
import type { McpServerSettings } from "./outside.js"

/** A server as it is to be reached: every `${VAR}` and `${VAR:-otherwise}` in it replaced. */
export interface McpServerConfig extends McpServerSettings {
  /** Where it is configured, for people. */
  readonly from?: string
  /** What keeps it from being reached, for people. */
  readonly problem?: string
}

/**
 * Fills in variables. One that is not set keeps one server from being reached and nothing else: the same file serves
 * machines and people that do not have every secret.
 */
export function withVariables(
  settings: McpServerSettings,
  env: Environment,
  at: { readonly file: string; readonly field: string },
): McpServerConfig {
  const missing: string[] = []
  const filled = <T>(value: T, field: string): T => {
    if (typeof value === "string") return fill(value, field) as T
    if (Array.isArray(value)) return value.map((item) => filled(item, field)) as T
    if (typeof value !== "object" || value === null) return value
    const entries = Object.entries(value).map(([key, inner]) => [key, filled(inner, `${field}.${key}`)])
    return Object.fromEntries(entries)
  }
  const fill = (text: string, field: string) =>
    text.replace(/\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g, (_, name: string, otherwise?: string) => {
      if (KEY_VARIABLES.has(name)) {
        missing.push(
          `${at.file}: ${field}: ${name} holds a provider's key and is handed to nobody else. Use another variable.`,
        )
        return ""
      }
      const value = env[name] || otherwise
      if (value === undefined)
        missing.push(
          `${at.file}: ${field}: The variable ${name} is not set. Set it, or write \${${name}:-…}.`,
        )
      return value ?? ""
    })
  const whole = { ...filled(settings, at.field), from: `${at.file}: ${at.field}` }
  return missing.length === 0 ? whole : { ...whole, problem: missing.join(" ") }
}
