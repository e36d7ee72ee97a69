import { join, resolve } from "node:path"
import { configFolder, projectFolders } from "@sotto/harness"

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
