/** Something only a person can decide. Never answered by a message that was queued before it was asked. */
export type Question =
  | {
      readonly id: string
      readonly kind: "permission"
      /** The pattern that would allow exactly this for good. Absent where there is none. */
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
  /** The answer, or undefined if nobody can give one. */
  ask(question: Asked, abort: AbortSignal): Promise<string | undefined>
  /** Whether there was such a question. */
  answer(id: string, answer: string): boolean
}

/** The same for a subagent: what it asks bears its name. */
export function askedBy(agent: string, questions: Questions): Questions {
  return {
    ask: (question, abort) => questions.ask({ agent, ...question }, abort),
    answer: (id, answer) => questions.answer(id, answer),
  }
}

/** Questions that wait for an answer, by id. */
export class OpenQuestions implements Questions {
  readonly #open = new Map<string, (answer: string | undefined) => void>()
  readonly #show: (question: Question) => void
  readonly #canAnswer: () => boolean
  #count = 0

  /** `canAnswer` says whether anybody is there: where nobody is, every question is answered with nothing at once. */
  constructor(show: (question: Question) => void, canAnswer: () => boolean) {
    this.#show = show
    this.#canAnswer = canAnswer
  }

  ask(question: Asked, abort: AbortSignal): Promise<string | undefined> {
    const id = `ask-${++this.#count}`
    const whole = { ...question, id } as Question
    this.#show(whole)
    if (!this.#canAnswer() || abort.aborted) return Promise.resolve(undefined)
    return new Promise((resolve) => {
      const settle = (answer: string | undefined) => {
        this.#open.delete(id)
        abort.removeEventListener("abort", giveUp)
        resolve(answer)
      }
      const giveUp = () => settle(undefined)
      abort.addEventListener("abort", giveUp)
      this.#open.set(id, settle)
    })
  }

  answer(id: string, answer: string): boolean {
    const settle = this.#open.get(id)
    settle?.(answer)
    return settle !== undefined
  }

  /** Nobody will answer any more. */
  close(): void {
    for (const settle of [...this.#open.values()]) settle(undefined)
  }
}
