import { patternCovers, type Question } from "@sotto/harness"
import { MARK } from "../output/question.js"

/** So long a question is in sight before a line can answer it, in milliseconds. */
export const ARMING = 350

interface Around {
  /** Shows the question itself. */
  pose(question: Question): void
  say(line: string): void
  answer(id: string, answer: string): void
  /** Hears that the question in sight is closed. */
  done(): void
}

/**
 * Questions to a person who types lines: one at a time. Only an exact answer counts, and only one whose first key came
 * after the line that asks for it was shown. Everything else is a message, as it would be without the question.
 */
export class LineAsking {
  readonly #around: Around
  readonly #open: Question[] = []
  #timer: NodeJS.Timeout | undefined
  #readyAt: number | undefined

  constructor(around: Around) {
    this.#around = around
  }

  get isOpen(): boolean {
    return this.#open.length > 0
  }

  asked(question: Question): void {
    this.#open.push(question)
    if (this.#open.length === 1) this.#pose(question)
  }

  /** Closes a question that was answered, or whose answer the session does not wait for any more. */
  settled(id: string): void {
    const place = this.#open.findIndex((question) => question.id === id)
    if (place < 0) return
    this.#open.splice(place, 1)
    if (place > 0) return
    clearTimeout(this.#timer)
    this.#around.done()
    const [next] = this.#open
    if (next) this.#pose(next)
  }

  close(): void {
    clearTimeout(this.#timer)
  }

  /** True if the line was taken as an answer. Otherwise, if nothing else takes it, it is a message. */
  took(line: string, begun: number): boolean {
    const [question] = this.#open
    if (question === undefined) return false
    if (line.trim() === "") {
      if (this.#readyAt !== undefined) this.#around.say(`${MARK} ${WAYS[question.kind]}`)
      return true
    }
    if (this.#readyAt === undefined || begun < this.#readyAt) {
      this.#around.say(`${MARK} You began to type that before you could answer: it is sent as a message.`)
      if (this.#readyAt !== undefined) this.#around.say(`${MARK} ${WAYS[question.kind]}`)
      return false
    }
    const answer = answerIn(question, line.trim())
    if (answer === undefined) {
      this.#around.say(`${MARK} That is no answer, so it is sent as a message. The question is still open.`)
      this.#around.say(`${MARK} ${WAYS[question.kind]}`)
      return false
    }
    const pattern = /^always\s+(\S.*)$/i.exec(answer)?.[1]
    if (pattern !== undefined && question.kind === "permission" && !patternCovers(pattern, question)) {
      this.#around.say(`${MARK} ${pattern} does not match ${question.target}: nothing is allowed by it.`)
      this.#around.say(`${MARK} ${WAYS[question.kind]}`)
      return true
    }
    this.settled(question.id)
    this.#around.answer(question.id, answer)
    return true
  }

  #pose(question: Question): void {
    this.#readyAt = undefined
    this.#around.pose(question)
    // A turn of the event loop after that: what waited in the terminal is read first, and answers nothing.
    this.#timer = setTimeout(() => setImmediate(() => this.#ready(question)), ARMING)
  }

  #ready(question: Question): void {
    if (this.#open[0] !== question) return
    this.#around.say(`${MARK} ${WAYS[question.kind]}`)
    this.#readyAt = performance.now()
  }
}

const WAYS: Readonly<Record<Question["kind"], string>> = {
  permission: "Answer: yes, session, always PATTERN, no, or no: WHY",
  question: "Type your answer.",
  plan: "Answer: approve, approve and accept edits, approve and ask before each edit, or say what to change.",
}

/** Reads the answer as the harness takes it; undefined if the line does not answer. */
export function answerIn({ kind }: Question, line: string): string | undefined {
  if (kind !== "permission") return line
  if (/^(?:y|yes|allow|once|ok)$/i.test(line)) return "allow"
  return /^(?:session|always(?:\s+\S.*)?|(?:n|no|deny)(?:\s*[:,].*)?)$/is.test(line) ? line : undefined
}
