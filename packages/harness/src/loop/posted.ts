import { randomUUID } from "node:crypto"
import { type Delivery, type ModelChoice, type Origin, SottoError } from "@sotto/core"
import type { Questions } from "../events/questions.js"
import { StoreError } from "../store/error.js"
import type { Outcome } from "../store/posted.js"
import type { Store } from "../store/store.js"
import { reasonOf } from "../text/errors.js"
import type { Conversation } from "./conversation.js"

/** A command for a session, as plain data: what can be sent to whoever runs it. */
export type SessionCommand =
  | {
      readonly type: "say"
      readonly text: string
      readonly id: string
      /** Who said it. Absent means a human: whoever takes messages from a network sets it from the credential used. */
      readonly origin?: Origin
      readonly delivery?: Delivery
    }
  | { readonly type: "agent"; readonly name: string }
  | { readonly type: "model"; readonly model: string }
  | { readonly type: "answer"; readonly id: string; readonly answer: string }
  | { readonly type: "edit"; readonly id: string; readonly text?: string; readonly delivery?: Delivery }
  | { readonly type: "cancel"; readonly id: string }
  | { readonly type: "reminder"; readonly kind: string; readonly on: boolean }
  | { readonly type: "abort" }

/** Carries out a command. What it returns is plain data: a receipt, or whether there was something to change. */
export function carryOut(
  command: SessionCommand,
  conversation: Conversation,
  modelNamed: (name: string) => ModelChoice,
): unknown {
  switch (command.type) {
    case "say": {
      const { type: _, text, ...options } = command
      return conversation.say(text, options)
    }
    case "agent":
      return conversation.switchAgent(command.name)
    case "model":
      return conversation.switchModel(modelNamed(command.model))
    case "answer":
      return conversation.answer(command.id, command.answer)
    case "edit": {
      const { id, text, delivery } = command
      return conversation.edit(id, {
        ...(text !== undefined && { content: text }),
        ...(delivery && { delivery }),
      })
    }
    case "cancel":
      return conversation.cancel(command.id)
    case "reminder":
      return conversation.setReminder(command.kind, command.on)
    case "abort":
      return conversation.abort("the user aborted")
  }
}

/** Somebody who carries out commands that were posted to the store for a session that is open here. */
export interface PostedListener {
  /** Carries out what has been posted. Costs little if nothing has. */
  take(): void
  stop(): void
}

export interface PostedParts {
  readonly store: Store
  readonly conversation: Conversation
  readonly questions: Questions
  readonly modelNamed: (name: string) => ModelChoice
}

/**
 * Carries out what other processes post for a session that is open here: at once where the system tells of it, and
 * otherwise at the next boundary. What was posted before it was opened comes first. The questions that are open here
 * are shown to the other processes, under names that no later process uses: a late answer answers nothing else.
 */
export function takePosted({ store, conversation, questions, modelNamed }: PostedParts): PostedListener {
  const { id } = conversation.session
  const ending = `.${randomUUID().slice(0, 8)}`
  let isTaking = false
  const obey = (command: SessionCommand) => {
    if (command.type !== "answer") return carryOut(command, conversation, modelNamed)
    return (
      command.id.endsWith(ending) && conversation.answer(command.id.slice(0, -ending.length), command.answer)
    )
  }
  const take = () => {
    // A command may lead to a boundary, which looks here too.
    if (isTaking) return
    isTaking = true
    try {
      // If the session is another process's by now, or the disk fails, the loop finds out by itself, and tells.
      ignoringStore(() => {
        for (const posted of store.posted(id))
          store.carryOut(id, posted.id, () => outcomeOf(() => obey(posted.command as SessionCommand)))
      })
    } finally {
      isTaking = false
    }
  }
  const stopShowing = questions.onChange(() => {
    const asking = questions.open().map((question) => ({ ...question, id: `${question.id}${ending}` }))
    ignoringStore(() => store.setAsking(id, asking))
  })
  // Once whoever opens the session is ready for what happens in it.
  let stopTaking = () => {}
  const first = setImmediate(() => {
    stopTaking = store.onPosted(take)
    take()
  })
  return {
    take,
    stop: () => {
      clearImmediate(first)
      stopTaking()
      stopShowing()
    },
  }
}

/** Others only want to know. What is wrong with the store is told when something has to be kept. */
function ignoringStore(work: () => void): void {
  try {
    work()
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
  }
}

/** Runs a command. What the user did wrong is an outcome; what the store cannot do is thrown. */
function outcomeOf(work: () => unknown): Outcome {
  try {
    return { is: "done", result: work() }
  } catch (error) {
    if (error instanceof StoreError) throw error
    const code = error instanceof SottoError ? error.code : "failed"
    return { is: "refused", code, message: reasonOf(error) }
  }
}
