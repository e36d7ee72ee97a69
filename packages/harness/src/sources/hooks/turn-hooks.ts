import type { Queued } from "@sotto/core"
import type { ProcessGuard } from "../../execution/programs/command.js"
import { type ChildEnvironment, plainEnvironment } from "../../execution/programs/environment.js"
import { textOf } from "../../platform/text/text.js"
import type { Config } from "../../settings/load.js"
import type { TurnEnd } from "../../tools/events/events.js"
import type { NamedCall, Output } from "../../tools/tool.js"
import { dueNow } from "../session.js"
import type { Source, SourceContext } from "../source.js"
import { type Answered, Hooks } from "./hooks.js"

/** What running a call asks of the hooks. */
export interface CallHooks {
  /** Why the call may not run; undefined if it may. */
  before(call: NamedCall, signal: AbortSignal): Promise<string | undefined>
  after(call: NamedCall, output: Output, signal: AbortSignal): Promise<void>
  /** True if programs of the user run before or after calls. */
  readonly hearOfCalls: boolean
}

/** The number of times in a row that a hook may have the agent go on. */
const MOST_GOING_ON = 3

/** What hooks can do to the session, and what they wait for. */
interface HookActs {
  abort(reason: string): void
  /** Checks before hooks run. Rejects if the session has passed to another worker. */
  mayAct(): Promise<void>
  readonly guard: ProcessGuard | undefined
}

/** Which hooks there are, and the environment they run in. */
interface HookParts {
  readonly config: Pick<Config, "hooks">
  readonly childEnv: ChildEnvironment
}

/** The hooks of one conversation. Those of a subagent are only for its calls: it has no user, and its end is its parent's. */
export class TurnHooks implements CallHooks, Source {
  readonly name = "hooks"
  readonly #context: SourceContext
  readonly #hooks: Hooks
  readonly #abort: (reason: string) => void
  readonly #mayAct: () => Promise<void>
  readonly #resumed: boolean
  /** Prompts that have been let through. */
  readonly #passed = new Set<string>()
  #started = false
  #wentOn = 0

