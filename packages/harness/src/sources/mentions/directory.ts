import { readdir } from "node:fs/promises"
import { readableIn } from "../../execution/permissions/readable.js"
import type { Judge } from "../../execution/permissions/rules.js"
import { ripgrep } from "../../execution/programs/ripgrep.js"
import type { Location } from "../../platform/workspace/location.js"

const MOST_ENTRIES = 200

/** What is in a directory, one level deep, without what ignore files leave out and what may not be read. */
export async function listingOf(folder: Location, judge: Judge, signal: AbortSignal): Promise<string> {
  const { path } = folder
  const isReadable = readableIn(folder, judge)
  const entries = new Set<string>()
  await ripgrep(["--files", "--hidden", "--glob=!.git"], path, signal, (file) => {
    if (!isReadable(file)) return true
    const [first = "", ...below] = file.split(/[\\/]/)
    entries.add(below.length > 0 ? `${first}/` : first)
    return true
  })
  // Where everything is ignored, the user means it all the same.
  if (entries.size === 0)
    for (const entry of await readdir(path, { withFileTypes: true }))
      if (entry.name !== ".git" && isReadable(entry.name))
        entries.add(entry.isDirectory() ? `${entry.name}/` : entry.name)
  const sorted = [...entries].sort()
  const more = sorted.length - MOST_ENTRIES
  return [...sorted.slice(0, MOST_ENTRIES), ...(more > 0 ? [`[and ${more} more: use glob]`] : [])].join("\n")
}
