import type { ContentPart, Delivery, Origin, Receipt } from "../vocabulary/message.js"

/** A message that has been accepted and not yet delivered. */
export interface Queued {
  /** What `edit`, `cancel` and `receipt` know it by. */
  readonly id: string
  /** Its place in the order of admission; kept when the message is edited or gets another delivery. */
  readonly seq: number
  /** What it says. */
  readonly content: readonly ContentPart[]
  /** Who sent it. */
  readonly origin: Origin
  /** When it is to reach the model. */
  readonly delivery: Delivery
  /** Not shown to the user, although a human's. */
  readonly hidden: boolean
  /** Layer 3 of the system prompt, from the turn that this message opens. */
  readonly system?: string
  /** Undelivered when the turn was aborted: waits for the next prompt. */
  readonly held: boolean
}

/** What arrived while the agent worked, in the order of admission, and the receipt of everything that ever did. */
export class Inbox {
  readonly #queue = new Map<string, Queued>()
  readonly #receipts = new Map<string, Receipt>()
  readonly channelsWake: boolean

  constructor(channelsWake: boolean) {
    this.channelsWake = channelsWake
  }

  admit(message: Queued): void {
    this.#queue.set(message.id, message)
    this.#receipts.set(message.id, { id: message.id, seq: message.seq, state: "queued" })
    if (this.#opens(message)) this.#release()
  }

  edit(id: string, content: readonly ContentPart[] | undefined, delivery: Delivery | undefined): void {
    const message = this.#queue.get(id)
    if (message === undefined) return
    this.#queue.set(id, {
      ...message,
      content: content ?? message.content,
      delivery: delivery ?? message.delivery,
    })
  }

  cancel(id: string): void {
    const message = this.#queue.get(id)
    if (message === undefined) return
    this.#queue.delete(id)
    this.#receipts.set(id, { id, seq: message.seq, state: "cancelled" })
  }

  deliver(id: string, step: number): Queued | undefined {
    const message = this.#queue.get(id)
    if (message === undefined) return undefined
    this.#queue.delete(id)
    this.#receipts.set(id, { id, seq: message.seq, state: "delivered", step })
    return message
  }

  /** Holds what waits: after an abort nothing may start the agent again by itself. */
  hold(): void {
    for (const [id, message] of this.#queue) this.#queue.set(id, { ...message, held: true })
  }

  get(id: string): Queued | undefined {
    return this.#queue.get(id)
  }

  receipt(id: string): Receipt | undefined {
    return this.#receipts.get(id)
  }

  list(): readonly Queued[] {
    return [...this.#queue.values()]
  }

  /** Whether a running turn has a reason to take one more step. */
  get steers(): boolean {
    for (const message of this.#queue.values()) if (!message.held && isSteer(message)) return true
    return false
  }

  /** Lists what joins the next step of a turn that goes on. */
  forStep(): readonly Queued[] {
    if (this.#queue.size === 0) return []
    return this.list().filter((message) => !message.held && message.delivery !== "after-turn")
  }

  /**
   * Lists what opens a turn when the agent is idle: all that steers, else the oldest follow-up, with those before it
   * that may not wake the agent by themselves. Empty if nothing wakes it.
   */
  forTurn(): readonly Queued[] {
    if (this.#queue.size === 0) return []
    const joining = this.forStep()
    if (joining.some((message) => this.#opens(message))) return joining
    const followUps = this.list().filter((message) => !message.held && message.delivery === "after-turn")
    const opening = followUps.findIndex((message) => this.#opens(message))
    if (opening < 0) return []
    return [...joining, ...followUps.slice(0, opening + 1)].sort((a, b) => a.seq - b.seq)
  }

  #opens(message: Queued): boolean {
    if (message.held || message.delivery === "passive") return false
    return message.origin.kind !== "channel" || this.channelsWake
  }

  #release(): void {
    for (const [id, message] of this.#queue)
      if (message.held) this.#queue.set(id, { ...message, held: false })
  }
}

function isSteer(message: Queued): boolean {
  return message.delivery === "next-step" || message.delivery === "now"
}
