import {
  type Agent,
  type ContentPart,
  type Delivery,
  isPlanner,
  type ModelChoice,
  type Next,
  type Receipt,
  type Reply,
  type Request,
  removed,
  type SayOptions,
  type Session,
  SottoError,
  type ToolCallPart,
} from "@sotto/core"
import { checkSelectable } from "../agents/selection.js"
import type { Restored } from "../files/rewind.js"
import type { Meter } from "./meter.js"
import { reasonOf } from "../text/errors.js"
import { findStyle, type Style } from "../agents/styles.js"
import type { Asking } from "../events/questions.js"
import { runCalls, type Workshop } from "./calls.js"
import { Compaction, type CompactionParts } from "./compaction.js"
import { endOf, isEmpty, remarkOn } from "../events/endings.js"
import { FAILED, type HarnessEvent, LIMITED, OVERFLOWED } from "../events/events.js"
import { Flight } from "./flight.js"
import { mayBeRepeated, onlyLooks } from "./looks.js"
import { ModelFailure, type ModelLink } from "../models/model-link.js"
import { Showing } from "./showing.js"

export interface ConversationParts extends CompactionParts {
  /** For agents that have none of their own. */
  readonly model: ModelChoice
  readonly agents: readonly Agent[]
  /** An agent's own. */
  readonly modelOf: (agent: string) => ModelChoice | undefined
  readonly link: ModelLink
  readonly workshop: Omit<Workshop, "contextFor" | "hooks" | "abort"> & {
    contextFor(call: ToolCallPart, abort: AbortSignal): ReturnType<Workshop["contextFor"]>
  }
  readonly desk: Asking
  /** Tells the engine what the world looks like, before each boundary. */
  readonly collect: () => Promise<void>
  /** Undoes what the agent wrote since the entry with this number. */
  readonly restoreFiles: (since: number) => Promise<Restored>
  readonly styles: readonly Style[]
  readonly meter: Meter
  readonly emit: (event: HarnessEvent) => void
}

/** A session that runs: asks the model, carries out its calls, and takes what arrives meanwhile. */
export class Conversation {
  readonly #parts: ConversationParts
  readonly #showing: Showing
  readonly #flight: Flight
  readonly #compaction: Compaction
  #chosen: ModelChoice
  #running: Promise<void> | undefined
  #work = new AbortController()
  /** A human said something that the sources have not been asked about since. */
  #unlooked = false
  /** The turn in which the model was asked to go on after it had said nothing. */
  #wentOn: number | undefined
  /** The turn whose end the hooks have seen. */
  #seenEnding: number | undefined

