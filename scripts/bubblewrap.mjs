import { capture, quietly } from "./process.mjs"

/** The sandbox that the system tests need, installed where that takes no password; elsewhere it is said how. */
export async function ensureBubblewrap() {
  if (await works("bwrap")) return
  if (process.getuid?.() !== 0 || !(await works("apt-get"))) {
    console.error(
      "The system tests need bubblewrap (bwrap): sudo apt-get install bubblewrap, or as your system has it.",
    )
    return
  }
  await quietly("Updating the list of packages", "apt-get", ["update", "-q"])
  const install = ["install", "-q", "-y", "--no-install-recommends", "bubblewrap"]
  await quietly("Installing bubblewrap", "apt-get", install)
}

async function works(program) {
  try {
    return (await capture(program, ["--version"])).ok
  } catch {
    return false // Not there.
  }
}
