import type { Entry } from "@sotto/core"
import {
  type HarnessEvent,
  lostSession,
  type OpenConversation,
  OpenQuestions,
  openConversation,
  type SessionCommand,
  type SessionSummary,
} from "@sotto/harness"
import type { ProjectLease } from "../../project-runtimes.js"

export interface RunnerOptions {
  readonly lease: ProjectLease
  readonly model?: string
  readonly agent?: string
  /** What is said of a new session from the beginning. */
  readonly about?: Pick<SessionSummary, "title" | "labels" | "metadata">
  /** A stored session to go on with. */
  readonly session?: string
  hear(event: HarnessEvent): void
  asked(questions: ReturnType<OpenQuestions["open"]>): void
  /** Hears that another worker has the session, or may have it: nothing happens here any more. */
  lost(): void
}

/** A session that this server runs. */
export class Runner {
  readonly #open: OpenConversation
  readonly #questions: OpenQuestions
  readonly #lease: ProjectLease
  #isLeaving = false

  private constructor(open: OpenConversation, questions: OpenQuestions, lease: ProjectLease) {
    this.#open = open
    this.#questions = questions
    this.#lease = lease
  }

  static async open({ lease, hear, asked, lost, ...wanted }: RunnerOptions): Promise<Runner> {
    const questions = new OpenQuestions(
      () => {},
      () => true,
    )
    questions.onChange(() => asked(questions.open()))
    const { workplace } = lease
    const open = await openConversation({
      workplace,
      questions,
      emit: hear,
      yes: () => false,
      resumable: true,
      lost: () => {
        questions.close()
        lost()
      },
      ...wanted,
    })
    const { trust } = workplace
    if (trust.leftOut.length > 0) hear({ type: "untrusted", items: trust.leftOut })
    return new Runner(open, questions, lease)
  }

  get session() {
    return this.#open.conversation.session
  }

  /** Names of the agents that a person can talk to here. */
  get agents(): readonly string[] {
    return this.#lease.workplace.agents
      .filter(({ mode, hidden }) => mode !== "subagent" && !hidden)
      .map(({ name }) => name)
  }

  entriesFrom(seq: number): readonly Entry[] {
    return this.#open.entriesFrom(seq)
  }

  /** True while there is something to do, or to answer. */
  get isAtWork(): boolean {
    const { phase, isInTurn } = this.session
    return isInTurn || phase !== "idle" || this.#open.tasks.list().some(({ state }) => state === "running")
  }

  async obey(command: SessionCommand): Promise<unknown> {
    // What was posted came first.
    const taken = this.#open.takePosted()
    if (taken !== undefined) await taken
    // It was given back meanwhile: nothing happens here any more.
    if (this.#isLeaving) throw lostSession(this.session.id, "it is being given back")
    return await this.#open.obey(command)
  }

  /** Says in the store that there is nothing to do. */
  rest(): void {
    this.#open.rest()
  }

  /** Goes on with what a crash left open. */
  wake(): void {
    void this.#open.conversation.wake()
  }

  /** Brings the session to rest and gives it back. What was said and not delivered waits for the next prompt. */
  async close(): Promise<void> {
    this.#isLeaving = true
    this.#questions.close()
    if (this.session.phase !== "idle") this.#open.conversation.abort("the server stopped")
    await this.#open.conversation.wake()
    this.#open.rest()
    await this.#open.close()
    await this.#lease.release()
  }

  /** Gives the session back as it is, in the middle of its work if need be: another worker goes on with it. */
  async leave(): Promise<void> {
    this.#isLeaving = true
    this.#questions.close()
    try {
      await this.#open.leave()
    } finally {
      await this.#lease.release()
    }
  }
}
