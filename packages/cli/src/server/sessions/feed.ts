import type { Entry } from "@sotto/core"
import {
  type Awaitable,
  type HarnessEvent,
  LogFollower,
  type NumberedEvent,
  type Question,
  readSession,
  reasonOf,
  type SessionLog,
  StoreError,
  whenThere,
} from "@sotto/harness"
import { err } from "../../screen/printer.js"

/** A reader of the events of a session as they come. */
export interface FeedReader {
  /** There are more numbered events. */
  more(): void
  /** Something of this moment that has no number: it is not told again. */
  now(event: object): void
  /** The session is gone. */
  end(): void
}

type Part = readonly Entry[]

/** What the events of a moment are called: parts of words that come whole with the reply. */
type Fleeting = Extract<HarnessEvent, { type: "text" | "reasoning" }>

/** A session that runs here: its entries that are on disk. */
export interface EntrySource {
  entriesFrom(seq: number): readonly Entry[]
}

/**
 * The events of one session, whichever process runs it. Those that follow from the log are read from the store, or from
 * the session itself if it runs here, so that every reader has the same ones under the same numbers. What only the
 * process that runs it knows is added there.
 */
export class Feed {
  readonly following: LogFollower
  readonly #store: SessionLog
  readonly #id: string
  readonly #readers = new Set<FeedReader>()
  #source: EntrySource | undefined
  #asked: readonly Question[] = []
  #used = Date.now()
  /** The end of what waits for the store; undefined while nothing does. What comes meanwhile is told after it. */
  #busy: Promise<void> | undefined
  #isWhole = false
  /** Resolves when all of the log was read that there was. */
  readonly whole: Promise<void>

  private constructor(store: SessionLog, id: string, log: Part, rest: AsyncIterable<Part>) {
    this.#store = store
    this.#id = id
    this.following = new LogFollower(log, readSession)
    this.whole = Promise.resolve(this.#inOrder(() => this.#readRest(rest)))
    // Those who wait for it hear of it.
    this.whole.catch(() => {})
  }

  /**
   * Begins to read a session from the store, or from itself if it runs here, and goes on by itself: see `whole`. Rejects
   * for an unknown session.
   */
  static async open(store: SessionLog, id: string, source?: EntrySource): Promise<Feed> {
    const log = source ? inParts(source.entriesFrom(0)) : store.loadParts(id)
    const parts = log[Symbol.asyncIterator]()
    const { value: first = [] } = await parts.next()
    return new Feed(store, id, first, { [Symbol.asyncIterator]: () => parts })
  }

  /** Reads a long log in parts, and lets everything else have its turn between them. */
  async #readRest(rest: AsyncIterable<Part>): Promise<void> {
    await turn()
    for await (const part of rest) {
      this.following.take(part)
      await turn()
    }
    this.#isWhole = true
    this.#tell((reader) => reader.more())
  }

  get isWhole(): boolean {
    return this.#isWhole
  }

  get events(): readonly NumberedEvent[] {
    return this.following.events
  }

  get questions(): readonly Question[] {
    return this.#asked
  }

  /** Milliseconds since it was last read. */
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

  /** Takes in what has come to the log meanwhile. A promise if the store has to be waited for. */
  refresh(): Awaitable<void> {
    this.#used = Date.now()
    return this.#inOrder(() => this.#read())
  }

  /** Reads from the session while it runs here, and from the store again once it does not. */
  readFrom(source: EntrySource | undefined): void {
    this.#source = source
  }

  #read(): Awaitable<void> {
    const { length } = this.following
    return whenThere(
      this.#source?.entriesFrom(length) ?? this.#store.loadFrom(this.#id, length),
      (entries) => {
        if (entries.length === 0) return
        this.following.take(entries)
        this.#tell((reader) => reader.more())
      },
    )
  }

  /** Does the work now, or after what waits for the store. */
  #inOrder(work: () => Awaitable<void>): Awaitable<void> {
    const done = this.#busy === undefined ? work() : this.#busy.then(work)
    if (done === undefined) return
    // Each failure is told to those who asked for the work, and keeps nothing else from its turn.
    const over = done
      .catch(() => {})
      .then(() => {
        if (this.#busy === over) this.#busy = undefined
      })
    this.#busy = over
    return done
  }

  /** Hears what the process that runs the session tells beside its log. */
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
      case "notice":
      case "untrusted":
        this.#add(event)
        return
      // Questions are told by `ask`, all else follows from the log.
      case "ask":
        return
      default:
        this.#used = Date.now()
        this.#unwaited(() => this.#read())
    }
  }

  /** Takes the questions that wait for an answer now, and tells readers which are new and which are answered. */
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
    const add = () => {
      this.following.add(event, Date.now())
      this.#tell((reader) => reader.more())
    }
    this.#used = Date.now()
    this.#unwaited(() => this.#read())
    this.#unwaited(add)
  }

  #now(event: object): void {
    this.#unwaited(() => this.#tell((reader) => reader.now(event)))
  }

  /** Does work without a caller that waits for it. What could not be read is read with the next event. */
  #unwaited(work: () => Awaitable<void>): void {
    const done = this.#inOrder(work)
    done?.catch((error: unknown) => {
      if (!(error instanceof StoreError)) err.line(`sotto: session ${this.#id}: ${reasonOf(error)}`)
    })
  }

  #tell(how: (reader: FeedReader) => void): void {
    for (const reader of [...this.#readers]) how(reader)
  }
}

/** How many entries to follow before everything else has its turn. */
const PART = 500

async function* inParts(log: readonly Entry[]): AsyncGenerator<Part> {
  for (let from = 0; from < log.length; from += PART) yield log.slice(from, from + PART)
}

/** Lets everything else that waits have its turn. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

function partial({ type, text }: Fleeting): object {
  return { type: "partial", of: type, text }
}
