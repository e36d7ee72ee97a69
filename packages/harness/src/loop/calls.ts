import { channel } from "node:diagnostics_channel"
import type { ToolCallPart } from "@sotto/core"
import type { CallHooks } from "../hooks/turn-hooks.js"
import type { Access } from "../permissions/access.js"
import { type PlanVerdict, patternFor, withoutAsking } from "../permissions/index.js"
import { reasonOf } from "../reason.js"
import { checkInput } from "../tools/input.js"
import { type NamedCall, type Output, type Tool, type ToolContext, ToolError } from "../tools/tool.js"
import type { Asking } from "./ask.js"
import type { Gate, Grants } from "./gate.js"

/** What running calls needs of the conversation. */
export interface Workshop {
  readonly tools: ReadonlyMap<string, Tool>
  /** The tools that can run where the file system is read-only, as they run there. */
  readonly contained: ReadonlyMap<string, Tool>
  readonly gate: Gate
  readonly grants: Grants
  readonly desk: Pick<Asking, "ask">
  /** What would be asked is allowed; what is denied stays denied. */
  readonly yes: () => boolean
  /** They have a say after the permissions, and never more than those allow. */
  readonly hooks: CallHooks
  /** Of the turn. */
  readonly abort: AbortSignal
  contextFor(call: ToolCallPart): ToolContext
}

/**
 * Carries out the calls of one step. What only looks runs at once; what changes something runs one after the other,
 * in the order the model made the calls. Each result is handed over as it comes.
 */
export async function runCalls(
  calls: readonly ToolCallPart[],
  workshop: Workshop,
  done: (call: ToolCallPart, output: Output) => void,
): Promise<void> {
  const { tools } = workshop
  const finish = async (call: ToolCallPart) => {
    const { output, ran } = await timed(call, () => carryOut(call, workshop))
    done(call, output)
    if (ran) await workshop.hooks.after(ran, output, workshop.abort)
  }
  const looking = calls.filter((call) => tools.get(call.name)?.changes !== true)
  const changing = calls.filter((call) => tools.get(call.name)?.changes === true)
  const inOrder = async () => {
    for (const call of changing) await finish(call)
  }
  await Promise.all([...looking.map(finish), inOrder()])
}

interface Carried {
  readonly output: Output
  /** What was run, if anything was. */
  readonly ran?: NamedCall
}

async function carryOut(call: ToolCallPart, workshop: Workshop): Promise<Carried> {
  const tool = workshop.tools.get(call.name)
  if (tool === undefined) {
    const names = [...workshop.tools.keys()].sort().join(", ")
    return { output: failed(`There is no tool "${call.name}". There are: ${names}.`) }
  }
  const context = workshop.contextFor(call)
  let ran: NamedCall | undefined
  try {
    const input = checkInput(tool.definition, call.input, tool.foreign)
    const accesses = await tool.access(input, context)
    const verdict = await workshop.gate.verdict(accesses)
    const meant = tool.meant ? await tool.meant(input, context) : { name: call.name, input }
    const refusal =
      (await refusalOf(call, accesses, verdict, workshop, context.abort)) ??
      (await objectionTo(meant, workshop, context.abort))
    if (refusal !== undefined) return { output: failed(refusal) }
    const runner = verdict.sandboxed ? workshop.contained.get(call.name) : tool
    if (runner === undefined) return { output: failed(`${call.name} cannot run in a sandbox.`) }
    ran = meant
    return { output: await runner.run(input, context), ran }
  } catch (error) {
    const why = reasonOf(error)
    const output = failed(error instanceof ToolError ? why : `${call.name} failed: ${why}`)
    return { output, ...(ran && { ran }) }
  }
}

/**
 * For whoever wants to know how long calls take, from when one is taken up until it has its output: judged, asked about,
 * and run. `{ call, tool, took }`, in milliseconds.
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

/** What hooks say against a call that is allowed, or that it is too late for it. */
async function objectionTo(
  call: NamedCall,
  { hooks }: Workshop,
  abort: AbortSignal,
): Promise<string | undefined> {
  const objection = abort.aborted ? undefined : await hooks.before(call, abort)
  return objection ?? (abort.aborted ? "Stopped before it ran." : undefined)
}

/** Why the call may not run; undefined if it may. */
async function refusalOf(
  call: ToolCallPart,
  accesses: readonly Access[],
  verdict: PlanVerdict,
  { gate, grants, desk, yes }: Workshop,
  abort: AbortSignal,
): Promise<string | undefined> {
  const action = yes() ? withoutAsking(verdict.action) : verdict.action
  if (action === "deny") return verdict.reason ?? `Not allowed: ${verdict.access?.target ?? call.name}.`
  if (action === "allow") return undefined
  // One question a call: what is asked of it together is allowed together.
  const asked = accesses.filter((access) => gate.judge(access) === "ask")
  const { permission, target, detail } = asked[0] ?? { permission: call.name, target: "*" }
  const about = { kind: "permission", call: call.id, tool: call.name, permission, target } as const
  const always = patternFor(asked)
  const answer = await desk.ask(
    { ...about, ...(detail !== undefined && { detail }), ...(always !== undefined && { always }) },
    abort,
  )
  if (answer === undefined)
    return `Not allowed: ${permission} of ${target} needs permission, and nobody is there to give it.`
  const [, word = "", reason = ""] = /^(\w*)[\s:,]*(.*)$/s.exec(answer.trim()) ?? []
  if (/^(always|session)$/i.test(word)) {
    for (const access of asked) grants.allow(access, call.name === "bash")
    // "always npm test*": so is what is like it.
    if (/^always$/i.test(word) && reason !== "") grants.allowLike(permission, reason.trim())
  } else if (!/^(allow|yes|y|once|ok)$/i.test(word)) {
    const why = /^(deny|no|n)$/i.test(word) ? reason : answer.trim()
    return `The user did not allow it${why === "" ? "." : `: ${why}`}`
  }
  return undefined
}

function failed(text: string): Output {
  return { content: text, error: true }
}
