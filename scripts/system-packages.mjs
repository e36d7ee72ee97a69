import { capture, quietly } from "./process.mjs"

/** Programs that the system tests need, and the packages of Debian that bring them. */
const NEEDED = { bwrap: "bubblewrap", "systemd-analyze": "systemd" }

/** Installs what the system tests need where that takes no password; elsewhere it is said how. */
export async function ensureSystemPackages() {
  const missing = []
  for (const [program, name] of Object.entries(NEEDED)) if (!(await works(program))) missing.push(name)
  if (missing.length === 0) return
  if (process.getuid?.() !== 0 || !(await works("apt-get"))) {
    console.error(
      `The system tests need ${missing.join(" and ")}: sudo apt-get install ${missing.join(" ")}, or as your system has it.`,
    )
    return
  }
  await quietly("Updating the list of packages", "apt-get", ["update", "-q"])
  const install = ["install", "-q", "-y", "--no-install-recommends", ...missing]
  await quietly(`Installing ${missing.join(" and ")}`, "apt-get", install)
}

async function works(program) {
  try {
    return (await capture(program, ["--version"])).ok
  } catch {
    return false // Not there.
  }
}
