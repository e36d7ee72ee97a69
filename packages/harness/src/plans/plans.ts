import { existsSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { join, relative, sep } from "node:path"
import { type Agent, isPlanner, type Session } from "@sotto/core"
import { selectableAgents } from "../agents/selection.js"
import { localDate } from "../prompt/environment.js"
import type { Source, SourceContext, SourceSession } from "../sources/source.js"

/** Where plans are kept, from the workspace: the one place that plan mode may write to. */
export const PLANS = ".sotto/plans"

export interface Plan {
  /** From the workspace. */
  readonly path: string
  readonly plan: string
}

/**
 * The plan of a session: which file it is in, as the model is told on entering plan mode, and what it says, for coming
 * back to it and for after a compaction.
 */
export function plans({ cwd, session, agent, isSubagent }: SourceContext, now: () => number): Source {
  const tell = async (path: string) => {
    const content = await readPlan(cwd, path)
    session.observe("plan:file", {
      path,
      ...(content !== undefined && { content }),
      ...(isDone(session) && { finished: true }),
    })
  }
  return {
    name: "plan file",
    collect: () => {
      // Only where something is about to be sent: a name for a new plan comes from what was asked.
      if (isSubagent || session.phase !== "ready") return undefined
      const known = planPath(session)
      if (known !== undefined) return tell(known)
      return isPlanner(agent()) ? tell(newPath(cwd, session, new Date(now()))) : undefined
    },
    touched: ({ path, how }) => {
      if (how !== "written" || isSubagent) return
      const shown = relative(cwd, path).split(sep).join("/")
      if (shown.startsWith(`${PLANS}/`)) session.observe("plan:file", { path: shown })
    },
  }
}

/** The plan of this session; undefined if there is none, or nothing in it. */
export async function planToApprove(session: Session, cwd: string): Promise<Plan | undefined> {
  const path = planPath(session)
  const plan = path === undefined ? undefined : await readPlan(cwd, path)
  return path !== undefined && plan !== undefined ? { path, plan } : undefined
}

/**
 * Who carries out the plan: the agent that was active before planning began, else the first that does not plan.
 * Undefined if there is none.
 */
export function agentAfterPlan(session: Session, agents: readonly Agent[]): string | undefined {
  const workers = selectableAgents(agents).filter((agent) => !isPlanner(agent))
  const before = session.log.flatMap((entry) => (entry.type === "agent" ? [entry.name] : []))
  const opened = session.log.flatMap((entry) => (entry.type === "opened" ? [entry.agent] : []))
  const known = [...opened, ...before].findLast((name) => workers.some((agent) => agent.name === name))
  return known ?? workers[0]?.name
}

function planPath(session: SourceSession): string | undefined {
  const plan = session.fact("plan:file") as { readonly path?: unknown } | null | undefined
  return typeof plan?.path === "string" ? plan.path : undefined
}

/**
 * Named after the day and what the user asked for last, so that a person finds it again. A file that is there already
 * belongs to another session, and is neither offered nor written over.
 */
function newPath(cwd: string, session: SourceSession, day: Date): string {
  const slug = askedLast(session)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-|-$/g, "")
    .slice(0, 40)
    .replace(/-$/, "")
  const name = `${PLANS}/${localDate(day)}-${slug || session.id.slice(0, 8)}`
  for (let n = 1; ; n++) {
    const path = n === 1 ? `${name}.md` : `${name}-${n}.md`
    if (!existsSync(join(cwd, path))) return path
  }
}

/** The words of the newest prompt, which planning is for. */
function askedLast(session: SourceSession): string {
  const shown = session.view().flatMap(({ role, parts }) => (role === "user" ? [parts] : []))
  const waiting = session.queue().flatMap(({ origin, content }) => (origin.kind === "human" ? [content] : []))
  const texts = [...shown, ...waiting].flat().flatMap((part) => (part.type === "text" ? [part.text] : []))
  return texts.findLast((text) => text.trim() !== "") ?? ""
}

/** The plan was carried out: everything on the list that was made for it is done. */
function isDone(session: SourceSession): boolean {
  const todos = session.fact("todos") as readonly ({ readonly status?: string } | null)[] | undefined
  return Array.isArray(todos) && todos.length > 0 && todos.every((todo) => todo?.status === "completed")
}

async function readPlan(cwd: string, path: string): Promise<string | undefined> {
  const text = await readFile(join(cwd, path), "utf8").catch(() => "")
  return text.trim() === "" ? undefined : text
}
