import { realpathSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { keysFile } from "../../models/stored-keys.js"
import { loginsFile } from "../../platform/secrets/server-logins.js"
import type { Environment } from "../../platform/workspace/folders.js"
import type { Access } from "./access.js"

const PATHS: ReadonlySet<string> = new Set(["read", "edit", "outside"])

/**
 * Says whether an access is to a file with stored keys or logins. No agent has business there, whatever its rules say and
 * even if the user would be asked.
 */
export function keyFileIn({ cwd, env }: { readonly cwd: string; readonly env: Environment }) {
  const paths = [keysFile(env), loginsFile(env)]
  return ({ permission, target }: Access): boolean =>
    PATHS.has(permission) &&
    paths.some((path) => basename(target) === basename(path) && resolve(cwd, target) === withoutLinks(path))
}

/** Accesses name paths without links. */
function withoutLinks(path: string): string {
  try {
    return join(realpathSync(dirname(path)), basename(path))
  } catch {
    return path
  }
}
