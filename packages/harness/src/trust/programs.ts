import { realpathSync } from "node:fs"
import { basename, delimiter, isAbsolute, resolve } from "node:path"
import type { Place } from "../config/places.js"
import { homeFolder } from "../folders.js"
import { isInside, trustFolder } from "./folder.js"

/**
 * Language servers that load and run what they find in the folder, wherever they are installed themselves: the project's
 * own compiler from `node_modules`, plug-ins, build scripts.
 */
const RUN_FOLDER_CODE =
  /^(typescript-language-server|vtsls|tsserver|vscode-eslint-language-server|eslint-lsp|rust-analyzer)$/

/** Programs that run what they find installed, or configured, where they are started. */
const RUNNERS = /^(npx|npm|pnpx|pnpm|yarn|bunx|bun|uvx|uv|pipx|deno)$/

/** Where a program of the user's own starts: a runner of packages not in an untrusted folder, whose packages it would run. */
export function startFolder(command: string, place: Place): string {
  if (place.trusted === true || !RUNNERS.test(plainName(command))) return place.cwd
  return homeFolder(place.env)
}

/** Where programs are looked for: not in an untrusted folder, and not wherever the agent happens to work. */
export function searchPath(place: Place): string {
  const entries = (place.env.PATH ?? "").split(delimiter).filter((entry) => isAbsolute(entry))
  if (place.trusted === true) return entries.join(delimiter)
  const folder = folderOf(place)
  return entries.filter((entry) => !isInside(resolve(entry), folder)).join(delimiter)
}

/** Whether a program may be started: nothing that lies in an untrusted folder may, whoever names it. */
export function mayStart(path: string, place: Place): boolean {
  if (place.trusted === true) return true
  const folder = folderOf(place)
  return !isInside(path, folder) && !isInside(realpathSync(path), folder)
}

/** Whether a language server would run an untrusted folder's own programs. */
export function runsFolderCode(program: string, place: Place): boolean {
  return place.trusted !== true && RUN_FOLDER_CODE.test(plainName(program))
}

function plainName(program: string): string {
  return basename(program).replace(/\.(?:cmd|exe|js|mjs)$/, "")
}

function folderOf(place: Place): string {
  return place.folder ?? trustFolder(place, () => false)
}
