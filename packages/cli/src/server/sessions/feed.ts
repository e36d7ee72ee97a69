import {
  type HarnessEvent,
  LogFollower,
  type NumberedEvent,
  type Question,
  readSession,
  type SessionLog,
} from "@sotto/harness"

/** Somebody who reads the events of a session as they come. */
export interface FeedReader {
  /** There are more numbered events. */
  more(): void
  /** Something of this moment that has no number: it is not told again. */
  now(event: object): void
  /** The session is gone. */
  end(): void
}

/** What the events of a moment are called: parts of words that come whole with the reply. */
type Fleeting = Extract<HarnessEvent, { type: "text" | "reasoning" }>

/**
 * The events of one session, whoever runs it. Those that follow from the log are read from the store, so that every
 * reader has the same ones under the same numbers. What only the process that runs it knows is added there.
 */
export class Feed {
  readonly following: LogFollower
  readonly #store: SessionLog
  readonly #id: string
  readonly #readers = new Set<FeedReader>()
  #asked: readonly Question[] = []
  #used = Date.now()

  constructor(store: SessionLog, id: string) {
    this.#store = store
    this.#id = id
    this.following = new LogFollower(store.load(id), readSession)
  }

  get events(): readonly NumberedEvent[] {
    return this.following.events
  }

  get questions(): readonly Question[] {
    return this.#asked
  }

  /** Milliseconds since somebody read it. */
  get unused(): number {
    return this.#readers.size > 0 ? 0 : Date.now() - this.#used
  }

  read(reader: FeedReader): () => void {
    this.#readers.add(reader)
    return () => {
      this.#readers.delete(reader)
      this.#used = Date.now()
    }
  }

  /** Takes in what has come to the log meanwhile. */
  refresh(): void {
    this.#used = Date.now()
    const entries = this.#store.loadFrom(this.#id, this.following.length)
    if (entries.length === 0) return
    this.following.take(entries)
    this.#tell((reader) => reader.more())
  }

  /** What the process that runs the session tells beside its log. */
  hear(event: HarnessEvent): void {
    switch (event.type) {
      case "text":
      case "reasoning":
        this.#now(partial(event))
        return
      case "tool-input":
      case "progress":
      case "retry":
        this.#now(event)
        return
      case "error":
      case "untrusted":
        this.#add(event)
        return
      // Questions are told by `ask`, all else follows from the log.
      case "ask":
        return
      default:
        this.refresh()
    }
  }

  /** The questions that wait for an answer now. */
  ask(questions: readonly Question[]): void {
    const before = this.#asked
    this.#asked = questions
    const isIn = (list: readonly Question[], { id }: Question) => list.some((one) => one.id === id)
    for (const question of before)
      if (!isIn(questions, question)) this.#add({ type: "question-answered", id: question.id })
    for (const question of questions) if (!isIn(before, question)) this.#add({ type: "ask", ...question })
  }

  end(): void {
    this.#tell((reader) => reader.end())
  }

  #add(event: Parameters<LogFollower["add"]>[0]): void {
    this.refresh()
    this.following.add(event, Date.now())
    this.#tell((reader) => reader.more())
  }

  #now(event: object): void {
    this.#tell((reader) => reader.now(event))
  }

  #tell(how: (reader: FeedReader) => void): void {
    for (const reader of [...this.#readers]) how(reader)
  }
}

function partial({ type, text }: Fleeting): object {
  return { type: "partial", of: type, text }
}
