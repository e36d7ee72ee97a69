import { channel } from "node:diagnostics_channel"
import type { Next, ToolCallPart } from "@sotto/core"
import type { Access } from "../../execution/permissions/access.js"
import type { Gate, Grants } from "../../execution/permissions/gate.js"
import { patternCovers, patternFor } from "../../execution/permissions/pattern.js"
import { whyUnasked } from "../../execution/permissions/reasons.js"
import { withoutAsking } from "../../execution/permissions/rules.js"
import { type CallVerdict, leavesSandbox } from "../../execution/permissions/verdict.js"
import { reasonOf, ToolError } from "../../platform/text/errors.js"
import type { CallHooks } from "../../sources/hooks/turn-hooks.js"
import { filesNamed, reachOf } from "../../sources/snapshots/reach.js"
import type { SessionSnapshots } from "../../sources/snapshots/session-snapshots.js"
import { StoreError } from "../../store/error.js"
import { permissionAnswer } from "../../tools/events/answers.js"
import type { Questions } from "../../tools/events/questions.js"
import { checkInput } from "../../tools/input.js"
import type { NamedCall, Output, Tool, ToolContext } from "../../tools/tool.js"
import type { SessionTelemetry } from "../telemetry/telemetry.js"

/** What running calls needs of the conversation. */
export interface CallContext {
  readonly tools: ReadonlyMap<string, Tool>
  readonly gate: Gate
  readonly grants: Grants
  readonly questions: Pick<Questions, "ask">
  /** What would be asked is allowed; what is denied stays denied. */
  readonly yes: () => boolean
  /** They have a say after the permissions, and never more than those allow. */
  readonly hooks: CallHooks
  /** The tool as it runs after this verdict: a command may have to run in a sandbox. */
  runner(tool: Tool, verdict: CallVerdict, abort: AbortSignal): Tool | Promise<Tool>
  /** Of the turn. */
  readonly abort: AbortSignal
  contextFor(call: ToolCallPart): Omit<ToolContext, "permit">
  /** Remembers what a call changes, for undo; undefined where that is switched off. */
  readonly snapshots?: Pick<SessionSnapshots, "before" | "ended"> | undefined
  /** Where telemetry is on. */
  readonly telemetry?: Pick<SessionTelemetry, "call"> | undefined
  /**
   * Asked right before the tool runs. Throws a StoreError if the session is not this worker's any more: nothing may
   * run.
   */
  mayRun(tool: Tool): Promise<void>
}

/**
 * Carries out the calls of one step. What only looks runs at once; what changes something runs one after the other,
 * in the order the model made the calls. Each result is handed over as it comes.
 */
export async function runCalls(
  calls: readonly ToolCallPart[],
  running: CallContext,
  done: (call: ToolCallPart, output: Output) => void,
): Promise<void> {
  const { tools, telemetry } = running
  const finish = async (call: ToolCallPart) => {
    const work = () => timed(call, () => carryOut(call, running))
    const { output, ran } = await (telemetry?.call(call, tools.get(call.name), work) ?? work())
    done(call, output)
    if (ran) await running.hooks.after(ran, output, running.abort)
  }
  const looking = calls.filter((call) => tools.get(call.name)?.changes !== true)
  const changing = calls.filter((call) => tools.get(call.name)?.changes === true)
  const inOrder = async () => {
    for (const call of changing) await finish(call)
  }
  try {
    await Promise.all([...looking.map(finish), inOrder()])
  } finally {
    await running.snapshots?.ended()
  }
}

/** True if what comes next is calls, and every one of them is of a tool that `is` says yes to. */
export function everyCall(next: Next, tools: CallContext["tools"], is: (tool: Tool) => boolean): boolean {
  if (next.is !== "waiting") return false
  return next.calls.every(({ name }) => {
    const tool = tools.get(name)
    return tool !== undefined && is(tool)
  })
}

interface Carried {
  readonly output: Output
  /** What was run, if anything was. */
  readonly ran?: NamedCall
}

