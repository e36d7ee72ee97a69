import { dirname, join, resolve } from "node:path"
import { configurationAt } from "../config/files.js"
import { CONFIG_FILE, parsedConfig } from "../trust/survey.js"
import { configFolder, dataFolder, type Environment } from "../workspace/folders.js"

/**
 * Where sessions are kept: what `SOTTO_STORE` says, which `--store` sets for one run; else `store` in the user's own
 * sotto.json; else a file in the data folder. No project has a word in it. Returns a path, or an address of PostgreSQL,
 * which may hold a password.
 */
export function storePlace(env: Environment): string {
  if (env.SOTTO_STORE) return place(env.SOTTO_STORE, process.cwd())
  const path = join(configFolder(env), CONFIG_FILE)
  const source = configurationAt(path)
  const store = source === undefined ? undefined : parsedConfig(source, path).store
  return store === undefined ? join(dataFolder(env), "sessions.db") : place(store, dirname(path))
}

function place(given: string, folder: string): string {
  return /^[a-z]+:\/\//i.test(given) ? given : resolve(folder, given)
}
