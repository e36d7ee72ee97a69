import type { Agent } from "@sotto/core"
import { ripgrep } from "@sotto/harness"
import { type Complete, type Completion, ranked } from "./completion.js"

const MOST = 40
const MOST_FILES = 20_000
/** So long a list of files is taken to be current, in milliseconds. */
const FRESH = 3_000

/** What can be mentioned: agents, and the files and folders here that are not ignored. */
export function completePlaces(cwd: string, agents: readonly Agent[], now: () => number): Complete {
  let known: Promise<readonly Completion[]> | undefined
  let at = 0
  const places = () => {
    if (known === undefined || now() - at > FRESH) {
      at = now()
      known = listFiles(cwd, MOST_FILES).then(withFolders)
    }
    return known
  }
  const helpers = agents
    .filter(({ mode, hidden }) => mode !== "primary" && hidden !== true)
    .map(({ name, description }): Completion => ({ text: name, detail: `agent: ${description ?? ""}` }))
  return async (query) => {
    const all = [...helpers, ...(await places())]
    return ranked(query, all, ({ text }) => text, MOST).filter(({ text }) => text !== query)
  }
}

/** Folders end in a slash and go on. */
function withFolders(files: readonly string[]): readonly Completion[] {
  const folders = new Set<string>()
  for (const file of files)
    for (let end = file.indexOf("/"); end >= 0; end = file.indexOf("/", end + 1))
      folders.add(file.slice(0, end + 1))
  return [
    ...[...folders].map((text): Completion => ({ text, goesOn: true })),
    ...files.map((text): Completion => ({ text })),
  ]
}

async function listFiles(cwd: string, most: number): Promise<readonly string[]> {
  const files: string[] = []
  const take = (file: string) => files.push(file.replaceAll("\\", "/")) < most
  // A folder that cannot be searched offers nothing, and says nothing of it into the middle of a sentence.
  await ripgrep(["--files"], cwd, new AbortController().signal, take).catch(() => undefined)
  return files.sort((a, b) => a.length - b.length || a.localeCompare(b))
}
