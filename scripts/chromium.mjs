import { capture, quietly } from "./process.mjs"

/** The browser that the tests of the inspector's page need, installed where that takes no password; elsewhere it is said how. */
export async function ensureChromium() {
  const program = process.env.SOTTO_CHROMIUM ?? "/usr/bin/chromium"
  if (await works(program)) return
  if (process.getuid?.() !== 0 || !(await works("apt-get"))) {
    console.error(
      "The tests of the page need Chromium: sudo apt-get install chromium, or name yours in SOTTO_CHROMIUM.",
    )
    return
  }
  await quietly("Updating the list of packages", "apt-get", ["update", "-q"])
  const install = ["install", "-q", "-y", "--no-install-recommends", "chromium"]
  await quietly("Installing Chromium", "apt-get", install)
}

async function works(program) {
  try {
    return (await capture(program, ["--version"])).ok
  } catch {
    return false // Not there.
  }
}
