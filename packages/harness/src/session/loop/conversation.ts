import type { ContentPart, ModelChoice, Receipt, SayOptions, Session, ThinkLevel } from "@sotto/core"
import type { Awaitable } from "../../platform/awaitable.js"
import type { OwnPrompt } from "../../sources/own-commands/own-commands.js"
import type { RestoreReport } from "../../tools/events/events.js"
import type { Questions } from "../../tools/events/questions.js"
import type { Commands, Patch } from "./commands.js"
import type { Loop, RewindOptions } from "./loop.js"

/** A session that runs, for those who show it and command it. */
export class Conversation {
  readonly session: Session
  readonly #commands: Commands
  readonly #loop: Loop
  readonly #questions: Pick<Questions, "answer">

  constructor(session: Session, commands: Commands, loop: Loop, questions: Pick<Questions, "answer">) {
    this.session = session
    this.#commands = commands
    this.#loop = loop
    this.#questions = questions
  }

  say(content: string | readonly ContentPart[], options?: SayOptions): Receipt {
    return this.#commands.say(content, options)
  }

  edit(id: string, patch: Patch): boolean {
    return this.#commands.edit(id, patch)
  }

  cancel(id: string): boolean {
    return this.#commands.cancel(id)
  }

  /** Switches to the agent, and to its own model if it has one; else back to the model that was chosen. */
  switchAgent(name: string): void {
    this.#commands.switchAgent(name)
  }

  switchModel(model: ModelChoice): void {
    this.#commands.switchModel(model)
  }

  /**
   * Sets how much the model that is used now thinks, whatever agents say; undefined leaves it to the settings again.
   */
  setThinking(level: ThinkLevel | undefined): void {
    this.#commands.setThinking(level)
  }

  /**
   * Compacts at the next boundary, before anything that is said from now on. `focus` is what the summary should keep.
   */
  compact(focus?: string): void {
    this.#loop.compact(focus)
  }

  /** True if what would be asked is allowed. */
  get auto(): boolean {
    return this.#commands.auto
  }

  /** Switches acting without asking on or off. What is denied stays denied. The model is told. */
  setAuto(on: boolean): void {
    this.#commands.setAuto(on)
  }

  /** Has the model told something at the next boundary, in these words, whatever the budget. */
  remind(text: string): void {
    this.#commands.remind(text)
  }

  /** Says what a command of the user's own or a skill stands for. The view keeps what was typed. */
  sayOwn({ content, skill }: OwnPrompt, options?: SayOptions): Receipt {
    if (skill) this.#commands.invoked(skill)
    return this.#commands.say(content, options)
  }

  /** Tells of a command that the user ran themselves: the model sees it with the next message, as data. */
  tellOfCommand(ran: { readonly command: string; readonly output: string; readonly failed: boolean }): void {
    this.#commands.tellOfCommand(ran)
  }

  /** Sets how the agent writes from now on. Throws for a name that no style has. */
  setStyle(name: string): void {
    this.#commands.setStyle(name)
  }

  /** Switches a kind of reminder off, or on again, for this session. */
  setReminder(kind: string, on: boolean): void {
    this.#commands.setReminder(kind, on)
  }

  /** Goes back to before the turn that this prompt opened; with `files`, undoes what was done to files since, too. */
  rewind(to: string, options?: RewindOptions): Promise<RestoreReport> {
    return this.#loop.rewind(to, options)
  }

  /** Goes back to before the newest turn, with its files unless they are to stay. */
  undo(options?: RewindOptions): Promise<RestoreReport> {
    return this.#loop.undo(options)
  }

  /** Takes the newest rewind back, before anything new is said. */
  redo(options?: RewindOptions): Promise<RestoreReport> {
    return this.#loop.redo(options)
  }

  /** Answers a question. False if the question does not exist any more. */
  answer(id: string, answer: string): boolean {
    return this.#questions.answer(id, answer)
  }

  /** Ends the turn where it is; what was said and not delivered waits for the next prompt. */
  abort(reason?: string): void {
    this.#commands.abort(reason)
  }

  /** Resolves when the commands so far are on disk, so that their sender may hear of it; undefined if they are already. */
  kept(): Awaitable<void> {
    return this.#commands.kept()
  }

  /** Works until there is nothing left to do. Calling it while it works waits for the same end. */
  wake(): Promise<void> {
    return this.#loop.wake()
  }
}
