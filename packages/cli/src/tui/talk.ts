import type { ContentPart, Delivery } from "@sotto/core"
import {
  type Conversation,
  type Desk,
  type HarnessEvent,
  type OpenConversation,
  openConversation,
  type Price,
  priceIn,
  type TaskControl,
  type Workplace,
} from "@sotto/harness"
import { type DeskListener, ToldDesk } from "../asking/told-desk.js"
import { wordsOf } from "./state/restore.js"
import type { Waiting } from "./state/screen.js"

/** What somebody who shows a conversation wants to hear of. */
export interface Listener extends DeskListener {
  event(event: HarnessEvent): void
  /** So many tasks run in the background now. */
  background(running: number): void
}

export interface TalkOptions {
  readonly agent?: string
  readonly model?: string
  readonly session?: string
}

/** A conversation as the terminal has it: one at a time, with what the person may do to it. */
export class Talk {
  readonly #open: OpenConversation
  readonly #desk: Desk
  readonly #workplace: Workplace

  private constructor(open: OpenConversation, desk: Desk, workplace: Workplace) {
    this.#open = open
    this.#desk = desk
    this.#workplace = workplace
  }

  static async open(workplace: Workplace, options: TalkOptions, listener: Listener): Promise<Talk> {
    const desk = new ToldDesk(listener)
    const emit = (event: HarnessEvent) => listener.event(event)
    const open = await openConversation({ workplace, desk, emit, yes: () => false, titles: true, ...options })
    open.tasks.onChange(() =>
      listener.background(open.tasks.list().filter(({ state }) => state === "running").length),
    )
    return new Talk(open, desk, workplace)
  }

  get conversation(): Conversation {
    return this.#open.conversation
  }

  get session(): Conversation["session"] {
    return this.#open.conversation.session
  }

  get tasks(): TaskControl {
    return this.#open.tasks
  }

  /** What the person has said and the model has not been given, oldest first. */
  waiting(): readonly Waiting[] {
    return this.session
      .queue()
      .filter(({ origin, hidden }) => origin.kind === "human" && !hidden)
      .map(({ id, content, delivery, held }) => ({ id, text: wordsOf(content), delivery, held }))
  }

  /** What opened a turn, newest first: where one can go back to. */
  prompts(): readonly { readonly id: string; readonly text: string }[] {
    const opening = this.session.log.flatMap((entry) =>
      entry.type === "step" && entry.step === 1 ? entry.delivered.map(({ id }) => id) : [],
    )
    return this.session
      .view()
      .filter(({ role, id }) => role === "user" && opening.includes(id))
      .map(({ id, parts }) => ({ id, text: wordsOf(parts) }))
      .toReversed()
  }

  say(content: string | readonly ContentPart[], delivery: Delivery): void {
    this.conversation.say(content, { delivery })
  }

  answer(id: string, answer: string): void {
    this.#desk.answer(id, answer)
  }

  /** The model that is asked, what it costs, and how much it can take. */
  model(): { readonly model: string; readonly price?: Price; readonly window: number } {
    const { model } = this.session
    const price = priceIn(this.#workplace.config, model)
    return { model, window: this.session.context.window, ...(price && { price }) }
  }

  async close(): Promise<void> {
    this.#desk.close()
    if (this.session.phase !== "idle") {
      this.conversation.abort("left")
      // A command that was stopped may still have to find that out.
      await this.conversation.wake()
    }
    await this.#open.close()
  }
}
