import type { ProcessGuard } from "../../execution/programs/command.js"
import { type ChildEnvironment, withVariables } from "../../execution/programs/environment.js"
import { starPattern } from "../../platform/patterns/star-pattern.js"
import type { HookEvent, HookSettings } from "../../settings/config/outside.js"
import { USUAL } from "../../settings/config/usual.js"
import { answerOf, type HookAnswer } from "./answer.js"
import { startHook } from "./process.js"

export interface HookPlace {
  readonly hooks: Readonly<Partial<Record<HookEvent, readonly HookSettings[]>>>
  readonly cwd: string
  /** What every hook inherits. */
  readonly env: ChildEnvironment
  readonly session: string
  agent(): string
  readonly isSubagent: boolean
  readonly guard?: ProcessGuard | undefined
  report(message: string): void
  late(answer: Answered): void
}

/** Who answered what. */
export interface Answered extends HookAnswer {
  readonly hook: string
}

/** At the end, for hooks that the session does not wait for. */
const LAST_MS = 1_000
const LONGEST_NAME = 80

/** Runs what is configured for an event: all at once, each within its own time. */
export class Hooks {
  readonly #place: HookPlace
  readonly #running = new Set<Promise<void>>()
  readonly #closed = new AbortController()
  readonly #failures = new Map<HookSettings, string>()
  readonly #hung = new Set<HookSettings>()

  constructor(place: HookPlace) {
    this.#place = place
  }

  has(event: HookEvent): boolean {
    return (this.#place.hooks[event] ?? []).length > 0
  }

  /** Gives what hung in the last turn another chance in the new one. */
  forgive(): void {
    this.#hung.clear()
  }

  /**
   * Collects what the hooks of an event answer. Those that the session does not wait for answer later, by themselves.
   */
  async fire(
    event: HookEvent,
    details: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
    tool?: string,
  ): Promise<readonly Answered[]> {
    const all = (this.#place.hooks[event] ?? []).filter(
      (hook) => !this.#hung.has(hook) && (tool === undefined || matches(hook.match, tool)),
    )
    for (const hook of all.filter((one) => one.async === true))
      this.#await(
        this.#run(hook, event, details, this.#closed.signal).then((answer) => this.#place.late(answer)),
      )
    const waited = all.filter((one) => one.async !== true)
    const either = AbortSignal.any([signal, this.#closed.signal])
    return Promise.all(waited.map((hook) => this.#run(hook, event, details, either)))
  }

  /** Ends what still runs, after a moment. */
  async close(): Promise<void> {
    const rest = Promise.all(this.#running)
    const timer = setTimeout(() => this.#closed.abort(), LAST_MS)
    await rest
    clearTimeout(timer)
    this.#closed.abort()
  }

  async #run(
    hook: HookSettings,
    event: HookEvent,
    details: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<Answered> {
    const { cwd, env, session, isSubagent, guard } = this.#place
    const name = nameOf(hook)
    const timeoutMs = (hook.timeout ?? USUAL.hookTimeout) * 1_000
    const { ended, gone } = await startHook({
      command: hook.command,
      cwd,
      env: withVariables(env, { SOTTO_EVENT: event, SOTTO_SESSION: session, SOTTO_CWD: cwd, ...hook.env }),
      input: {
        event,
        session,
        cwd,
        agent: this.#place.agent(),
        ...(isSubagent && { subagent: true }),
        ...details,
      },
      timeoutMs,
      signal,
      guard,
    })
    this.#await(gone)
    const end = await ended
    if (end.why === "timeout" && hook.async !== true) this.#hung.add(hook)
    const { failure, message, ...answer } = answerOf(end, timeoutMs)
    this.#tellFailure(hook, event, failure)
    if (message !== undefined) this.#place.report(`The hook ${name} says: ${message}`)
    return { hook: name, ...answer }
  }

  #await(work: Promise<void>): void {
    this.#running.add(work)
    void work.then(() => this.#running.delete(work))
  }

  /** Tells a failure once: the same failure again would be no news. */
  #tellFailure(hook: HookSettings, event: HookEvent, failure: string | undefined): void {
    const known = this.#failures.get(hook)
    if (failure === undefined) this.#failures.delete(hook)
    else if (failure !== known) {
      this.#failures.set(hook, failure)
      const left = this.#hung.has(hook) ? " It is left out until the next prompt." : ""
      this.#place.report(`The hook ${nameOf(hook)} (${event}): ${failure}${left}`)
    }
  }
}

function nameOf({ name, command }: HookSettings): string {
  const whole = (name ?? command).replace(/\s+/g, " ").trim()
  return whole.length <= LONGEST_NAME ? whole : `${whole.slice(0, LONGEST_NAME)}…`
}

/** Matches patterns such as "edit|write" or "mcp__*"; every tool unless said. */
function matches(pattern: string | undefined, tool: string): boolean {
  return pattern === undefined || pattern.split("|").some((one) => starPattern(one.trim())(tool))
}
