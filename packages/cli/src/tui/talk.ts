import type { ContentPart, Delivery } from "@sotto/core"
import {
  type Conversation,
  Desk,
  type HarnessEvent,
  type OpenConversation,
  openConversation,
  type Question,
  type Workplace,
} from "@sotto/harness"
import { wordsOf } from "./state/restore.js"
import type { Price, Waiting } from "./state/screen.js"

/** What somebody who shows a conversation wants to hear of. */
export interface Listener {
  event(event: HarnessEvent): void
  asked(question: Question): void
  /** Nobody waits for the answer any more. */
  settled(questionId: string): void
}

export interface TalkOptions {
  readonly agent?: string
  readonly model?: string
  readonly session?: string
}

/** Questions, and when each is over, however that came about. */
class ToldDesk extends Desk {
  readonly #listener: Listener
  readonly #newest: { id: string }

  constructor(listener: Listener) {
    const newest = { id: "" }
    super(
      (question) => {
        newest.id = question.id
        listener.asked(question)
      },
      () => true,
    )
    this.#listener = listener
    this.#newest = newest
  }

  override async ask(...asked: Parameters<Desk["ask"]>): Promise<string | undefined> {
    const answer = super.ask(...asked)
    const { id } = this.#newest
    try {
      return await answer
    } finally {
      this.#listener.settled(id)
    }
  }
}

/** A conversation as the terminal has it: one at a time, with what the person may do to it. */
export class Talk {
  readonly #open: OpenConversation
  readonly #desk: Desk
  readonly #workplace: Workplace
  readonly #auto: { on: boolean }
  readonly #switched = new Map<string, boolean>()

  private constructor(open: OpenConversation, desk: Desk, workplace: Workplace, auto: { on: boolean }) {
    this.#open = open
    this.#desk = desk
    this.#workplace = workplace
    this.#auto = auto
  }

  static async open(workplace: Workplace, options: TalkOptions, listener: Listener): Promise<Talk> {
    const desk = new ToldDesk(listener)
    const auto = { on: false }
    const emit = (event: HarnessEvent) => listener.event(event)
    const open = await openConversation({ workplace, desk, emit, yes: () => auto.on, ...options })
    return new Talk(open, desk, workplace, auto)
  }

  get conversation(): Conversation {
    return this.#open.conversation
  }

  get session(): Conversation["session"] {
    return this.#open.conversation.session
  }

  get isWorking(): boolean {
    return this.session.phase !== "idle"
  }

  /** What the person has said and the model has not been given, oldest first. */
  waiting(): readonly Waiting[] {
    return this.session
      .queue()
      .filter(({ origin, hidden }) => origin.kind === "human" && !hidden)
      .map(({ id, content, delivery, held }) => ({ id, text: wordsOf(content), delivery, held }))
  }

  say(content: string | readonly ContentPart[], delivery: Delivery): void {
    this.conversation.say(content, { delivery })
  }

  answer(id: string, answer: string): void {
    this.#desk.answer(id, answer)
  }

  /** The model that is asked, what it costs, and how much it can take. */
  model(): { readonly model: string; readonly price?: Price; readonly window?: number } {
    const chosen = this.session.log.findLast((entry) => entry.type === "model" || entry.type === "opened")
    const model = chosen?.type === "model" || chosen?.type === "opened" ? chosen.model.id : ""
    const epoch = this.session.log.findLast((entry) => entry.type === "step" && entry.epoch !== undefined)
    const pins = epoch?.type === "step" ? epoch.epoch?.pins : undefined
    const settings = this.#workplace.config.models[model]
    const window = pins?.model === model ? pins.capabilities.contextWindow : settings?.contextWindow
    const price = settings?.price
    return { model, ...(price && { price }), ...(window !== undefined && { window }) }
  }

  get auto(): boolean {
    return this.#auto.on
  }

  setAuto(on: boolean): void {
    this.#auto.on = on
    this.session.observe("auto", on)
  }

  setStyle(name: string): void {
    this.session.observe("output_style", name)
  }

  /** Kinds that were switched on or off in this session. */
  get switched(): ReadonlyMap<string, boolean> {
    return this.#switched
  }

  /** Whether that is possible. */
  setReminder(kind: string, on: boolean): boolean {
    const able = this.session as { setReminder?(kind: string, on: boolean): void }
    if (able.setReminder === undefined) return false
    able.setReminder(kind, on)
    this.#switched.set(kind, on)
    return true
  }

  async close(): Promise<void> {
    this.#desk.close()
    if (this.isWorking) this.conversation.abort("left")
    await this.#open.close()
  }
}
