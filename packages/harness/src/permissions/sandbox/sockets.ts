import { readFileSync } from "node:fs"

/** More than so many are not the sockets of a person's machine. */
const MOST = 500

/**
 * The sockets in the file system that somebody listens on. A read-only mount does not keep a command from connecting
 * to one, and whoever listens there (Docker, an editor) takes orders outside the sandbox.
 */
export function socketPaths(): readonly string[] {
  const paths = table()
    .split("\n")
    .flatMap((line) => / (\/.+)$/.exec(line)?.[1] ?? [])
  return [...new Set(paths)].slice(0, MOST)
}

function table(): string {
  try {
    return readFileSync("/proc/net/unix", "utf8")
  } catch {
    return "" // Not Linux.
  }
}
