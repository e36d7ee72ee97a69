import {
  type Agent,
  isPlanner,
  type Reply,
  type Request,
  redoable,
  type Session,
  stepOfPrompt,
  type ToolCallPart,
} from "@sotto/core"
import { ModelFailure } from "../../models/model-link.js"
import type { Awaitable } from "../../platform/awaitable.js"
import { reasonOf } from "../../platform/text/errors.js"
import {
  type RestorePlan,
  reportOf,
  type SessionSnapshots,
} from "../../sources/snapshots/session-snapshots.js"
import type { Said } from "../../sources/source.js"
import { StoreError } from "../../store/error.js"
import { endOf, isEmpty, remarkOn } from "../../tools/events/endings.js"
import {
  FAILED,
  type HarnessEvent,
  LIMITED,
  OVERFLOWED,
  type RestoreReport,
  type TurnEnd,
} from "../../tools/events/events.js"
import type { Questions } from "../../tools/events/questions.js"
import type { Meter } from "../limits/meter.js"
import type { CacheWarmth } from "../summaries/cache-warmth.js"
import { type CallContext, everyCall, runCalls } from "./calls.js"
import { CommandError } from "./command-fields.js"
import type { CommandListener, Commands } from "./commands.js"
import { type CompactionParts, Compactor } from "./compaction.js"
import { mayRunBeforeDisk } from "./durability.js"
import type { EventFeed } from "./event-feed.js"
import type { Flight } from "./flight.js"

export interface LoopParts extends CompactionParts {
  readonly commands: Commands
  readonly showing: EventFeed
  readonly flight: Flight
  readonly agents: readonly Agent[]
  readonly questions: Pick<Questions, "ask">
  /** What running calls needs, beside what the loop knows itself. */
  readonly calls: Omit<CallContext, "contextFor" | "hooks" | "abort" | "questions" | "mayRun"> & {
    contextFor(call: ToolCallPart, abort: AbortSignal): ReturnType<CallContext["contextFor"]>
  }
  /** Tells the engine what the world looks like, before each boundary. */
  readonly collect: () => Promise<void>
  /** Looks whether another process has posted commands, before each boundary. */
  readonly takePosted: () => Awaitable<void>
  /** What steps did to files, and the way back. */
  readonly snapshots: SessionSnapshots
  /** Lists what works in the background, by its id. */
  readonly atWork: () => readonly string[]
  readonly meter: Meter
  /** Keeps the provider's cache while calls run or wait for the user; undefined unless the user wants that. */
  readonly warmth: Pick<CacheWarmth, "during"> | undefined
}

/** What becomes of files that somebody else has changed since: nothing is done at all, or they are left, or overwritten. */
export type EditedFilesChoice = "refuse" | "skip" | "overwrite"

/** How a session goes back, or forward again. */
export interface RewindOptions {
  /** True if what was done to files since is undone too. */
  readonly files?: boolean
  readonly edited?: EditedFilesChoice
  /** Says what would become of files, and does nothing. */
  readonly preview?: boolean
  /** Runs what enters it in the log. */
  readonly once?: (enter: () => void) => void
}

/** Families of facts that go back and forward with the conversation. */
const WITH_IT = { facts: ["file", "plan"] }
const NOTHING: RestorePlan = { rows: [], notices: [] }

/** Lists the messages that opened a turn and are part of the conversation, oldest first. */
export function promptsOf(session: Session) {
  const opened = new Set(
    session.log.flatMap((entry) =>
      entry.type === "step" && entry.step === 1 ? entry.delivered.map(({ id }) => id) : [],
    ),
  )
  return session.view().filter(({ role, id }) => role === "user" && opened.has(id))
}

/**
 * The loop: collects facts, takes the session's next step, then asks the model or carries out its calls, until there is
 * nothing left to do. Commands reach the session directly, also while the loop waits. It is not built on
 * `@sotto/core/drive`: here each request, tool and event waits for the disk and the lease in its own way, and permissions,
 * hooks, sources, limits and compaction come in between.
 */
export class Loop implements CommandListener {
  readonly #parts: LoopParts
  readonly #compaction: Compactor
  #running: Promise<void> | undefined
  /** A human said something that the sources have not been asked about since. */
  #unlooked = false
  /** The turn in which the model was asked to go on after it had said nothing. */
  #wentOn: number | undefined
  /** The turn whose end the hooks have seen. */
  #seenEnding: number | undefined

  constructor(parts: LoopParts) {
    this.#parts = parts
    this.#compaction = new Compactor(parts)
    parts.commands.listen(this)
  }

