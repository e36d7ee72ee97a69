import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { append, type Located, locate, withValue } from "./jsonc.js"

/** Switches a kind of reminder off, or leaves it to the rule again. */
export function writeReminder(path: string, kind: string, on: boolean): void {
  // What an object says of the kind, its text or throttle, does not turn it off, and `{}` says nothing.
  change(path, (text) => withValue(text, ["reminders", kind], on ? {} : false))
}

/**
 * Adds a rule to the user's own file that allows what matches in one project, after the other rules for it: the last
 * match wins. The project's own file is never written: what it says is not the user's word.
 */
export function writePermission(path: string, project: string, permission: string, pattern: string): void {
  change(path, (text) => withPermission(text, project, permission, pattern))
}

export function withPermission(text: string, project: string, permission: string, pattern: string): string {
  const all = text.trim() === "" ? undefined : member(locate(text), "projects")
  const known = all && member(all, project)
  const rules = known && member(known, "permission")
  const at = ["projects", project, "permission"]
  if (rules?.is === "array") return append(text, rules, "", { permission, pattern, action: "allow" })
  const own = rules && member(rules, permission)
  if (own?.is === "scalar") {
    const action: unknown = JSON.parse(text.slice(own.from, own.to))
    return withValue(text, [...at, permission], { "*": action, [pattern]: "allow" })
  }
  return withValue(text, [...at, permission, pattern], "allow")
}

function member(parent: Located, name: string): Located | undefined {
  return parent.members.find(({ key }) => key === name)?.value
}

/** All of the new text or nothing of it, and nothing that could not be read back. */
function change(path: string, edit: (text: string) => string): void {
  const changed = edit(textOf(path))
  locate(changed)
  mkdirSync(dirname(path), { recursive: true })
  const beside = `${path}.${process.pid}.tmp`
  writeFileSync(beside, changed)
  renameSync(beside, path)
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8")
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return ""
    throw error
  }
}
