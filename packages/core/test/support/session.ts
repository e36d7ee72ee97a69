import {
  type Agent,
  createSession,
  type Entry,
  type Json,
  type Next,
  type PermissionRule,
  type Reply,
  type Request,
  restoreSession,
  type Session,
  type SessionOptions,
  type StandardRulesOptions,
  standardRules,
  type ToolDefinition,
  type WireMessage,
} from "@sotto/core"

const WORKING: readonly PermissionRule[] = [
  { permission: "edit", pattern: "*", action: "ask" },
  { permission: "bash", pattern: "*", action: "ask" },
]

export const AGENTS: readonly Agent[] = [
  { name: "build", mode: "primary", permission: WORKING },
  {
    name: "plan",
    mode: "primary",
    planning: true,
    permission: [
      { permission: "read", pattern: "*", action: "allow" },
      { permission: "edit", pattern: "*", action: "deny" },
    ],
  },
  { name: "brief", mode: "primary", permission: WORKING, steps: 3 },
  { name: "poet", mode: "primary", prompt: "You write verse.", native: true },
]

export const TOOLS: readonly ToolDefinition[] = [
  { name: "read", description: "Reads a file.", inputSchema: { type: "object" }, safeToRepeat: true },
  { name: "bash", description: "Runs a command.", inputSchema: { type: "object" } },
]

/** Old Claude: reminders in the last tool result. New Claude: system messages. The rest: text. */
export const MODELS = {
  smooshing: "claude-sonnet-4-5",
  system: "claude-opus-5-5",
  developer: "gpt-5.6",
  plain: "gemini-3-pro",
} as const

/** What Sotto's own agent calls its tools, so that the texts are those that it has. */
export const SOTTO: StandardRulesOptions = {
  product: "Sotto",
  tools: {
    read: { name: "read", path: "path", offset: "offset", limit: "limit", pages: "pages" },
    glob: "glob",
    grep: "grep",
    bash: "bash",
    write: "write",
    edit: "edit",
    todo_write: "todo_write",
    task_create: "task_create",
    task_update: "task_update",
    task: "task",
    skill: "skill",
    question: "question",
    plan_exit: "plan_exit",
    snip: "snip",
    explore: "explore",
    design: "general",
  },
}

export function options(overrides: Partial<SessionOptions> = {}): SessionOptions {
  let ids = 0
  return {
    agents: AGENTS,
    model: { id: MODELS.smooshing },
    tools: TOOLS,
    rules: standardRules(SOTTO),
    now: () => 0,
    newId: () => `id-${ids++}`,
    ...overrides,
  }
}

export function start(overrides: Partial<SessionOptions> = {}): Session {
  return createSession(options(overrides))
}

/** The session as it would be after a stop: its log written out and read back. */
export function reopen(session: Session, overrides: Partial<SessionOptions> = {}, length?: number): Session {
  const log: Entry[] = JSON.parse(JSON.stringify(session.log.slice(0, length)))
  return restoreSession(options(overrides), log)
}

export function request(session: Session): Request {
  const next: Next = session.next()
  if (next.is !== "request") throw new Error(`expected a request, got ${next.is}`)
  return next.request
}

export const says = (text: string): Reply => ({ parts: [{ type: "text", text }], stop: "end" })

export const calls = (...ids: readonly string[]): Reply => ({
  parts: ids.map((id) => ({ type: "tool-call", id, name: "read", input: { path: id } satisfies Json })),
  stop: "tool-calls",
})

/** Sends what is due and answers it. */
export function exchange(session: Session, reply: Reply): Request {
  const sent = request(session)
  session.reply(sent.id, reply)
  return sent
}

/** One step of work: a call, and its result. */
export function work(session: Session, id: string, output = `output of ${id}`): Request {
  const sent = exchange(session, calls(id))
  session.result(id, output)
  return sent
}

/** Every text of the last group that went up, as a model would read it. */
export function told(sent: Request): string {
  const messages = [...sent.messages]
  const lastReply = messages.findLastIndex((message) => message.role === "assistant")
  return messages
    .slice(lastReply + 1)
    .flatMap((message) => message.content.map(textOf))
    .join("\n")
}

export function everything(sent: Request): string {
  return [...sent.messages].flatMap((message) => message.content.map(textOf)).join("\n")
}

export function textOf(block: object): string {
  if ("text" in block) return String(block.text)
  if ("content" in block && Array.isArray(block.content)) return block.content.map(textOf).join("\n")
  return JSON.stringify(block)
}

/** What went up after the last reply. */
export function tail(sent: Request): readonly WireMessage[] {
  const messages = [...sent.messages]
  return messages.slice(messages.findLastIndex((message) => message.role === "assistant") + 1)
}

/** The kinds that spoke at a step, in the order in which they did. */
export function spoke(session: Session, step?: number): readonly string[] {
  return session.ledger(step).flatMap((row) => (row.outcome === "spoke" ? [row.kind] : []))
}

/** A turn of one step; what the model was told in it, after the prompt. */
export function turn(session: Session): string {
  session.say("Go")
  return told(exchange(session, says("ok"))).replace(/^Go\n?/, "")
}

/** Steps of one turn, each told apart. */
export function steps(session: Session, count: number): readonly string[] {
  if (session.phase === "idle") session.say("Go")
  return Array.from({ length: count }, (_, i) => told(work(session, `s${session.log.length}.${i}`)))
}
