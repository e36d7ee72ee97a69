import { resolve } from "node:path"
import { pathToFileURL } from "node:url"

/**
 * The addresses of files here, for a terminal that opens them; undefined where none should be made. Over SSH the address
 * would be opened on another machine, and the console of the system shows sequences that it does not know.
 */
export function linksIn(
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
): ((path: string) => string | undefined) | undefined {
  if (env.SSH_CONNECTION || env.SSH_TTY || /^(linux|dumb|)$/.test(env.TERM ?? "")) return undefined
  // What a person could not see in the name would not be seen in the address either.
  return (path) => (/[\p{Cc}\p{Cs}]/u.test(path) ? undefined : pathToFileURL(resolve(cwd, path)).href)
}
