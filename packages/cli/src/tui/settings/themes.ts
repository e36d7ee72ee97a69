import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { configFolder, parseJsonc, reasonOf } from "@sotto/harness"
import { BUILT_IN, type ReadTheme, themeFor, themeFrom } from "../text/theme.js"

type Environment = Readonly<Record<string, string | undefined>>

export interface NamedTheme {
  readonly name: string
  readonly about: string
}

export function themesIn(env: Environment): readonly NamedTheme[] {
  const own = fileNames(env).map((name) => ({ name, about: join(folderOf(env), `${name}.json`) }))
  return [
    { name: "auto", about: "by the background of the terminal" },
    { name: "terminal", about: "the terminal's own colours" },
    { name: "dark", about: "for dark backgrounds" },
    { name: "light", about: "for light backgrounds" },
    { name: "blue-orange", about: "blue and orange in place of green and red" },
    ...own,
  ]
}

/** Finds the theme of that name: of the user's own files first, then a built-in one. */
export function themeNamed(
  name: string,
  env: Environment,
  background: "dark" | "light" | undefined,
): ReadTheme {
  if (fileNames(env).includes(name)) return fromFile(join(folderOf(env), `${name}.json`))
  if (name === "auto") return { theme: themeFor(background), problems: [] }
  const theme = Object.hasOwn(BUILT_IN, name) ? BUILT_IN[name] : undefined
  if (theme !== undefined) return { theme, problems: [] }
  const names = themesIn(env).map((one) => one.name)
  const problem = `There is no theme "${name}". There are: ${names.join(", ")}. Your own are files in ${folderOf(env)}.`
  return { theme: themeFor(background), problems: [problem] }
}

function folderOf(env: Environment): string {
  return join(configFolder(env), "themes")
}

function fileNames(env: Environment): readonly string[] {
  try {
    return readdirSync(folderOf(env))
      .filter((file) => file.endsWith(".json"))
      .map((file) => file.slice(0, -".json".length))
  } catch {
    return []
  }
}

function fromFile(path: string): ReadTheme {
  try {
    return themeFrom(plain(parseJsonc(readFileSync(path, "utf8"), path)), path)
  } catch (error) {
    return { theme: themeFor(undefined), problems: [reasonOf(error)] }
  }
}

type Node = ReturnType<typeof parseJsonc>

/** Names and texts are all that a theme has. */
function plain(node: Node): unknown {
  if (node.is === "map")
    return Object.fromEntries([...node.entries].map(([key, { value }]) => [key, plain(value)]))
  return node.is === "scalar" ? node.value : []
}
