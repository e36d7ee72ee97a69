import { readdir, readFile, stat } from "node:fs/promises"
import { join } from "node:path"

/** Where plans are kept, from the workspace: the one place that plan mode may write to. */
export const PLANS = ".sotto/plans"

/** The plan that was written last; undefined if there is none, or nothing in it. */
export async function newestPlan(
  cwd: string,
): Promise<{ readonly path: string; readonly plan: string } | undefined> {
  const names = await readdir(join(cwd, PLANS)).catch(() => [])
  const plans = await Promise.all(
    names
      .filter((name) => name.endsWith(".md"))
      .map(async (name) => ({
        path: `${PLANS}/${name}`,
        written: (await stat(join(cwd, PLANS, name))).mtimeMs,
      })),
  )
  const newest = plans.toSorted((a, b) => b.written - a.written)[0]
  if (newest === undefined) return undefined
  const plan = await readFile(join(cwd, newest.path), "utf8")
  return plan.trim() === "" ? undefined : { path: newest.path, plan }
}
