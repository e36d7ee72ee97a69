import { dirname, join, resolve } from "node:path"
import { configFolder, dataFolder, type Environment } from "../platform/workspace/folders.js"
import { configurationAt } from "../settings/config/files.js"
import { CONFIG_FILE, parsedConfig } from "../settings/trust/survey.js"
import { StoreError } from "./error.js"
import { isPostgres } from "./postgres-address.js"

/**
 * Tells where sessions are kept: what `SOTTO_STORE` says, which `--store` sets for one run; else `store` in the user's
 * own sotto.json; else a file in the data folder. Projects have no say in it. Returns a path, or an address of
 * PostgreSQL, which may hold a password.
 */
export function storePlace(env: Environment): string {
  if (env.SOTTO_STORE) return placeIn(process.cwd(), env.SOTTO_STORE)
  const path = join(configFolder(env), CONFIG_FILE)
  const source = configurationAt(path)
  const store = source === undefined ? undefined : parsedConfig(source, path).store
  return store === undefined ? join(dataFolder(env), "sessions.db") : placeIn(dirname(path), store)
}

/**
 * Returns the place that a user named: an address of PostgreSQL as it is, or a path, from that folder. Refuses another
 * kind of address: taken as a path it would make a file with its password in the name.
 */
export function placeIn(folder: string, given: string): string {
  if (isPostgres(given)) return given
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(given)?.[1]
  if (scheme === undefined) return resolve(folder, given)
  throw new StoreError(
    "unavailable",
    `Sotto keeps no sessions at ${scheme}://….`,
    "Give the path of a file, or an address of PostgreSQL: postgres://user@host/database.",
  )
}
