import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { dirname, join, resolve } from "node:path"
import {
  appendPrivate,
  checkSettings,
  configFolder,
  type McpServerSettings,
  privateFolder,
  projectFolders,
} from "@sotto/harness"
import { append, type Located, locate, withoutMember, withoutNth, withValue } from "./jsonc.js"

/** Switches a kind of reminder off, or leaves it to the rule again. */
export function writeReminder(path: string, kind: string, on: boolean): void {
  // What an object says of the kind, its text or throttle, does not turn it off, and `{}` says nothing.
  change(path, (text) => withValue(text, ["reminders", kind], on ? {} : false))
}

/** Writes into the user's own file which colours the terminal is drawn in. */
export function writeTheme(path: string, name: string): void {
  change(path, (text) => withValue(text, ["terminal", "theme"], name))
}

/**
 * Adds a rule to the user's own file that allows what matches in one project, after the other rules for it: the last
 * match wins. The project's own file is never written: what it says is not the user's word.
 */
export function writePermission(path: string, project: string, permission: string, pattern: string): void {
  change(path, (text) => withPermission(text, project, permission, pattern))
}

export function withPermission(text: string, project: string, permission: string, pattern: string): string {
  const rules = text.trim() === "" ? undefined : rulesIn(text, project)
  const at = ["projects", project, "permission"]
  if (rules?.is === "array") return append(text, rules, "", { permission, pattern, action: "allow" })
  const own = rules && member(rules, permission)
  if (own?.is === "scalar") {
    const action: unknown = JSON.parse(text.slice(own.from, own.to))
    return withValue(text, [...at, permission], { "*": action, [pattern]: "allow" })
  }
  return withValue(text, [...at, permission, pattern], "allow")
}

/** A rule of the user's own file that allows something in one project. */
export interface LastingRule {
  readonly permission: string
  readonly pattern: string
}

export function readPermissions(path: string, project: string): readonly LastingRule[] {
  const text = textOf(path)
  const rules = text.trim() === "" ? undefined : rulesIn(text, project)
  if (rules === undefined) return []
  const readAt = ({ from, to }: Located): unknown => JSON.parse(text.slice(from, to))
  if (rules.is === "array")
    return rules.members.flatMap(({ value }) => {
      const field = (name: string) => {
        const found = member(value, name)
        return found?.is === "scalar" ? String(readAt(found)) : ""
      }
      return field("action") === "allow"
        ? [{ permission: field("permission"), pattern: field("pattern") }]
        : []
    })
  return rules.members.flatMap(({ key, value }) => {
    if (value.is === "scalar") return readAt(value) === "allow" ? [{ permission: key, pattern: "*" }] : []
    return value.members.flatMap((rule) =>
      rule.value.is === "scalar" && readAt(rule.value) === "allow"
        ? [{ permission: key, pattern: rule.key }]
        : [],
    )
  })
}

/** Takes a rule out of the user's own file. False if it is not there any more. */
export function removePermission(path: string, project: string, rule: LastingRule): boolean {
  const before = textOf(path)
  const after = withoutPermission(before, project, rule)
  if (after === before) return false
  change(path, () => after)
  return true
}

export function withoutPermission(
  text: string,
  project: string,
  { permission, pattern }: LastingRule,
): string {
  const rules = text.trim() === "" ? undefined : rulesIn(text, project)
  if (rules === undefined) return text
  if (rules.is === "array") {
    const place = rules.members.findIndex(({ value }) => {
      const is = (name: string, wanted: string) => {
        const found = member(value, name)
        return found !== undefined && text.slice(found.from, found.to) === JSON.stringify(wanted)
      }
      return is("permission", permission) && is("pattern", pattern) && is("action", "allow")
    })
    return withoutNth(text, rules, place)
  }
  const at = ["projects", project, "permission", permission]
  const own = member(rules, permission)
  return withoutMember(text, own?.is === "scalar" ? at : [...at, pattern])
}

function rulesIn(text: string, project: string): Located | undefined {
  const all = member(locate(text), "projects")
  const known = all && member(all, project)
  return known && member(known, "permission")
}

function member(parent: Located, name: string): Located | undefined {
  return parent.members.find(({ key }) => key === name)?.value
}

/** The field of a file that lists MCP servers: in `sotto.json`, and in the `.mcp.json` that agents share. */
export type ServerField = "mcp" | "mcpServers"

/** Lists the names of the MCP servers in a file. Throws ConfigError for a file that cannot be used. */
export function serversIn(path: string, field: ServerField): readonly string[] {
  const text = textOf(path)
  if (text.trim() === "") return []
  checkSettings(text, path)
  return member(locate(text), field)?.members.map(({ key }) => key) ?? []
}

/** Writes an MCP server into a `sotto.json`, in the place of one with that name. */
export function writeServer(path: string, name: string, server: McpServerSettings): void {
  changeChecked(path, (text) => withValue(text, ["mcp", name], server))
}

/** Takes an MCP server out of a file. */
export function removeServer(path: string, field: ServerField, name: string): void {
  changeChecked(path, (text) => withoutMember(text, [field, name]))
}

/** Throws ConfigError, and changes nothing, if the file cannot be used before or after. */
function changeChecked(path: string, edit: (text: string) => string): void {
  const before = textOf(path)
  if (before.trim() !== "") checkSettings(before, path)
  checkSettings(edit(before), path)
  change(path, edit)
}

/** Writes all of the new text or nothing of it, and nothing that could not be read back. */
function change(path: string, edit: (text: string) => string): void {
  const changed = edit(textOf(path))
  locate(changed)
  mkdirSync(dirname(path), { recursive: true })
  // A link stays a link, and who may read the file stays as it is.
  const target = existsSync(path) ? realpathSync(path) : path
  const mode = statSync(target, { throwIfNoEntry: false })?.mode
  const beside = `${target}.${process.pid}.tmp`
  try {
    writeFileSync(beside, changed)
    if (mode !== undefined) chmodSync(beside, mode & 0o777)
    renameSync(beside, target)
  } catch (error) {
    rmSync(beside, { force: true })
    throw error
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8")
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return ""
    throw error
  }
}

type Environment = Readonly<Record<string, string | undefined>>

export interface SettingsFiles {
  readonly user: string
  /** The project's that is read now, or where one would be. Only the nearest is read, so no nearer one may be made. */
  readonly project: string
  /** The folder that a permission is bound to: the repository, or where the agent works. */
  readonly root: string
}

export function settingsFiles(cwd: string, env: Environment, read: readonly string[]): SettingsFiles {
  const user = join(configFolder(env), "sotto.json")
  const [root = cwd] = projectFolders({ cwd, env })
  const inHome = root === env.HOME ? cwd : root
  return {
    user,
    project: read.find((path) => path !== user) ?? join(inHome, "sotto.json"),
    root: resolve(inHome),
  }
}

/** What a user is asked about once: whether they know what they turn on. */
type Matter = "auto"

export function isConfirmed(folder: string, matter: Matter): boolean {
  return existsSync(fileOf(folder, matter))
}

export function confirmed(folder: string, matter: Matter): void {
  privateFolder(folder)
  appendPrivate(fileOf(folder, matter), "")
}

function fileOf(folder: string, matter: Matter): string {
  return join(folder, `confirmed-${matter}`)
}
