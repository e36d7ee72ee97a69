import { existsSync, realpathSync } from "node:fs"
import { basename, delimiter, isAbsolute, join, resolve } from "node:path"
import { isInside } from "../../platform/workspace/location.js"
import { type Project, projectFolders } from "../../platform/workspace/project.js"
import { trustFolder } from "./folder.js"

/**
 * Language servers that load and run what they find in the folder, wherever they are installed themselves: the project's
 * own compiler from `node_modules`, plug-ins, build scripts.
 */
const RUN_FOLDER_CODE =
  /^(typescript-language-server|vtsls|tsserver|vscode-eslint-language-server|eslint-lsp|rust-analyzer)$/

/** Programs that run what they find installed, or configured, where they are started. */
const RUNNERS = /^(npx|npm|pnpx|pnpm|yarn|bunx|bun|uvx|uv|pipx|deno)$/
const RUNNER_SETTINGS = [
  ...[".npmrc", ".yarnrc", ".yarnrc.yml", ".pnpmfile.cjs", "bunfig.toml", "uv.toml", "pyproject.toml"],
  ...["deno.json", "deno.jsonc"],
]

/** Says why a server of the user's own is not started here: it would run what lies in an untrusted folder. */
export function refusal(command: string, args: readonly string[], place: Project): string | undefined {
  if (place.trusted === true) return undefined
  if (command.includes("/") && !mayStart(resolve(place.cwd, command), place))
    return `${command} lies in this folder, ${NOT_TRUSTED}`
  if (!RUNNERS.test(plainName(command))) return undefined
  const name = packageIn(args)
  const found = projectFolders(place)
    .flatMap((folder) => [...RUNNER_SETTINGS, ...installed(name)].map((path) => join(folder, path)))
    .find((path) => existsSync(path))
  return found === undefined
    ? undefined
    : `${plainName(command)} would go by ${found}, which is in a folder ${NOT_TRUSTED}`
}

const NOT_TRUSTED = "that you do not trust; `sotto trust add` says that you do"

function packageIn(args: readonly string[]): string {
  return (args.find((arg) => !arg.startsWith("-")) ?? "").replace(/(?<=.)@.*$/, "")
}

function installed(name: string): readonly string[] {
  if (name === "") return []
  return [join("node_modules", name), join("node_modules", ".bin", basename(name))]
}

/** Lists where programs are looked for: not in an untrusted folder, and not wherever the agent happens to work. */
export function searchPath(place: Project): string {
  const entries = (place.env.PATH ?? "").split(delimiter).filter((entry) => isAbsolute(entry))
  if (place.trusted === true) return entries.join(delimiter)
  const folder = folderOf(place)
  return entries.filter((entry) => !isInside(resolve(entry), folder)).join(delimiter)
}

/** True if a program may be started: nothing that lies in an untrusted folder may, whichever source names it. */
export function mayStart(path: string, place: Project): boolean {
  if (place.trusted === true) return true
  const folder = folderOf(place)
  try {
    return !isInside(path, folder) && !isInside(realpathSync(path), folder)
  } catch {
    return false
  }
}

/** True if a language server would run an untrusted folder's own programs. */
export function runsFolderCode(program: string, place: Project): boolean {
  return place.trusted !== true && RUN_FOLDER_CODE.test(plainName(program))
}

function plainName(program: string): string {
  return basename(program).replace(/\.(?:cmd|exe|js|mjs)$/, "")
}

function folderOf(place: Project): string {
  return place.folder ?? trustFolder(place, () => false)
}
