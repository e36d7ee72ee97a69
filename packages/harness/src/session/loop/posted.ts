import { SottoError } from "@sotto/core"
import { type Awaitable, whenThere } from "../../platform/awaitable.js"
import { reasonOf } from "../../platform/text/errors.js"
import type { Mailbox } from "../../store/contract.js"
import { StoreError } from "../../store/error.js"
import type { Outcome, Posted } from "../../store/posted.js"
import type { Questions } from "../../tools/events/questions.js"
import { CommandError } from "./command-fields.js"
import {
  type CommandTarget,
  carryOut,
  type Once,
  readCommand,
  type SessionCommand,
  takesTime,
} from "./session-commands.js"

/** Carries out commands that were posted to the store for a session that is open here. */
export interface PostedListener {
  /** Carries out what has been posted. Costs little if nothing has. A promise if the store has to be waited for. */
  take(): Awaitable<void>
  stop(): void
}

export interface PostedParts {
  readonly store: Mailbox
  readonly target: CommandTarget
  readonly questions: Questions
}

/**
 * Carries out what other processes post for a session that is open here: at once where the system tells of it, and
 * otherwise at the next boundary. What was posted before it was opened comes first. The questions that are open here
 * are shown to the other processes, under the same ids.
 */
export function takePosted({ store, target, questions }: PostedParts): PostedListener {
  const { id } = target.conversation.session
  /** True while commands are taken; `taking` is their end where the store has to be waited for. */
  let isTaking = false
  let taking: Promise<void> | undefined
  /** Something may have been posted since the store was asked. */
  let isAskedAgain = false
  let isStopped = false
  /** Commands that take time and have not come to their end. */
  const begun = new Set<string>()
  const end = (posted: Posted, outcome: Outcome) =>
    ignoringStore(() => store.carryOut(id, posted.id, () => outcome))
  /** Carries out a command that takes time. Others may come before its end, such as one that stops the turn. */
  const begin = async (posted: Posted, command: SessionCommand): Promise<void> => {
    begun.add(posted.id)
    // It has happened from here on, also if this process is killed before there is a result to tell.
    let entered: Awaitable<void> | undefined
    const once: Once = (enter) => {
      const kept = store.carryOut(id, posted.id, () => {
        enter()
        return { is: "done" }
      })
      // Waited for below, which may be long after it has failed.
      kept?.catch(() => {})
      entered = kept
    }
    try {
      const result = await carryOut(command, target, once)
      await entered
      await end(posted, done(result))
    } catch (error) {
      if (!(error instanceof StoreError)) await end(posted, refusal(error))
    } finally {
      begun.delete(posted.id)
    }
  }
  const obey = (posted: Posted): Awaitable<void> => {
    let command: SessionCommand
    try {
      command = readCommand(posted.command)
    } catch (error) {
      return end(posted, refusal(error))
    }
    if (takesTime(command)) void begin(posted, command)
    else return store.carryOut(id, posted.id, () => outcomeOf(() => carryOut(command, target)))
  }
  /** Obeys them one after the other, from a place on: the next when the store has what became of the one before. */
  const obeyAll = (all: readonly Posted[], from = 0): Awaitable<void> => {
    for (const [i, posted] of all.entries()) {
      if (isStopped) return
      if (i < from || begun.has(posted.id)) continue
      const obeyed = obey(posted)
      if (obeyed !== undefined) return obeyed.then(() => obeyAll(all, i + 1))
    }
  }
  const take = (): Awaitable<void> => {
    // A command may lead to a boundary, which looks here too.
    if (isTaking) {
      isAskedAgain = taking !== undefined
      return taking
    }
    isTaking = true
    isAskedAgain = false
    const over = () => {
      isTaking = false
      taking = undefined
    }
    try {
      // If the session is another process's by now, or the disk fails, the loop finds out by itself, and tells.
      const obeyed = ignoringStore(() => whenThere(store.posted(id), (all) => obeyAll(all)))
      taking = obeyed?.finally(over).then(() => (isAskedAgain ? take() : undefined))
    } finally {
      if (taking === undefined) over()
    }
    return taking
  }
  const stopShowing = questions.onChange(() => {
    void ignoringStore(() => store.setAsking(id, questions.open()))
  })
  // Begin once the caller that opens the session is ready for what happens in it.
  let stopTaking = () => {}
  const first = setImmediate(() => {
    stopTaking = store.onPosted(() => void take())
    void take()
  })
  return {
    take,
    stop: () => {
      isStopped = true
      clearImmediate(first)
      stopTaking()
      stopShowing()
    },
  }
}

/** Others only want to know. What is wrong with the store is told when something has to be kept. */
function ignoringStore(work: () => Awaitable<void>): Awaitable<void> {
  const ignore = (error: unknown) => {
    if (!(error instanceof StoreError)) throw error
  }
  try {
    return work()?.catch(ignore)
  } catch (error) {
    ignore(error)
  }
}

/** Runs a command. What the user did wrong is an outcome; what the store cannot do is thrown. */
function outcomeOf(work: () => unknown): Outcome {
  try {
    return done(work())
  } catch (error) {
    if (error instanceof StoreError) throw error
    return refusal(error)
  }
}

/** Makes the outcome of a command that has come to its end: it has a result, if only null. */
function done(result: unknown): Outcome {
  return { is: "done", result: result ?? null }
}

function refusal(error: unknown): Outcome {
  const code = error instanceof SottoError || error instanceof CommandError ? error.code : "failed"
  return { is: "refused", code, message: reasonOf(error) }
}
