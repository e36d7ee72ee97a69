import { rmSync } from "node:fs"
import { join } from "node:path"
import { reasonOf } from "../platform/text/errors.js"
import { dataFolder, type Environment } from "../platform/workspace/folders.js"
import { privateFolder, replacePrivate } from "../platform/workspace/private-files.js"
import { readRegularText } from "../platform/workspace/regular-file.js"
import { modelUpdate } from "./config/fields.js"
import { parseJsonc } from "./config/jsonc.js"
import type { Read } from "./config/shape.js"

/** Prices and capabilities that `sotto models update` has kept. */
export type ModelUpdate = Read<typeof modelUpdate>

const LONGEST = 10_000_000

/** Gives the path of the file in which the update is kept. */
export function updateFile(env: Environment): string {
  return join(dataFolder(env), "models.json")
}

/** Reads the update, if there is one. A file that cannot be used is no reason not to work: `problem` says so to people. */
export function readUpdate(env: Environment): { readonly update?: ModelUpdate; readonly problem?: string } {
  const path = updateFile(env)
  try {
    const source = readRegularText(path, LONGEST)
    return source === undefined ? {} : { update: parseUpdate(source, path) }
  } catch (cause) {
    const remedy = "Run `sotto models update FILE` again, or `sotto models reset`."
    return { problem: `${path} is left out, so Sotto's own prices hold. ${reasonOf(cause)} ${remedy}` }
  }
}

/** Checks an update in Sotto's own format. Throws ConfigError, which names the first field that is wrong. */
export function parseUpdate(source: string, path: string): ModelUpdate {
  return modelUpdate.read(parseJsonc(source, path), { file: path, field: "" })
}

/** Keeps an update in the place of an older one, readable by its owner only. */
export function keepUpdate(env: Environment, update: ModelUpdate): void {
  privateFolder(dataFolder(env))
  replacePrivate(updateFile(env), `${JSON.stringify(update, null, 1)}\n`)
}

/** Removes the update. True if there was one. */
export function forgetUpdate(env: Environment): boolean {
  const path = updateFile(env)
  const isThere = readRegularText(path, Number.MAX_SAFE_INTEGER) !== undefined
  rmSync(path, { force: true })
  return isThere
}
