import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { isInside } from "../../workspace/location.js"
import type { Confinement, Sandbox } from "./sandbox.js"

/** macOS's own sandbox. Not tested on a Mac: only the text of the profile is. */
export function seatbelt(program: string): Sandbox {
  let scratch: string | undefined
  return {
    name: "sandbox-exec",
    wrap: (command, confinement) => {
      scratch ??= scratchFolder()
      return [
        program,
        ...["-p", seatbeltProfile(confinement, scratch)],
        ...["/usr/bin/env", `TMPDIR=${scratch}`, "bash", "-c", command],
      ]
    },
  }
}

/** Bash of macOS keeps here-documents in temporary files. All commands of this process share the folder. */
function scratchFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "sotto-sandbox-")))
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/**
 * A profile in SBPL, in which the last rule that matches counts. There is no private /tmp on macOS: other programs'
 * temporary files are neither seen nor written, and `scratch` takes the place of ours.
 */
export function seatbeltProfile(confinement: Confinement, scratch: string): string {
  const { cwd, reach, network, temporary, hidden, shown, kept } = confinement
  const buried = [cwd, ...shown].filter((path) => temporary.some((folder) => isInside(path, folder)))
  const outside = hidden.filter((path) => !isInside(path, cwd))
  const inside = hidden.filter((path) => path !== cwd && isInside(path, cwd))
  return [
    "(version 1)",
    "(allow default)",
    "(deny file-write*)",
    '(allow file-write-data (literal "/dev/null") (literal "/dev/zero") (literal "/dev/tty"))',
    ...(network ? [] : ["(deny network*)"]),
    // A socket in the file system takes orders whatever the network may do.
    "(deny network-outbound (remote unix-socket))",
    "(deny signal (target others))",
    "(deny process-info* (target others))",
    "(deny mach-priv-task-port)",
    ...rule("deny", "file-read* file-write*", [...temporary, ...outside]),
    ...rule("allow", "file-read*", buried),
    ...(reach === "workspace"
      ? rule("allow", "file-read* file-write*", [cwd])
      : rule("allow", "file-read*", [cwd])),
    ...(reach === "workspace" ? rule("deny", "file-write*", kept) : []),
    ...rule("deny", "file-read* file-write*", inside),
    ...rule("allow", "file-read* file-write*", [scratch]),
    "",
  ].join("\n")
}

function rule(action: "allow" | "deny", operations: string, paths: readonly string[]): readonly string[] {
  if (paths.length === 0) return []
  return [`(${action} ${operations}`, ...paths.map((path) => `  (subpath ${quoted(path)})`), ")"]
}

/** A string of SBPL, which is a Scheme: the backslash and the quote are the only characters with a meaning. */
function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, "\\$&")}"`
}
