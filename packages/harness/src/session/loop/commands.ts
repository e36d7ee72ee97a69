import {
  type Agent,
  type ContentPart,
  type Delivery,
  type ModelChoice,
  type Receipt,
  removed,
  type SayOptions,
  type Session,
  type ThinkLevel,
} from "@sotto/core"
import { type Awaitable, whenThere } from "../../platform/awaitable.js"
import { reasonOf } from "../../platform/text/errors.js"
import { checkSelectable } from "../../settings/agents/selection.js"
import { findStyle, type Style } from "../../settings/agents/styles.js"
import type { InvokedSkill } from "../../sources/skills/skills.js"
import type { Said } from "../../sources/source.js"
import type { HarnessEvent } from "../../tools/events/events.js"
import type { Durability } from "./durability.js"
import type { EventFeed } from "./event-feed.js"
import type { Flight } from "./flight.js"
import type { WorkMark } from "./work-mark.js"

export interface CommandParts {
  readonly session: Session
  readonly durability: Durability
  readonly showing: EventFeed
  readonly flight: Flight
  /** For agents that have none of their own. */
  readonly model: ModelChoice
  readonly agents: readonly Agent[]
  /** An agent's own. */
  readonly modelOf: (agent: string) => ModelChoice | undefined
  readonly styles: readonly Style[]
  /** Where another worker is to go on if this one vanishes. */
  readonly workMark?: WorkMark | undefined
}

/** What can be changed of a message that waits. */
export interface Patch {
  readonly content?: string | readonly ContentPart[]
  readonly delivery?: Delivery
}

/** Acts on what was commanded: the loop. */
export interface CommandListener {
  /** Hears that a human said something, or changed it before it was delivered. */
  said(message: Said): void
  wake(): void
}

/**
 * What people, parents, teams and hooks can do to a session at any time, whether or not it is at work. Every command is
 * on disk before its sender hears that it was taken.
 */
export class Commands {
  readonly #parts: CommandParts
  readonly #listeners = new Set<CommandListener>()
  #chosen: ModelChoice
  /** The thinking levels that the user has chosen by hand, by the names of the models. */
  readonly #levels = new Map<string, ThinkLevel>()
  #work = new AbortController()

  constructor(parts: CommandParts) {
    this.#parts = parts
    this.#chosen = parts.model
    for (const entry of parts.session.log) if (entry.type === "model") this.#remember(entry.model)
  }

  /** Aborted when the work that goes on now has to stop. */
  get signal(): AbortSignal {
    return this.#work.signal
  }

  listen(listener: CommandListener): void {
    this.#listeners.add(listener)
  }

  say(content: string | readonly ContentPart[], options: SayOptions = {}): Receipt {
    const { session, flight } = this.#parts
    if (options.delivery === "now") flight.keepWords()
    const { id } = options
    const isResent = id !== undefined && session.receipt(id) !== undefined
    const receipt = this.run(() => session.say(content, options))
    // A message that is sent again has no second entry to show, and its sender wants to hear that it was accepted.
    if (isResent) this.#tellWhenKept({ type: "queued", id })
    this.#queued(receipt.id)
    return receipt
  }

  edit(id: string, patch: Patch): boolean {
    const { session, flight } = this.#parts
    if (patch.delivery === "now") flight.keepWords()
    const changed = this.run(() => session.edit(id, patch))
    this.#queued(id)
    return changed
  }