  get #session(): Session {
    return this.#parts.session
  }

  get #signal(): AbortSignal {
    return this.#parts.commands.signal
  }

  said(message: Said): void {
    this.#unlooked = true
    for (const source of this.#parts.sources) source.said?.(message)
  }

  /** Works until there is nothing left to do. Calling it while it works waits for the same end. */
  wake(): Promise<void> {
    // Not in the same breath: a posted command that the loop takes up first wakes it too, and must find it running.
    this.#running ??= Promise.resolve().then(() => this.#run())
    return this.#running
  }

  /**
   * Compacts at the next boundary, before anything that is said from now on. `focus` is what the summary should keep.
   */
  compact(focus?: string): void {
    this.#compaction.ask(focus)
    void this.wake()
  }

  /** Goes back to before the turn that this prompt opened; with `files`, what was done to files since is undone too. */
  async rewind(to: string, { files = false, edited = "skip", preview = false, once }: RewindOptions = {}) {
    if (!preview) await this.#stopTurn("the user went back")
    const step = stepOfPrompt(this.#session.log, to)
    const isBack = files && step !== undefined
    const plan = isBack
      ? await this.#planned(() => this.#parts.snapshots.planBack(step), edited, preview)
      : NOTHING
    if (preview) return this.#previewed(plan)
    return this.#move("undo", plan, edited, () => this.#session.rewind(to, WITH_IT), once)
  }

  /** Goes back to before the newest turn. */
  async undo({ files = true, edited = "refuse", ...options }: RewindOptions = {}) {
    const prompt = promptsOf(this.#session).at(-1)
    if (prompt === undefined) throw new CommandError("nothing-to-undo", "there is no turn to go back before")
    return this.rewind(prompt.id, { files, edited, ...options })
  }

  /** Takes the newest rewind back, with what it did to files. */
  async redo({ files = true, edited = "refuse", preview = false, once }: RewindOptions = {}) {
    if (!preview) await this.#stopTurn("the user took a rewind back")
    const rewound = redoable(this.#session.log)
    const isForward = files && rewound !== undefined
    const plan = isForward
      ? await this.#planned(() => this.#parts.snapshots.planForward(rewound), edited, preview)
      : NOTHING
    if (preview) return this.#previewed(plan)
    return this.#move("redo", plan, edited, () => this.#session.redo(WITH_IT), once)
  }

  #previewed(plan: RestorePlan): RestoreReport {
    const report = reportOf(plan)
    this.#parts.showing.tell({ type: "restored", preview: true, ...report })
    return report
  }

  /** Ends the turn that goes on. Returns when all that it did is written down. */
  async #stopTurn(reason: string): Promise<void> {
    if (this.#session.isInTurn) this.#parts.commands.abort(reason)
    await this.#running
    await this.#parts.snapshots.settled()
  }

  /** Makes a plan for files. Throws if it cannot be carried out as it is wanted. */
  async #planned(
    make: () => Promise<RestorePlan>,
    edited: EditedFilesChoice,
    preview: boolean,
  ): Promise<RestorePlan> {
    const [busy] = this.#parts.atWork()
    if (busy !== undefined && !preview)
      throw new CommandError(
        "still-at-work",
        `"${busy}" still works in the background and may change files, so nothing was done: stop it first, with the command task`,
      )
    const plan = await make()
    const paths = plan.rows.filter(({ state }) => state === "edited").map(({ path }) => path)
    if (edited === "refuse" && paths.length > 0 && !preview)
      throw new CommandError(
        "files-edited",
        `somebody else has changed ${paths.join(", ")} since, so nothing was done: "edited" says what to do, "skip" leaves them and "overwrite" does not`,
      )
    return plan
  }

  async #move(
    by: "undo" | "redo",
    plan: RestorePlan,
    edited: EditedFilesChoice,
    enter: () => void,
    once: RewindOptions["once"] = (work) => work(),
  ): Promise<RestoreReport> {
    const { commands, snapshots, showing } = this.#parts
    once(() => commands.run(enter))
    const moved = this.#session.log.at(-1)
    if (moved?.type === "rewound") this.#planAgain(moved.step)
    // Files are not touched for a rewind that may never have happened.
    const kept = commands.kept()
    if (kept !== undefined) await kept
    if (plan === NOTHING || moved === undefined) return reportOf(plan)
    const report = await snapshots.restore(by, moved.seq, plan, edited === "overwrite")
    showing.tell({ type: "restored", ...report })
    return report
  }

  /** Makes the agent plan again: going back to before a plan was approved takes the approval back. */
  #planAgain(step: number): void {
    const { agents, commands } = this.#parts
    const opened = this.#session.log.find(({ seq }) => seq === step)
    const planner = agents.find(({ name }) => opened?.type === "step" && name === opened.agent)
    const now = agents.find(({ name }) => name === this.#session.agent)
    if (planner && isPlanner(planner) && !(now && isPlanner(now))) commands.switchAgent(planner.name)
  }

  async #run(): Promise<void> {
    const { calls, hooks, durability, showing } = this.#parts
    try {
      for (;;) {
        const taken = this.#parts.takePosted()
        if (taken !== undefined) await taken
        if (this.#compaction.isDue) await this.#compact()
        const reached = this.#limitReached()
        if (reached !== undefined) {
          await this.#stopAt(reached)
          continue
        }
        if (!this.#onlyLooks()) await this.#prepare()
        showing.flush()
        const next = this.#enter(() => this.#session.next())
        if (next.is === "request") {
          if (await this.#ask(next.request)) continue
          break
        }
        if (!mayRunBeforeDisk(next, calls.tools, hooks)) await durability.onDisk()
        if (next.is === "idle") {
          if (this.#compaction.isAsked || (await this.#wasAskedToEnd())) continue
          // A message may have come while the hooks were asked.
          if (this.#session.phase !== "idle") continue
          break
        }
        // The session may have been aborted while it was made durable.
        if (this.#session.phase === "awaiting-results") await this.#carryOut(next.calls)
      }
      showing.endTurn(this.#session.phase === "idle" ? undefined : "error")
    } catch (error) {
      this.#fail(error)
    } finally {
      // In the same breath as the last look at the session: what is said after that starts anew, and does not wait on
      // an end that has come already.
      this.#running = undefined
    }
  }

  /** Compacts the conversation. If that makes no room, closes the turn: it would only be refused again. */
  async #compact(): Promise<void> {
    const { fullness } = this.#parts
    await this.#compaction.run(this.#signal)
    if (!fullness.isOverflowed || !this.#session.isInTurn) return
    await this.#parts.durability.onDisk()
    this.#closeTurn("overflow", OVERFLOWED)
  }

  /**
   * Handles a fault of ours or of the disk, or a lost lease. What is stored is whole, and observers have to hear of it.
   */
  #fail(error: unknown): void {
    // A loss is told where it is noticed, whether or not the loop was at work.
    if (!(error instanceof StoreError && error.code === "lost"))
      this.#parts.showing.tell({ type: "error", message: reasonOf(error) })
    this.#parts.showing.endTurn("error")
  }

  /** True if the calls that come next change nothing: then no source need look before they run. */
  #onlyLooks(): boolean {
    return (
      this.#session.phase === "awaiting-results" &&
      everyCall(this.#session.pending, this.#parts.calls.tools, ({ changes }) => !changes)
    )
  }

  /**
   * Has hooks and sources look at what the next boundary delivers. Hooks come first: what they let through and say is
   * part of what is collected. A message that arrives meanwhile is looked at too, before it can be delivered.
   */
  async #prepare(): Promise<void> {
    const { hooks, collect } = this.#parts
    do {
      await hooks.prepare(this.#signal)
      this.#unlooked = false
      await collect()
    } while (!hooks.isPrepared() || this.#unlooked)
  }

  /** Runs the "stop" hooks once per turn. Returns true if a hook or a message added work, so the loop must go on. */
  async #wasAskedToEnd(): Promise<boolean> {
    const { turn } = this.#parts.showing
    if (turn === undefined || turn.number === this.#seenEnding || this.#session.phase !== "idle") return false
    this.#seenEnding = turn.number
    const words = await this.#parts.hooks.ending(endOf(turn.stop, turn.last), this.#signal)
    if (words !== undefined) this.#command(() => this.#session.say(words, { hidden: true }))
    return words !== undefined || this.#session.queue().length > 0
  }

  /** Sends a request to the model and takes its reply. Returns true if the turn may go on. */
  async #ask(request: Request): Promise<boolean> {
    const { meter, fullness, durability, flight, showing } = this.#parts
    const onDisk = durability.onDisk()
    // The caller that waits for it hears of a failure.
    onDisk.catch(() => {})
    // Words that come when the session may be another worker's are not shown.
    const tell = (event: HarnessEvent) => durability.holds && showing.tell(event)
    if (request.step === 1) meter.turnBegins()
    try {
      const reply = await flight.call(request, durability.sending(onDisk), tell)
      fullness.replied(reply)
      if (!flight.isAwaited(request)) return true
      this.#enter(() => this.#session.reply(request.id, reply))
      if (reply.stop === "overflow") return this.#overflowed("The model's context is full.")
      const logged = this.#session.log.at(-1)
      const remark = logged?.type === "replied" && remarkOn(logged.reply, this.#session.isInTurn)
      if (remark) showing.tellAfterReply({ type: "error", message: remark })
      this.#goOnAfterNothing(reply, request)
      return true
    } catch (error) {
      // If the disk failed or the session was lost, that is what is wrong.
      await onDisk
      durability.mustHold()
      if (error instanceof StoreError) throw error
      // The session was aborted, or got a message that could not wait: it has moved on already.
      if (!flight.isAwaited(request)) return true
      if (error instanceof ModelFailure && error.refusedCarrier !== undefined) {
        const carrier = error.refusedCarrier
        const before = this.#session.log.length
        this.#command(() => this.#session.refuseCarrier(carrier))
        if (this.#session.log.length > before) return true
      }
      if (error instanceof ModelFailure && error.overflow) {
        this.#enter(() =>
          this.#session.reply(request.id, { parts: [], stop: "overflow", why: error.message }),
        )
        return this.#overflowed(error.message)
      }
      tell({ type: "error", message: reasonOf(error) })
      this.#closeTurn("error", FAILED)
      return false
    }
  }

  /**
   * Handles a conversation that is longer than the model takes. If the turn goes on, the conversation is compacted
   * before the next request; a second time the session has ended the turn. Returns true if the turn may go on.
   */
  #overflowed(why: string): boolean {
    const { fullness } = this.#parts
    fullness.overflowed()
    if (this.#session.isInTurn && fullness.isAutomatic) return true
    const remedy = fullness.isAutomatic
      ? "Go back to before the message that was too long, start a new session, or choose a model with a larger window."
      : 'Compact it (/compact, or a line {"type":"compact"}), or allow that with compaction.auto.'
    this.#parts.showing.tellAfterReply({ type: "error", message: `${why} ${remedy}` })
    if (!this.#session.isInTurn) return true
    this.#closeTurn("overflow", OVERFLOWED)
    return false
  }

  /** Models have learned to end a turn with nothing after tool results: once, they are asked to go on. */
  #goOnAfterNothing(reply: Reply, request: Request): void {
    if (
      !isEmpty(reply) ||
      this.#wentOn === request.turn ||
      request.step === 1 ||
      this.#session.phase !== "idle"
    )
      return
    this.#wentOn = request.turn
    this.#command(() => this.#session.say("Please go on.", { hidden: true }))
  }

  async #carryOut(calls: readonly ToolCallPart[]): Promise<void> {
    const { calls: known, questions, hooks, durability, showing } = this.#parts
    const signal = this.#signal
    for (const { id, name, input } of calls) showing.tellAfterReply({ type: "tool-call", id, name, input })
    const context: CallContext = {
      ...known,
      hooks,
      abort: signal,
      contextFor: (call) => known.contextFor(call, signal),
      mayRun: async ({ changes, definition }) => {
        if (!changes && definition.safeToRepeat === true) durability.mustHold()
        else await durability.mayAct()
      },
      questions: {
        ask: async (question, abort) => {
          // Do not ask the user about what might not be asked again.
          await durability.onDisk()
          durability.mustHold()
          showing.flush()
          return questions.ask(question, abort)
        },
      },
    }
    const run = () =>
      runCalls(calls, context, (call, output) => {
        for (const source of this.#parts.sources) source.called?.(call, output)
        // After an abort the call has been answered already: the session does not take its late result.
        this.#enter(() => this.#session.result(call.id, output.content, { error: output.error ?? false }))
      })
    await (this.#parts.warmth?.during(run) ?? run())
  }

  #limitReached(): string | undefined {
    if (!this.#session.isInTurn || this.#session.phase !== "ready") return undefined
    return this.#parts.meter.reached()
  }

  /** Closes what the turn was doing. The next prompt goes on. */
  async #stopAt(limit: string): Promise<void> {
    await this.#parts.durability.onDisk()
    this.#parts.showing.tell({ type: "error", message: limit })
    this.#closeTurn("limit", LIMITED)
  }

  /** Tells that the turn is over, and closes it. */
  #closeTurn(end: TurnEnd, why: string): void {
    this.#parts.showing.endTurn(end)
    this.#command(() => this.#session.abort(why))
  }

  /** Does something in the user's place. */
  #command(command: () => void): void {
    this.#parts.commands.run(command)
  }

  /**
   * Enters what the loop itself brings. Outside a run no caller waits for the disk, so a failure of it is told here.
   */
  #enter<T>(entry: () => T): T {
    const { durability } = this.#parts
    return this.#running !== undefined
      ? durability.enter(entry)
      : durability.enter(entry, (error) => this.#fail(error))
  }
}
