import type { Agent, PermissionRule } from "@sotto/core"
import { NO_CHANGES, PLAN_FILES } from "../../execution/permissions/plan-rules.js"
import { COMPACTION, EXPLORE, SCOUT, SUMMARY, TITLE } from "./prompts.js"

type Action = PermissionRule["action"]

function rule(action: Action, permission: string, pattern = "*"): PermissionRule {
  return { permission, pattern, action }
}

function rules(action: Action, ...permissions: readonly string[]): readonly PermissionRule[] {
  return permissions.map((permission) => rule(action, permission))
}

/**
 * What any agent starts from. The last match wins and `bash` matches commands of every effect, so that `bash:read`,
 * the exception, has to follow it.
 */
const WORKING: readonly PermissionRule[] = [
  ...rules("allow", "read", "todo_write", "team", "skill", "snip", "search"),
  ...rules("ask", "edit", "outside", "bash", "mcp", "fetch"),
  rule("allow", "bash:read"),
]

/** What planning takes beside reading. */
const PLANNING: readonly PermissionRule[] = rules("allow", "task", "question", "plan_exit")

/** Makes the base of an agent that the user or the project defines. One that plans starts from the reading rules. */
export function newAgent(
  name: string,
  forAll: readonly PermissionRule[],
  { planning = false, mode }: Pick<Agent, "planning" | "mode">,
): Agent {
  if (!planning)
    return { name, permission: permissionOn("working", rules("allow", "task", "question"), forAll, []) }
  const permission =
    mode === "subagent"
      ? permissionOn("reading", [], forAll, rules("deny", "task", "question", "plan_exit"))
      : permissionOn("reading", PLANNING, forAll, [PLAN_FILES])
  return { name, permission }
}

/** Returns true for the name of an agent that only Sotto itself calls. */
export function isInternal(name: string): boolean {
  return BUILT_IN.some((agent) => agent.hidden === true && agent.name === name)
}

/**
 * What is not named is denied, not asked. The denial comes first, because all that follows is an exception to it. That
 * a tool of an MCP server only reads is what the server says: good enough to ask, not to do it unasked.
 */
const READING: readonly PermissionRule[] = [
  rule("deny", "*"),
  ...rules("allow", "read", "todo_write", "team", "skill", "snip", "search", "bash:read"),
  ...rules("ask", "outside", "mcp:read", "fetch"),
]

/** Permissions that a tool of ours asks for. */
const OURS: ReadonlySet<string> = new Set([
  ...["read", "edit", "outside", "bash", "bash:read", "bash:write", "bash:unknown"],
  ...[
    "task",
    "team",
    "skill",
    "question",
    "todo_write",
    "plan_exit",
    "snip",
    "mcp",
    "mcp:read",
    "network",
    "fetch",
    "search",
  ],
])

interface BuiltIn extends Omit<Agent, "permission" | "native"> {
  readonly base: "working" | "reading" | "nothing"
  readonly grants?: readonly PermissionRule[]
  /** What makes the agent what it is: no rule for all agents loosens it, only one for this agent by name. */
  readonly limits?: readonly PermissionRule[]
}

const BUILT_IN: readonly BuiltIn[] = [
  {
    name: "build",
    description: "Does the work: reads, changes files, runs commands, asks where the permissions say so.",
    mode: "primary",
    base: "working",
    grants: rules("allow", "task", "question", "plan_exit"),
  },
  {
    name: "plan",
    description: "Works out a plan with you and writes it down; changes nothing else.",
    mode: "primary",
    planning: true,
    options: { sandbox: "read-only" },
    base: "reading",
    grants: PLANNING,
    // An exception to the denial of edits, which it follows.
    limits: [PLAN_FILES],
  },
  {
    name: "general",
    description: "Carries out work of several steps on its own and reports the outcome.",
    mode: "subagent",
    base: "working",
    limits: rules("deny", "task", "question", "plan_exit"),
  },
  {
    name: "explore",
    description: "Finds things in the project: where it is, how it works, what uses it. Read-only.",
    mode: "subagent",
    prompt: EXPLORE,
    options: { sandbox: "read-only" },
    base: "reading",
    limits: rules("deny", "task", "question", "plan_exit"),
  },
  {
    name: "scout",
    description: "Finds out how a dependency, tool or format of the project works. Read-only.",
    mode: "subagent",
    prompt: SCOUT,
    options: { sandbox: "read-only" },
    base: "reading",
    limits: rules("deny", "task", "question", "plan_exit"),
  },
  toolless("compaction", "Summarises a conversation that has become too long.", COMPACTION),
  toolless("title", "Names a conversation.", TITLE),
  toolless("summary", "Says in short what came out of a conversation.", SUMMARY),
]

function toolless(name: string, description: string, prompt: string): BuiltIn {
  return { name, description, mode: "primary", hidden: true, prompt, base: "nothing" }
}

/** Lists the agents that come with Sotto, under the user's rules for all agents. */
export function builtInAgents(forAll: readonly PermissionRule[] = []): readonly Agent[] {
  return BUILT_IN.map(({ base, grants = [], limits = [], ...agent }) => ({
    ...agent,
    native: true,
    permission: permissionOn(base, grants, forAll, limits),
  }))
}

/**
 * Orders the rules: the user's follow what an agent is granted, which they may change, and precede its limits, which
 * they may not.
 */
function permissionOn(
  base: BuiltIn["base"],
  grants: readonly PermissionRule[],
  forAll: readonly PermissionRule[],
  limits: readonly PermissionRule[],
): readonly PermissionRule[] {
  switch (base) {
    case "working":
      return [...WORKING, ...grants, ...forAll, ...limits]
    case "reading":
      return [...READING, ...grants, ...cautious(forAll), ...NO_CHANGES, ...limits]
    case "nothing":
      return rules("deny", "*")
  }
}

/**
 * Removes permission for what denying changes by name cannot foresee: `"*": "allow"`, or a name that is not one of
 * ours.
 */
function cautious(forAll: readonly PermissionRule[]): readonly PermissionRule[] {
  return forAll.filter(({ action, permission }) => action !== "allow" || OURS.has(permission))
}
