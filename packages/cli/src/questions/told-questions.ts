import { OpenQuestions, type Question } from "@sotto/harness"

/** What a frontend that puts questions to a person wants to hear of. */
export interface QuestionListener {
  asked(question: Question): void
  /** Hears that the session does not wait for the answer any more. */
  settled(questionId: string): void
}

/** Questions, and when each is over, however that came about. */
export class ToldQuestions extends OpenQuestions {
  readonly #listener: QuestionListener
  readonly #newest: { id: string }

  constructor(listener: QuestionListener) {
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

  override async ask(...asked: Parameters<OpenQuestions["ask"]>): Promise<string | undefined> {
    const answer = super.ask(...asked)
    const { id } = this.#newest
    try {
      return await answer
    } finally {
      this.#listener.settled(id)
    }
  }
}
