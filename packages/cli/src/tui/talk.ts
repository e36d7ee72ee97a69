import type { ContentPart, Delivery, Json, Session, ThinkLevel } from "@sotto/core"
import type { CostReport } from "@sotto/core/economy"
import { takesLevels } from "@sotto/core/models"
import {
  type AccountFigures,
  type Conversation,
  costReport,
  figuresOf,
  type HarnessEvent,
  type OpenConversation,
  type OpenQuestions,
  openConversation,
  type PermissionControl,
  type ProjectRuntime,
  priceIn,
  promptsOf,
  type TaskControl,
} from "@sotto/harness"
import { type QuestionListener, ToldQuestions } from "../questions/told-questions.js"
import { waitingIn } from "./state/conversation-events.js"
import { wordsOf } from "./state/restore.js"
import type { WaitingMessage } from "./state/screen.js"

/** A call that was cut off by a crash, in the turn that is still open. */
export interface CutOff {
  readonly name: string
  readonly input: Json
}

/** What a frontend that shows a conversation wants to hear of. */
export interface TalkListener extends QuestionListener {
  event(event: HarnessEvent): void
  background(running: number): void
  subagent(session: Session, event: HarnessEvent): void
}

export interface TalkOptions {
  readonly agent?: string
  readonly model?: string
  readonly session?: string
}

/** A conversation as the terminal has it: one at a time, with what the person may do to it. */
export class Talk {
  readonly #open: OpenConversation
  readonly #questions: OpenQuestions
  readonly #workplace: ProjectRuntime

  private constructor(open: OpenConversation, questions: OpenQuestions, workplace: ProjectRuntime) {
    this.#open = open
    this.#questions = questions
    this.#workplace = workplace
  }

  static async open(workplace: ProjectRuntime, options: TalkOptions, listener: TalkListener): Promise<Talk> {
    const questions = new ToldQuestions(listener)
    const emit = (event: HarnessEvent) => listener.event(event)
    const open = await openConversation({
      workplace,
      questions,
      emit,
      yes: () => false,
      titles: true,
      ...options,
    })
    open.tasks.onChange(() =>
      listener.background(open.tasks.list().filter(({ state }) => state === "running").length),
    )
    open.subagents.onEvent((session, event) => listener.subagent(session, event))
    return new Talk(open, questions, workplace)
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

  get permissions(): PermissionControl {
    return this.#open.permissions
  }

  /**
   * Lists calls of the open turn that may or may not have run: the program ended before their results came, and they
   * are not of the kind that is simply made again.
   */
  cutOff(): readonly CutOff[] {
    const { log, isInTurn } = this.session
    const recovered = isInTurn
      ? log.findLast(({ type }) => type === "recovered" || type === "step")
      : undefined
    if (recovered?.type !== "recovered") return []
    return this.session
      .view()
      .flatMap(({ parts }) => parts)
      .flatMap((part) =>
        part.type === "tool-call" && recovered.calls.includes(part.id)
          ? [{ name: part.name, input: part.input }]
          : [],
      )
  }

  /** What the person has said and the model has not been given, oldest first. */
  readonly waiting = (): readonly WaitingMessage[] => waitingIn(this.session)

  /** Lists what opened a turn, newest first: where the user can go back to. */
  prompts(): readonly { readonly id: string; readonly text: string }[] {
    return promptsOf(this.session)
      .map(({ id, parts }) => ({ id, text: wordsOf(parts) }))
      .toReversed()
  }

  say(content: string | readonly ContentPart[], delivery: Delivery): void {
    this.conversation.say(content, { delivery })
  }

  answer(id: string, answer: string): void {
    this.#questions.answer(id, answer)
  }

  /** Gives what the session and its subagents have cost so far. */
  account(): AccountFigures {
    return figuresOf(this.#open.account())
  }

  /** Explains that: by price class, by purpose, by session. */
  async cost(): Promise<CostReport> {
    const { store, config } = this.#workplace
    const { id, log } = this.session
    return costReport(store(), id, log, (model) => priceIn(config, model))
  }

  /** The model that is asked, how much it can take, and how much it is told to think. */
  model(): {
    readonly model: string
    readonly window: number
    readonly think?: ThinkLevel
  } {
    const { model, tuning, context } = this.session
    const think = takesLevels(model) ? tuning.think : undefined
    return { model, window: context.window, ...(think && { think }) }
  }

  async close(): Promise<void> {
    this.#questions.close()
    if (this.session.phase !== "idle") {
      this.conversation.abort("left")
      // A command that was stopped may still have to find that out.
      await this.conversation.wake()
    }
    await this.#open.close()
  }
}