  constructor(context: SourceContext, parts: HookParts, act: HookActs) {
    const { config } = parts
    const { cwd, session, isSubagent, report } = context
    const { before_tool = [], after_tool = [] } = config.hooks
    this.#context = context
    this.#abort = (reason) => act.abort(reason)
    this.#mayAct = () => act.mayAct()
    this.#resumed = session.log.some(({ type }) => type === "step")
    this.#hooks = new Hooks({
      hooks: isSubagent ? { before_tool, after_tool } : config.hooks,
      cwd,
      // Made for the first hook: most conversations have none.
      get env() {
        return plainEnvironment(parts.childEnv)
      },
      session: session.id,
      agent: () => session.agent,
      isSubagent,
      guard: act.guard,
      report,
      late: (answer) => this.#tellLate(answer),
    })
  }

  said({ id }: { readonly id: string }): void {
    this.#passed.delete(id)
    this.#wentOn = 0
    this.#hooks.forgive()
  }

  /** Runs hooks before a boundary: the session begins, and prompts are let through or not. */
  async prepare(signal: AbortSignal): Promise<void> {
    if (!this.#started) {
      this.#started = true
      const answers = await this.#fire("session_start", { resumed: this.#resumed }, signal)
      this.#tell(answers)
      this.#cannotObject(answers, "session_start")
    }
    for (const message of this.#unseen()) await this.#judge(message, signal)
  }

  /** True if nothing would be delivered now that no hook has seen. */
  isPrepared(): boolean {
    return this.#unseen().length === 0
  }

  /** Whether hooks hear of calls: then calls are not private. */
  get hearOfCalls(): boolean {
    return this.#hooks.has("before_tool") || this.#hooks.has("after_tool")
  }

  async before({ name, input }: NamedCall, signal: AbortSignal): Promise<string | undefined> {
    const answers = await this.#fire("before_tool", { tool: { name, input } }, signal, name)
    this.#tell(answers)
    this.#endIfAsked(answers)
    const objection = answers.find(({ block, stop }) => block !== undefined || stop !== undefined)
    return objection && `The hook ${objection.hook} did not let it run: ${objection.block ?? objection.stop}`
  }

  async after({ name, input }: NamedCall, { content, error }: Output, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return
    const output = typeof content === "string" ? content : textOf(content)
    const details = { tool: { name, input }, output, ...(error && { error }) }
    const answers = await this.#fire("after_tool", details, signal, name)
    // It has run: an objection is something to know.
    this.#tell(answers.map((answer) => ({ ...answer, context: answer.block ?? answer.context ?? "" })))
    this.#endIfAsked(answers)
  }

  /** Asks the hooks when the agent has come to its end. Gives words to go on with, if a hook does not think so. */
  async ending(reason: TurnEnd, signal: AbortSignal): Promise<string | undefined> {
    if (!this.#hooks.has("stop")) return undefined
    const last = this.#context.session.view().findLast(({ role }) => role === "assistant")
    const answer = textOf(last?.parts ?? [])
    const answers = await this.#fire("stop", { reason, answer, wentOn: this.#wentOn }, signal)
    this.#tell(answers)
    const objection = answers.find(({ block }) => block !== undefined)
    if (objection === undefined || signal.aborted) return this.#endHere(undefined)
    const { hook, block = "" } = objection
    if (reason === "max-steps")
      return this.#endHere(`The hook ${hook} wants to go on (${block}), but no step is left.`)
    if (this.#wentOn >= MOST_GOING_ON)
      return this.#endHere(
        `The hook ${hook} wanted to go on ${MOST_GOING_ON} times in a row: that is enough.`,
      )
    this.#wentOn++
    this.#tell([{ hook, context: block }])
    return `The hook ${hook} does not let the turn end yet. Do what it asks for, then finish.`
  }

  /** Asks the hooks before a summary replaces the conversation; what is said here comes after it. */
  async compacting(signal: AbortSignal): Promise<void> {
    const answers = await this.#fire("compaction", {}, signal)
    this.#tell(answers)
    this.#cannotObject(answers, "compaction")
  }

  close(): Promise<void> {
    return this.#hooks.close()
  }

  async #fire(...event: Parameters<Hooks["fire"]>): ReturnType<Hooks["fire"]> {
    if (!this.#hooks.has(event[0])) return []
    await this.#mayAct()
    return this.#hooks.fire(...event)
  }

  #unseen(): readonly Queued[] {
    if (!this.#hooks.has("prompt")) return []
    return dueNow(this.#context.session).filter(({ id }) => !this.#passed.has(id))
  }

  async #judge({ id, content }: Queued, signal: AbortSignal): Promise<void> {
    const { session, cancel, report } = this.#context
    const prompt = textOf(content)
    const answers = await this.#fire("prompt", { prompt, message: id }, signal)
    const now = session.queue().find((queued) => queued.id === id)
    // Taken back or said anew meanwhile: this was about other words.
    if (signal.aborted || now === undefined || textOf(now.content) !== prompt) return
    const objection = answers.find(({ block, stop }) => block !== undefined || stop !== undefined)
    if (objection === undefined) {
      this.#tell(answers)
      this.#passed.add(id)
      return
    }
    cancel(id)
    report(`The hook ${objection.hook} did not let the message through: ${objection.block ?? objection.stop}`)
    if (session.isInTurn) this.#endIfAsked(answers)
  }

  #endIfAsked(answers: readonly Answered[]): void {
    const asking = answers.find(({ stop }) => stop !== undefined)
    if (asking?.stop === undefined) return
    const { session, report } = this.#context
    session.note({ type: "hook.stopped", hook: asking.hook, message: asking.stop })
    report(`The hook ${asking.hook} ended the turn: ${asking.stop}`)
    this.#abort(`the hook ${asking.hook} ended it`)
  }

  #endHere(why: string | undefined): undefined {
    this.#wentOn = 0
    if (why !== undefined) this.#context.report(why)
  }

  #tell(answers: readonly Answered[]): void {
    for (const { hook, context } of answers)
      if (context) this.#context.session.note({ type: "hook.answered", hook, message: context })
  }

  #tellLate({ hook, context, block, stop }: Answered): void {
    const message = [context, block, stop].filter((text) => text !== undefined).join("\n")
    if (message !== "") this.#context.session.note({ type: "hook.answered", hook, message, late: true })
  }

  #cannotObject(answers: readonly Answered[], event: string): void {
    for (const { hook, block, stop } of answers)
      if (block !== undefined || stop !== undefined)
        this.#context.report(`The hook ${hook} objects (${block ?? stop}), but ${event} cannot be held up.`)
  }
}
