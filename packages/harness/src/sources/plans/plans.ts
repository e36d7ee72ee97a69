import { existsSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { join, relative, sep } from "node:path"
import { type Agent, dynamic, isPlanner, removed, type Session, type StandardFacts } from "@sotto/core"
import { PLANS } from "../../execution/permissions/plan-rules.js"
import { selectableAgents } from "../../settings/agents/selection.js"
import { hashOf } from "../../tools/file-views/known-files.js"
import { localDate } from "../prompt/environment.js"
import type { Source, SourceContext, SourceSession } from "../source.js"

export interface Plan {
  /** From the workspace. */
  readonly path: string
  readonly plan: string
}

/** The plan of the newest planning, as the session knows it. */
type PlanFact = StandardFacts["plan:file"]

/** The todo list when planning was left, as a hash. While the fact holds, the next planning gets a file of its own. */
const TODOS_WHEN_LEFT = "plan:left"

/**
 * Observes the plan of a session: which file it is in, as the model is told on entering plan mode, and what it says,
 * for coming back to it and for after a compaction.
 */
export function plans({ cwd, session, agent, isSubagent }: SourceContext, now: () => number): Source {
  const look = async ({ path, earlier, finished = isDone(session) }: PlanFact) => {
    const content = await readPlan(cwd, path)
    session.observe("plan:file", {
      path,
      ...(content !== undefined && { content }),
      ...(finished && { finished }),
      ...(earlier && { earlier }),
    })
  }
  return {
    name: "plan file",
    collect: () => {
      // Only where something is about to be sent: a name for a new plan comes from what was asked.
      if (isSubagent || session.phase !== "ready") return undefined
      const known = planOf(session)
      const left = session.fact(TODOS_WHEN_LEFT)
      if (!isPlanner(agent())) {
        if (known !== undefined && left === undefined)
          session.observe(dynamic(TODOS_WHEN_LEFT), hashOf(todoText(session)))
        return known && look(known)
      }
      if (known !== undefined && left === undefined) return look(known)
      session.observe(dynamic(TODOS_WHEN_LEFT), removed())
      return look(newPlan(cwd, session, new Date(now()), known))
    },
    touched: ({ path, how }) => {
      if (how !== "written" || isSubagent) return
      const shown = relative(cwd, path).split(sep).join("/")
      if (!shown.startsWith(`${PLANS}/`)) return
      // A plan that was there before goes on: it does not count as an earlier one any more.
      const earlier = planOf(session)?.earlier
      session.observe("plan:file", {
        path: shown,
        ...(earlier && earlier.path !== shown && { earlier }),
      })
    },
  }
}

/** Finds the plan of this session: of this planning, else the one from before it, which may be fine as it is. */
export async function planToApprove(session: Session, cwd: string): Promise<Plan | undefined> {
  const { path: own, earlier } = planOf(session) ?? {}
  for (const path of [own, earlier?.path]) {
    const plan = path === undefined ? undefined : await readPlan(cwd, path)
    if (path !== undefined && plan !== undefined) return { path, plan }
  }
  return undefined
}

/**
 * Finds the agent that carries out the plan: the one that was active before planning began, else the first that does
 * not plan. Undefined if no agent fits.
 */
export function agentAfterPlan(session: Session, agents: readonly Agent[]): string | undefined {
  const workers = selectableAgents(agents).filter((agent) => !isPlanner(agent))
  const before = session.log.flatMap((entry) => (entry.type === "agent" ? [entry.name] : []))
  const opened = session.log.flatMap((entry) => (entry.type === "opened" ? [entry.agent] : []))
  const known = [...opened, ...before].findLast((name) => workers.some((agent) => agent.name === name))
  return known ?? workers[0]?.name
}

function planOf(session: SourceSession): PlanFact | undefined {
  const plan = session.fact("plan:file") as PlanFact | null | undefined
  return typeof plan?.path === "string" ? plan : undefined
}

/** Begins a planning: with a file of its own, and beside it the plan that an earlier planning has left. */
function newPlan(cwd: string, session: SourceSession, day: Date, before: PlanFact | undefined): PlanFact {
  const written = before?.content === undefined ? before?.earlier : before
  const earlier = written?.content !== undefined && {
    path: written.path,
    content: written.content,
    ...(written.finished && { finished: true }),
  }
  return { path: newPath(cwd, session, day), ...(earlier && { earlier }) }
}

/**
 * Names a plan after the day and what the user asked for last, so that a person finds it again. A file that is there
 * already belongs to another planning, and is neither offered nor written over.
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

function askedLast(session: SourceSession): string {
  const shown = session.view().flatMap(({ role, parts }) => (role === "user" ? [parts] : []))
  const waiting = session.queue().flatMap(({ origin, content }) => (origin.kind === "human" ? [content] : []))
  const texts = [...shown, ...waiting]
    .flat()
    .flatMap((part) => (part.type === "text" && part.ignored !== true ? [part.text] : []))
  return texts.findLast((text) => text.trim() !== "") ?? ""
}

/** True if the plan was carried out: everything is done on a list that has changed since planning was left. */
function isDone(session: SourceSession): boolean {
  const left = session.fact(TODOS_WHEN_LEFT)
  if (left === undefined || left === hashOf(todoText(session))) return false
  const todos = session.fact("todos") as readonly ({ readonly status?: string } | null)[] | undefined
  return Array.isArray(todos) && todos.length > 0 && todos.every((todo) => todo?.status === "completed")
}

function todoText(session: SourceSession): string {
  return JSON.stringify(session.fact("todos") ?? [])
}

async function readPlan(cwd: string, path: string): Promise<string | undefined> {
  const text = await readFile(join(cwd, path), "utf8").catch(() => "")
  return text.trim() === "" ? undefined : text
}
