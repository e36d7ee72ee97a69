import { randomUUID } from "node:crypto"

/** Something only a person can decide. Never answered by a message that was queued before it was asked. */
export type Question =
  | {
      readonly id: string
      readonly kind: "permission"
      /** The pattern that would allow exactly this for good. Absent where no pattern can say it. */
      readonly always?: string
      /** The subagent that asks, or the member of a team; absent where it is the agent that the user talks to. */
      readonly agent?: string
      /** The call that waits for it. */
      readonly call: string
      readonly tool: string
      readonly permission: string
      readonly target: string
      readonly detail?: string
      /** Everything the call would touch, each command of a command line by itself, and what of it needs the answer. */
      readonly accesses?: readonly {
        readonly permission: string
        readonly target: string
        readonly needs: boolean
      }[]
    }
  | {
      readonly id: string
      readonly kind: "question"
      readonly agent?: string
      readonly question: string
      readonly options?: readonly string[]
    }
  | {
      readonly id: string
      readonly kind: "plan"
      readonly agent?: string
      readonly path: string
      readonly plan: string
    }

export type Asked = Question extends infer Q ? (Q extends Question ? Omit<Q, "id"> : never) : never

/** Where questions are put to a person. */
export interface Questions {
  /** The answer, or undefined if no user can give one. */
  ask(question: Asked, abort: AbortSignal): Promise<string | undefined>
  /** Whether there was such a question. */
  answer(id: string, answer: string): boolean
  /** What waits for an answer now. */
  open(): readonly Question[]
  /** Calls the listener when that has changed. Returns what stops it. */
  onChange(listener: () => void): () => void
}

/** Adds a subagent's name to what it asks. */
export function askedBy(agent: string, questions: Questions): Questions {
  return {
    ask: (question, abort) => questions.ask({ agent, ...question }, abort),
    answer: (id, answer) => questions.answer(id, answer),
    open: () => questions.open(),
    onChange: (listener) => questions.onChange(listener),
  }
}

/** Questions that wait for an answer, by id. */
export class OpenQuestions implements Questions {
  readonly #open = new Map<
    string,
    { readonly question: Question; readonly settle: (answer: string | undefined) => void }
  >()
  readonly #listeners = new Set<() => void>()
  readonly #show: (question: Question) => void
  readonly #canAnswer: () => boolean
  readonly #ending = `-${randomUUID().slice(0, 8)}`
  #count = 0

  /** `canAnswer` says whether a user is there: if not, every question is answered with nothing at once. */
  constructor(show: (question: Question) => void, canAnswer: () => boolean) {
    this.#show = show
    this.#canAnswer = canAnswer
  }

  open(): readonly Question[] {
    return [...this.#open.values()].map(({ question }) => question)
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  ask(question: Asked, abort: AbortSignal): Promise<string | undefined> {
    const id = `ask-${++this.#count}${this.#ending}`
    const whole = { ...question, id } as Question
    this.#show(whole)
    if (!this.#canAnswer() || abort.aborted) return Promise.resolve(undefined)
    return new Promise((resolve) => {
      const settle = (answer: string | undefined) => {
        this.#open.delete(id)
        abort.removeEventListener("abort", giveUp)
        resolve(answer)
        this.#changed()
      }
      const giveUp = () => settle(undefined)
      abort.addEventListener("abort", giveUp)
      this.#open.set(id, { question: whole, settle })
      this.#changed()
    })
  }

  answer(id: string, answer: string): boolean {
    const asked = this.#open.get(id)
    asked?.settle(answer)
    return asked !== undefined
  }

  close(): void {
    for (const { settle } of [...this.#open.values()]) settle(undefined)
  }

  #changed(): void {
    for (const listener of [...this.#listeners]) listener()
  }
}