async function carryOut(call: ToolCallPart, running: CallContext): Promise<Carried> {
  const tool = running.tools.get(call.name)
  if (tool === undefined) {
    const names = [...running.tools.keys()].sort().join(", ")
    return { output: failed(`There is no tool "${call.name}". There are: ${names}.`) }
  }
  const known = running.contextFor(call)
  const context: ToolContext = Object.assign(known, {
    permit: (accesses: readonly Access[]) => permit(call, accesses, running, known.abort),
  })
  let ran: NamedCall | undefined
  try {
    const input = checkInput(tool.definition, call.input, tool.foreign)
    const accesses = await tool.access(input, context)
    const first = await running.gate.verdict(accesses)
    const meant = tool.meant ? await tool.meant(input, context) : { name: call.name, input }
    const refusal =
      (await refusalOf(call, accesses, first, running, context.abort)) ??
      (await objectionTo(meant, running, context.abort))
    if (refusal !== undefined) return { output: failed(refusal) }
    // The agent may have been switched while the user was asked: what it may not do now is not done.
    const verdict = first.action === "ask" ? await running.gate.verdict(accesses) : first
    if (verdict.action === "deny") return { output: failed(refusalText(call, verdict)) }
    const runner = await running.runner(tool, verdict, context.abort)
    const reach = reachOf(tool, accesses, verdict, running.hooks.hearOfCalls)
    await running.snapshots?.before(reach, filesNamed(accesses))
    await running.mayRun(tool)
    ran = meant
    return { output: await runner.run(input, context), ran }
  } catch (error) {
    // No result of the call: the session or its store is not there to take one.
    if (error instanceof StoreError && ran === undefined) throw error
    const why = reasonOf(error)
    const output = failed(error instanceof ToolError ? why : `${call.name} failed: ${why}`)
    return { output, ...(ran && { ran }) }
  }
}

/**
 * Tells subscribers how long calls take, from when one is taken up until it has its output: judged, asked about, and
 * run. `{ call, tool, took }`, in milliseconds.
 */
const clock = channel("sotto:tool")

async function timed<T>({ id, name }: ToolCallPart, work: () => Promise<T>): Promise<T> {
  if (!clock.hasSubscribers) return work()
  const began = performance.now()
  try {
    return await work()
  } finally {
    clock.publish({ call: id, tool: name, took: performance.now() - began })
  }
}

/** Returns what hooks say against a call that is allowed, or that it is too late for the call. */
async function objectionTo(
  call: NamedCall,
  { hooks }: CallContext,
  abort: AbortSignal,
): Promise<string | undefined> {
  const objection = abort.aborted ? undefined : await hooks.before(call, abort)
  return objection ?? (abort.aborted ? "Stopped before it ran." : undefined)
}

/** Judges what a call turns out to touch while it runs, and asks the user about it if need be. */
async function permit(
  call: ToolCallPart,
  accesses: readonly Access[],
  running: CallContext,
  abort: AbortSignal,
): Promise<string | undefined> {
  const refusal = await refusalOf(call, accesses, await running.gate.verdict(accesses), running, abort)
  if (refusal !== undefined) return refusal
  // As before the call: the agent may have been switched while the user was asked.
  const verdict = await running.gate.verdict(accesses)
  return verdict.action === "deny" ? refusalText(call, verdict) : undefined
}

async function refusalOf(
  call: ToolCallPart,
  accesses: readonly Access[],
  verdict: CallVerdict,
  { gate, grants, questions, yes }: CallContext,
  abort: AbortSignal,
): Promise<string | undefined> {
  // That nothing is asked does not let a command out of the sandbox: only a rule or an answer does.
  const isFree = yes() && !accesses.some((access) => leavesSandbox(access) && gate.judge(access) !== "allow")
  const action = isFree ? withoutAsking(verdict.action) : verdict.action
  if (action === "deny") return refusalText(call, verdict)
  if (action === "allow") return undefined
  // One question a call: what is asked of it together is allowed together.
  const asked = accesses.filter((access) => gate.judge(access) === "ask")
  const { permission, target, detail } = asked[0] ?? { permission: call.name, target: "*" }
  const about = {
    kind: "permission",
    call: call.id,
    tool: call.name,
    permission,
    target,
    accesses: listed(accesses, asked),
  } as const
  const always = patternFor(asked)
  const answer = await questions.ask(
    { ...about, ...(detail !== undefined && { detail }), ...(always !== undefined && { always }) },
    abort,
  )
  if (answer === undefined) return whyUnasked({ permission, target })
  const decision = permissionAnswer(answer)
  if (decision.is === "allow") return undefined
  if (decision.is === "no") return notAllowed(decision.words)
  const { pattern } = decision
  if (pattern !== undefined && !patternCovers(pattern, { permission, target }))
    return notAllowed(answer.trim())
  for (const access of asked) grants.allow(access, call.name === "bash")
  if (pattern !== undefined) grants.allowLike(permission, pattern)
  return undefined
}

function refusalText(call: ToolCallPart, { reason, access }: CallVerdict): string {
  return reason ?? `Not allowed: ${access?.target ?? call.name}.`
}

/** Lists each thing once, in the order of the call. */
function listed(accesses: readonly Access[], asked: readonly Access[]) {
  const needed = new Set(asked.map(({ permission, target }) => `${permission}\n${target}`))
  const rows = accesses.map(({ permission, target }) => {
    const key = `${permission}\n${target}`
    return [key, { permission, target, needs: needed.has(key) }] as const
  })
  return [...new Map(rows).values()]
}

function notAllowed(words: string): string {
  return `The user did not allow it${words === "" ? "." : `: ${words}`}`
}

function failed(text: string): Output {
  return { content: text, error: true }
}