  cancel(id: string): boolean {
    return this.run(() => this.#parts.session.cancel(id))
  }

  /** Switches to the agent, and to its own model if it has one; else back to the model that was chosen. */
  switchAgent(name: string): void {
    const { session, agents, modelOf } = this.#parts
    checkSelectable(agents, name)
    this.run(() =>
      session.together(() => {
        session.switchAgent(name)
        session.switchModel(this.#withLevel(modelOf(name) ?? this.#chosen))
      }),
    )
  }

  switchModel(model: ModelChoice): void {
    this.run(() => this.#parts.session.switchModel(this.#withLevel(model)))
    this.#chosen = model
  }

  /**
   * Sets how much the model that is used now thinks, whatever agents say; undefined leaves it to the settings again.
   */
  setThinking(level: ThinkLevel | undefined): void {
    const { session, modelOf } = this.#parts
    const model = modelOf(session.agent) ?? this.#chosen
    const { override: _, ...plain } = model
    const next: ModelChoice = level === undefined ? plain : { ...plain, override: { think: level } }
    this.run(() => session.switchModel(next))
    this.#remember(next)
  }

  #remember({ id, override }: ModelChoice): void {
    if (override?.think === undefined) this.#levels.delete(id)
    else this.#levels.set(id, override.think)
  }

  #withLevel(model: ModelChoice): ModelChoice {
    const think = this.#levels.get(model.id)
    return think === undefined ? model : { ...model, override: { think } }
  }

  /** Whether what would be asked is allowed. */
  get auto(): boolean {
    return this.#parts.session.fact("auto") === true
  }

  /** Switches acting without asking on or off. What is denied stays denied. The model is told. */
  setAuto(on: boolean): void {
    this.run(() => this.#parts.session.observe("auto", on))
  }

  /** Has the model told something at the next boundary, in these words, whatever the budget (`critical_system_reminder`). */
  remind(text: string): void {
    this.run(() => this.#parts.session.note({ type: "critical", text }))
  }

  /** Tells of a command that the user ran themselves: the model sees it with the next message. */
  tellOfCommand(ran: { readonly command: string; readonly output: string; readonly failed: boolean }): void {
    this.run(() => this.#parts.session.note({ type: "command.typed", ...ran }))
  }

  /**
   * Records that the user invoked a skill whose instructions are in their message. The model is told of it again after
   * a compaction.
   */
  invoked(skill: InvokedSkill): void {
    this.run(() => this.#parts.session.observe(`invoked:${skill.name}`, skill))
  }

  /** Sets how the agent writes from now on. Throws for a name that no style has. */
  setStyle(name: string): void {
    const { session, styles } = this.#parts
    const style = findStyle(styles, name)
    this.run(() => session.observe("output_style", style.text === undefined ? removed() : { ...style }))
  }

  /** Switches a kind of reminder off, or on again, for this session. */
  setReminder(kind: string, on: boolean): void {
    this.run(() => this.#parts.session.setReminder(kind, on))
  }

  /** Ends the turn where it is; what was said and not delivered waits for the next prompt. */
  abort(reason?: string): void {
    const { session, flight, showing } = this.#parts
    flight.keepWords()
    try {
      this.run(() => session.abort(reason))
    } catch (error) {
      // The work stops all the same. The turn stays open in the store, and goes on when the session is opened again.
      showing.tell({ type: "error", message: reasonOf(error) })
      flight.drop()
    }
    this.#work.abort()
    this.#work = new AbortController()
    flight.dropIfStale()
  }

  /** Ends the work that goes on now, and enters nothing: the session is another worker's, or may be. */
  halt(): void {
    this.#parts.flight.drop()
    this.#work.abort()
  }

  /** Has the loop look whether there is something to do. */
  wake(): void {
    for (const listener of this.#listeners) listener.wake()
  }

  /** Resolves when the commands so far are on disk; undefined if they are already. See `Durability.kept`. */
  kept(): Awaitable<void> {
    return this.#parts.durability.kept()
  }

  /** Tells an event once the commands so far are on disk. If they do not get there, the session is lost, which is told. */
  #tellWhenKept(event: HarnessEvent): void {
    const told = whenThere(this.kept(), () => this.#parts.showing.tell(event))
    told?.catch(() => {})
  }

  /** Carries out any other command, and shows its entries: see `Durability.command`. */
  run<T>(command: () => T): T {
    const { workMark, durability, showing } = this.#parts
    workMark?.begin()
    const result = durability.command(command)
    showing.flush()
    return result
  }

  /** Tells the listeners of a human's words: they may mention what has to be read before they are delivered. */
  #queued(id: string): void {
    const { session, flight } = this.#parts
    const message = session.queue().find((queued) => queued.id === id)
    if (message?.origin.kind === "human")
      for (const listener of this.#listeners) listener.said({ id, content: message.content })
    flight.dropIfStale()
    this.wake()
  }
}