  constructor(parts: ConversationParts) {
    this.#parts = parts
    this.#chosen = parts.model
    this.#showing = new Showing(parts.session, parts.emit)
    this.#flight = new Flight(parts.session, parts.link)
    this.#compaction = new Compaction(parts, (event) => this.#showing.tell(event))
    parts.journal.onDurable((entry) => this.#showing.show(entry))
  }

  get session(): Session {
    return this.#parts.session
  }

  say(content: string | readonly ContentPart[], options: SayOptions = {}): Receipt {
    if (options.delivery === "now") this.#flight.keepWords()
    const { id } = options
    const isResent = id !== undefined && this.session.receipt(id) !== undefined
    const receipt = this.#do((session) => session.say(content, options))
    // There is no second entry to show, and whoever sends it again wants to hear that it was accepted.
    if (isResent) this.#showing.tell({ type: "queued", id })
    this.#tellSources(receipt.id)
    this.#flight.dropIfStale()
    void this.wake()
    return receipt
  }

  edit(id: string, patch: { readonly content?: string; readonly delivery?: Delivery }): boolean {
    if (patch.delivery === "now") this.#flight.keepWords()
    const changed = this.#do((session) => session.edit(id, patch))
    this.#tellSources(id)
    this.#flight.dropIfStale()
    void this.wake()
    return changed
  }

  /** A human's words may mention what has to be read before they are delivered. */
  #tellSources(id: string): void {
    const message = this.session.queue().find((queued) => queued.id === id)
    if (message?.origin.kind !== "human") return
    this.#unlooked = true
    for (const source of this.#parts.sources) source.said?.({ id, content: message.content })
  }

  cancel(id: string): boolean {
    return this.#do((session) => session.cancel(id))
  }

  /** To the agent's own model too, if it has one; else back to the one that was chosen. */
  switchAgent(name: string): void {
    checkSelectable(this.#parts.agents, name)
    this.#do((session) =>
      session.together(() => {
        session.switchAgent(name)
        session.switchModel(this.#parts.modelOf(name) ?? this.#chosen)
      }),
    )
  }

  switchModel(model: ModelChoice): void {
    this.#do((session) => session.switchModel(model))
    this.#chosen = model
  }

  /** At the next boundary, before anything that is said from now on. `focus` is what the summary should keep. */
  compact(focus?: string): void {
    this.#compaction.ask(focus)
    void this.wake()
  }

  /** Whether what would be asked is allowed. */
  get auto(): boolean {
    return this.session.fact("auto") === true
  }

  /** What is denied stays denied. The model is told. */
  setAuto(on: boolean): void {
    this.#do((session) => session.observe("auto", on))
  }

  /** Has the model told something at the next boundary, in these words, whatever the budget (`critical_system_reminder`). */
  remind(text: string): void {
    this.#do((session) => session.note({ type: "critical", text }))
  }

  /** How the agent writes from now on. Throws for a name that there is no style of. */
  setStyle(name: string): void {
    const style = findStyle(this.#parts.styles, name)
    this.#do((session) =>
      session.observe("output_style", style.text === undefined ? removed() : { ...style }),
    )
  }

  /** Switches a kind of reminder off, or on again, for this session. */
  setReminder(kind: string, on: boolean): void {
    this.#do((session) => session.setReminder(kind, on))
  }

  /** Back to before the turn that this prompt opened; with `files`, what the agent wrote since is undone too. */
  async rewind(to: string, options: { readonly files?: boolean } = {}): Promise<Restored> {
    if (this.session.isInTurn) this.abort("the user went back")
    await this.#running
    this.#do((session) => session.rewind(to, { facts: ["file"] }))
    const back = this.session.log.at(-1)
    if (back?.type === "rewound") this.#planAgain(back.step)
    if (!options.files || back?.type !== "rewound") return { restored: [], conflicts: [] }
    return this.#parts.restoreFiles(back.step)
  }

  /** Going back to before a plan was approved takes the approval back: the agent plans again. */
  #planAgain(step: number): void {
    const { agents } = this.#parts
    const opened = this.session.log.find(({ seq }) => seq === step)
    const planner = agents.find(({ name }) => opened?.type === "step" && name === opened.agent)
    const now = agents.find(({ name }) => name === this.session.agent)
    if (planner && isPlanner(planner) && !(now && isPlanner(now))) this.switchAgent(planner.name)
  }

  answer(id: string, answer: string): boolean {
    return this.#parts.desk.answer(id, answer)
  }

  /** Ends the turn where it is; what was said and not delivered waits for the next prompt. */
  abort(reason?: string): void {
    this.#flight.keepWords()
    try {
      this.#do((session) => session.abort(reason))
    } catch (error) {
      // The work stops all the same. The turn stays open in the store, and goes on when the session is opened again.
      this.#showing.tell({ type: "error", message: reasonOf(error) })
      this.#flight.drop()
    }
    this.#work.abort()
    this.#work = new AbortController()
    this.#flight.dropIfStale()
  }

  /** Works until there is nothing left to do. Calling it while it works waits for the same end. */
  wake(): Promise<void> {
    this.#running ??= this.#run()
    return this.#running
  }

  async #run(): Promise<void> {
    try {
      for (;;) {
        if (this.#compaction.isDue) await this.#compact()
        const reached = this.#limitReached()
        if (reached !== undefined) {
          await this.#stopAt(reached)
          continue
        }
        if (!this.#onlyLooks()) await this.#prepare()
        this.#showing.flush()
        const next = this.#enter((session) => session.next())
        if (next.is === "request") {
          if (await this.#ask(next.request)) continue
          break
        }
        if (!this.#mayBeRepeated(next)) await this.#parts.journal.durable()
        if (next.is === "idle") {
          if (this.#compaction.isAsked || (await this.#wasAskedToEnd())) continue
          // Somebody may have said something while the hooks were asked.
          if (this.session.phase !== "idle") continue
          break
        }
        // Somebody may have aborted while it was made durable.
        if (this.session.phase === "awaiting-results") await this.#carryOut(next.calls)
      }
      this.#showing.endTurn(this.session.phase === "idle" ? undefined : "error")
    } catch (error) {
      this.#fail(error)
    } finally {
      // In the same breath as the last look at the session: what is said after that starts anew, and does not wait on
      // an end that has come already.
      this.#running = undefined
    }
  }

  /** Without room, a turn that goes on would only be refused again. */
  async #compact(): Promise<void> {
    const { fullness } = this.#parts
    await this.#compaction.run(this.#work.signal)
    if (!fullness.isOverflowed || !this.session.isInTurn) return
    await this.#parts.journal.durable()
    this.#showing.endTurn("overflow")
    this.#do((session) => session.abort(OVERFLOWED))
  }

  /** A fault of ours, or of the disk. What is stored is whole, and whoever watches has to hear of it. */
  #fail(error: unknown): void {
    this.#showing.tell({ type: "error", message: reasonOf(error) })
    this.#showing.endTurn("error")
  }

  /** Whether nobody need look around before the calls that come next are made. */
  #onlyLooks(): boolean {
    return (
      this.session.phase === "awaiting-results" && onlyLooks(this.session.next(), this.#parts.workshop.tools)
    )
  }

  /** Whether it goes to disk with what it finds; if it takes its time, before it is through. */
  #mayBeRepeated(next: Next): boolean {
    const { hooks, workshop } = this.#parts
    return !hooks.hearOfCalls && mayBeRepeated(next, workshop.tools)
  }

  /**
   * Has hooks and sources look at what the next boundary delivers. Hooks come first: what they let through and say is
   * part of what is collected. A message that arrives meanwhile is looked at too, before it can be delivered.
   */
  async #prepare(): Promise<void> {
    const { hooks, collect } = this.#parts
    do {
      await hooks.prepare(this.#work.signal)
      this.#unlooked = false
      await collect()
    } while (!hooks.isPrepared() || this.#unlooked)
  }

  /** Has the hooks look at the end of a turn, once. Whether they did: then it is not known to be the end any more. */
  async #wasAskedToEnd(): Promise<boolean> {
    const { turn } = this.#showing
    if (turn === undefined || turn.number === this.#seenEnding || this.session.phase !== "idle") return false
    this.#seenEnding = turn.number
    const words = await this.#parts.hooks.ending(endOf(turn.stop, turn.last), this.#work.signal)
    if (words !== undefined) this.#do((session) => session.say(words, { hidden: true }))
    return words !== undefined || this.session.queue().length > 0
  }

  /** Whether the turn may go on. */
  async #ask(request: Request): Promise<boolean> {
    const { meter, fullness, journal } = this.#parts
    const onDisk = journal.durable()
    // Heard of by whoever waits for it.
    onDisk.catch(() => {})
    const tell = (event: HarnessEvent) => this.#showing.tell(event)
    if (request.step === 1) meter.turnBegins()
    try {
      const reply = await this.#flight.call(request, onDisk, tell)
      meter.replied(request.pins.model, reply.usage)
      fullness.replied(reply)
      if (!this.#flight.isAwaited(request)) return true
      this.#enter((session) => session.reply(request.id, reply))
      if (reply.stop === "overflow") return this.#overflowed("The model's context is full.")
      const logged = this.session.log.at(-1)
      const remark = logged?.type === "replied" && remarkOn(logged.reply, this.session.isInTurn)
      if (remark) this.#showing.tellAfterReply({ type: "error", message: remark })
      this.#goOnAfterNothing(reply, request)
      return true
    } catch (error) {
      // If the disk failed, that is what is wrong.
      await onDisk
      // Somebody aborted, or said something that could not wait: the session has moved on already.
      if (!this.#flight.isAwaited(request)) return true
      if (error instanceof ModelFailure && error.refusedCarrier !== undefined) {
        const carrier = error.refusedCarrier
        const before = this.session.log.length
        this.#do((session) => session.refuseCarrier(carrier))
        if (this.session.log.length > before) return true
      }
      if (error instanceof ModelFailure && error.overflow) {
        this.#enter((session) =>
          session.reply(request.id, { parts: [], stop: "overflow", why: error.message }),
        )
        return this.#overflowed(error.message)
      }
      tell({ type: "error", message: reasonOf(error) })
      this.#showing.endTurn("error")
      this.#do((session) => session.abort(FAILED))
      return false
    }
  }

  /**
   * The conversation is longer than the model takes. If the turn goes on, it is compacted before the next request; a
   * second time the session has ended the turn. Returns true if the turn may go on.
   */
  #overflowed(why: string): boolean {
    const { fullness } = this.#parts
    fullness.overflowed()
    if (this.session.isInTurn && fullness.isAutomatic) return true
    const remedy = fullness.isAutomatic
      ? "Go back to before the message that was too long, start a new session, or choose a model with a larger window."
      : 'Compact it (/compact, or a line {"type":"compact"}), or allow that with compaction.auto.'
    this.#showing.tellAfterReply({ type: "error", message: `${why} ${remedy}` })
    if (!this.session.isInTurn) return true
    this.#showing.endTurn("overflow")
    this.#do((session) => session.abort(OVERFLOWED))
    return false
  }

  /** Models have learned to end a turn with nothing after tool results: once, they are asked to go on. */
  #goOnAfterNothing(reply: Reply, request: Request): void {
    if (
      !isEmpty(reply) ||
      this.#wentOn === request.turn ||
      request.step === 1 ||
      this.session.phase !== "idle"
    )
      return
    this.#wentOn = request.turn
    this.#do((session) => session.say("Please go on.", { hidden: true }))
  }

  async #carryOut(calls: readonly ToolCallPart[]): Promise<void> {
    const { workshop, hooks, journal } = this.#parts
    const { signal } = this.#work
    for (const { id, name, input } of calls)
      this.#showing.tellAfterReply({ type: "tool-call", id, name, input })
    const contextFor = (call: ToolCallPart) => workshop.contextFor(call, signal)
    const desk: Workshop["desk"] = {
      ask: async (question, abort) => {
        // Nobody is asked about what might not be asked again.
        await journal.durable()
        this.#showing.flush()
        return workshop.desk.ask(question, abort)
      },
    }
    const own: Workshop = { ...workshop, desk, hooks, abort: signal, contextFor }
    await runCalls(calls, own, (call, output) => {
      for (const source of this.#parts.sources) source.called?.(call, output)
      try {
        this.#enter((session) => session.result(call.id, output.content, { error: output.error ?? false }))
      } catch (error) {
        // After an abort the call has been answered already, and its late result is nobody's.
        if (!(error instanceof SottoError && error.code === "unknown-call")) throw error
      }
    })
  }

  /** Which of the user's limits keeps the turn from going on, in words. */
  #limitReached(): string | undefined {
    if (!this.session.isInTurn || this.session.phase !== "ready") return undefined
    return this.#parts.meter.reached()
  }

  /** What the turn was doing is closed, and the next prompt goes on. */
  async #stopAt(limit: string): Promise<void> {
    await this.#parts.journal.durable()
    this.#showing.tell({ type: "error", message: limit })
    this.#showing.endTurn("limit")
    this.#do((session) => session.abort(LIMITED))
  }

  /**
   * Carries out a command of the user. It is on disk before it takes effect, and is shown before the loop continues. If
   * the store cannot keep it, this throws, and the command did not happen: whoever sent it may send it again.
   */
  #do<T>(command: (session: Session) => T): T {
    const result = this.#parts.journal.command(() => command(this.session))
    this.#showing.flush()
    return result
  }

  /** What the work itself brings is on disk and shown before anything is done about it: the loop waits for that. */
  #enter<T>(command: (session: Session) => T): T {
    const { journal } = this.#parts
    const result = command(this.session)
    if (this.#running !== undefined) journal.soon()
    else journal.durable().catch((error: unknown) => this.#fail(error))
    return result
  }
}
