import { stat } from "node:fs/promises"
import { estimateTokens, type StandardFacts } from "@sotto/core"
import { isReadDenied } from "../../execution/permissions/readable.js"
import { locate } from "../../platform/workspace/location.js"
import { type FileView, readPlace } from "../../tools/file-views/file-view.js"
import type { SourceContext, SourceSession } from "../source.js"
import { shownPath } from "./facts.js"

const MOST_FILES = 5
const MOST_TOKENS = 20_000
const MOST_TOKENS_EACH = 5_000

/**
 * Shows after a compaction the files that were in use last, as they are now; those that are too large by their names.
 */
export async function showAgain({ cwd, session, files, judge }: SourceContext): Promise<void> {
  let left = MOST_TOKENS
  const newest = files
    .paths()
    .filter((path) => files.get(path)?.gone !== true && shownPath(path, cwd) !== openPlan(session))
    .filter((path) => !isReadDenied(path, cwd, judge))
  const shown: (() => void)[] = []
  for (const path of newest.slice(-MOST_FILES).reverse()) {
    const name = shownPath(path, cwd)
    const { content, seen } = await readSmall(path, cwd)
    if (typeof content === "string") {
      const tokens = estimateTokens(content)
      if (tokens <= Math.min(left, MOST_TOKENS_EACH)) {
        left -= tokens
        shown.push(() => {
          if (seen !== undefined) files.remember(path, seen.content, seen.neutralised)
          session.note({ type: "mention.file", path: name, content, restored: true })
        })
        continue
      }
    }
    if (content !== undefined) session.note({ type: "file.not_restored", path: name })
  }
  // From the oldest, so that what was used last is still what was used last.
  for (const show of shown.reverse()) show()
}

/** Finds the plan that is not finished: `plan_file_reference` shows it. */
function openPlan(session: SourceSession): string | undefined {
  const plan = session.fact("plan:file") as Partial<StandardFacts["plan:file"]> | undefined
  const shown = plan?.content === undefined ? (plan?.earlier ?? plan) : plan
  return shown?.finished === true ? undefined : shown?.path
}

type Small = FileView | { readonly content: undefined | null; readonly seen?: undefined }

/**
 * Gives nothing for what is gone or cannot be shown as text, and no string for what is too large to be read for this.
 */
async function readSmall(path: string, cwd: string): Promise<Small> {
  const found = await stat(path).catch(() => undefined)
  if (!found?.isFile()) return { content: undefined }
  if (found.size > MOST_TOKENS_EACH * 4) return { content: null }
  try {
    return await readPlace(await locate(path, cwd), {})
  } catch {
    return { content: undefined }
  }
}
