import { realpathSync } from "node:fs"
import { basename } from "node:path"
import type { Place } from "../config/places.js"
import { isInside, trustFolder } from "./folder.js"

/**
 * Language servers that load and run what they find in the folder, wherever they are installed themselves: the project's
 * own compiler from `node_modules`, plug-ins, build scripts.
 */
const RUN_FOLDER_CODE =
  /^(typescript-language-server|vtsls|tsserver|vscode-eslint-language-server|eslint-lsp|rust-analyzer)$/

/** Whether a program may be started: nothing that lies in an untrusted folder may, whoever names it. */
export function mayStart(path: string, place: Place): boolean {
  if (place.trusted === true) return true
  const folder = folderOf(place)
  return !isInside(path, folder) && !isInside(realpathSync(path), folder)
}

/** Whether a language server would run an untrusted folder's own programs. */
export function runsFolderCode(program: string, place: Place): boolean {
  return (
    place.trusted !== true && RUN_FOLDER_CODE.test(basename(program).replace(/\.(?:cmd|exe|js|mjs)$/, ""))
  )
}

function folderOf(place: Place): string {
  return place.folder ?? trustFolder(place, () => false)
}
