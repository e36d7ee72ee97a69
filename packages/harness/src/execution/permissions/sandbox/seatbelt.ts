import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Confinement, Sandbox } from "./sandbox.js"

/** Makes macOS's own sandbox. Not tested on a Mac: only the text of the profile is. */
export function seatbelt(program: string, bash: string): Sandbox {
  let scratch: string | undefined
  return {
    name: "sandbox-exec",
    wrap: (command, confinement) => {
      scratch ??= scratchFolder()
      const profile = seatbeltProfile(confinement, scratch)
      return { argv: [program, "-p", profile, "/usr/bin/env", `TMPDIR=${scratch}`, bash, "-c", command] }
    },
  }
}

/**
 * Makes a folder for temporary files, in which bash of macOS keeps here-documents. All commands of this process share
 * it.
 */
function scratchFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "sotto-sandbox-")))
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/**
 * Writes a profile in SBPL, in which the last rule that matches counts. macOS has no private /tmp: other programs'
 * temporary files are neither seen nor written, and `scratch` takes the place of ours.
 */
export function seatbeltProfile(confinement: Confinement, scratch: string): string {
  const { everything, network, temporary, shown, writable, kept, hidden } = confinement
  return [
    "(version 1)",
    "(allow default)",
    // Programs need to look at the top of the file system, and at folders on the way to what they may read.
    ...(everything
      ? []
      : ["(deny file-read-data)", "(deny file-read-xattr)", '(allow file-read-data (literal "/"))']),
    "(deny file-write*)",
    '(allow file-read* (subpath "/dev"))',
    '(allow file-write-data (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty"))',
    ...(network ? [] : ["(deny network*)"]),
    // A socket in the file system takes orders whatever the network may do.
    "(deny network-outbound (remote unix-socket))",
    "(deny signal (target others))",
    "(deny process-info* (target others))",
    "(deny mach-priv-task-port)",
    ...rule("deny", "file-read* file-write*", temporary),
    ...rule("allow", "file-read*", shown),
    ...rule("allow", "file-read* file-write*", writable),
    ...rule("deny", "file-write*", kept),
    ...rule("deny", "file-read* file-write*", hidden),
    ...rule("allow", "file-read* file-write*", [scratch]),
    "",
  ].join("\n")
}

function rule(action: "allow" | "deny", operations: string, paths: readonly string[]): readonly string[] {
  if (paths.length === 0) return []
  return [`(${action} ${operations}`, ...paths.map((path) => `  (subpath ${quoted(path)})`), ")"]
}

/** Writes a string of SBPL, which is a Scheme: the backslash and the quote are the only characters with a meaning. */
function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, "\\$&")}"`
}
