import { homedir } from "node:os"
import { isAbsolute, join, resolve } from "node:path"

/** The variables that Sotto was started with, or those that a test gives it. */
export type Environment = Readonly<Record<string, string | undefined>>

export function homeFolder(env: Environment): string {
  return env.HOME || env.USERPROFILE || homedir()
}

/** Gives the folder where sessions are kept. */
export function dataFolder(env: Environment): string {
  return folder(env, env.XDG_DATA_HOME, [".local", "share"])
}

/** Gives the folder where the user's own settings, agents and rules are. */
export function configFolder(env: Environment): string {
  return folder(env, env.XDG_CONFIG_HOME, [".config"])
}

function folder(env: Environment, base: string | undefined, usual: readonly string[]): string {
  if (env.SOTTO_HOME) return resolve(env.SOTTO_HOME)
  // The XDG specification has relative paths ignored.
  if (base && isAbsolute(base)) return join(base, "sotto")
  return join(homeFolder(env), ...usual, "sotto")
}
