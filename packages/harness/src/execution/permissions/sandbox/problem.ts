import { readFileSync } from "node:fs"
import type { Environment } from "../../../platform/workspace/folders.js"
import { childEnvironment } from "../../programs/environment.js"
import { direct } from "../../programs/launch.js"
import { startPrinting } from "../../programs/start.js"
import { bubblewrap } from "../../programs/supervise.js"

/** Why no sandbox works here, and what to do, in words for people. */
export interface SandboxProblem {
  readonly why: string
  readonly remedy: string
}

const LONGEST_WAIT = 5_000
const LONGEST_COMPLAINT = 300

/** Finds out why no sandbox was found. */
export async function sandboxProblem(env: Environment): Promise<SandboxProblem> {
  if (process.platform === "darwin")
    return { why: "sandbox-exec does not work.", remedy: "It is part of macOS: check /usr/bin/sandbox-exec." }
  if (process.platform !== "linux")
    return { why: "There is no sandbox for this system.", remedy: "Run Sotto on Linux or macOS to have one." }
  const complaint = await complaintOf(env)
  if (complaint === undefined)
    return {
      why: "There is none: bubblewrap (bwrap) is not in PATH.",
      remedy: "Install it: apt-get install bubblewrap, dnf install bubblewrap, or pacman -S bubblewrap.",
    }
  const why = `bubblewrap is installed and does not work${complaint === "" ? "." : `: ${complaint}.`}`
  const forbidden = SETTINGS.find(({ file, forbids }) => readSetting(file) === forbids)
  if (forbidden !== undefined)
    return { why, remedy: `The kernel forbids user namespaces. As root: sysctl -w ${forbidden.remedy}` }
  const isContainer = /namespace|permi|not permitted/i.test(complaint)
  return {
    why,
    remedy: isContainer
      ? "In a container, allow user namespaces (Docker: --security-opt seccomp=unconfined), or run Sotto outside of it."
      : "Reinstall it, and try: bwrap --ro-bind / / true",
  }
}

const SETTINGS = [
  {
    file: "/proc/sys/kernel/unprivileged_userns_clone",
    forbids: "0",
    remedy: "kernel.unprivileged_userns_clone=1",
  },
  { file: "/proc/sys/user/max_user_namespaces", forbids: "0", remedy: "user.max_user_namespaces=10000" },
  {
    file: "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
    forbids: "1",
    remedy: "kernel.apparmor_restrict_unprivileged_userns=0",
  },
]

function readSetting(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8").trim()
  } catch {
    return undefined // This kernel has no such setting.
  }
}

/** Gives what bubblewrap says when it is tried; undefined if it cannot be started. */
async function complaintOf(env: Environment): Promise<string | undefined> {
  const program = bubblewrap(process.cwd())
  if (program === undefined) return undefined
  return new Promise((resolve) => {
    const args = ["--unshare-all", "--ro-bind", "/", "/", "true"]
    const child = startPrinting(direct([program, ...args]), {
      env: childEnvironment(env),
      signal: AbortSignal.timeout(LONGEST_WAIT),
    })
    let text = ""
    child.stdout.resume()
    child.stderr.setEncoding("utf8").on("data", (piece: string) => {
      text = (text + piece).slice(0, LONGEST_COMPLAINT)
    })
    child.once("error", () => resolve(undefined))
    child.once("close", () =>
      resolve(
        text
          .trim()
          .replace(/^bwrap: /, "")
          .replace(/\.$/, ""),
      ),
    )
  })
}
