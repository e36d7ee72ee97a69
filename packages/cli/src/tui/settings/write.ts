import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { append, type Located, locate, withValue } from "./jsonc.js"

/** Switches a kind of reminder off, or leaves it to the rule again. */
export function writeReminder(path: string, kind: string, on: boolean): void {
  // What an object says of the kind, its text or throttle, does not turn it off, and `{}` says nothing.
  change(path, (text) => withValue(text, ["reminders", kind], on ? {} : false))
}

/** Adds a rule that allows what matches, after the others: the last match wins. */
export function writePermission(path: string, permission: string, pattern: string): void {
  change(path, (text) => withPermission(text, permission, pattern))
}

export function withPermission(text: string, permission: string, pattern: string): string {
  const rules = text.trim() === "" ? undefined : member(locate(text), "permission")
  if (rules?.is === "array") return append(text, rules, "", { permission, pattern, action: "allow" })
  const own = rules && member(rules, permission)
  if (own?.is === "scalar") {
    const action: unknown = JSON.parse(text.slice(own.from, own.to))
    return withValue(text, ["permission", permission], { "*": action, [pattern]: "allow" })
  }
  return withValue(text, ["permission", permission, pattern], "allow")
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
