import { rmdirSync } from "node:fs"
import { join } from "node:path"
import type { Agent, Entry } from "@sotto/core"
import {
  changedFiles,
  type HarnessEvent,
  isRehearsal,
  type Question,
  reasonOf,
  selectableAgents,
} from "@sotto/harness"
import type { TerminalContext } from "../context.js"
import type { Leave } from "../state/open-questions.js"
import { setShown } from "./appearance.js"
import { setLeave, switchAgent } from "./modes.js"

/** What the tour says in the middle of a turn. */
const MEANWHILE = "And is there a licence?"
/** Stands before what the tour sends. The model does not see it. */
const LABEL = "The tour sends this for you:"
/** Milliseconds between two scenes: long enough to see that one is over. */
const BREATH = 1_500

/** What the tour asks for, by scene. */
interface TourPrompts {
  readonly around: string
  readonly plan: string
}

/** What has happened so far. The last page tells this and nothing else. */
interface Happened {
  /** The step at which the message in mid-turn arrived. */
  message?: number
  /** What became of the file: written after a question or without one, or not written. */
  file?: "allowed" | "unasked" | "refused"
  plan?: "approved" | "refused"
  /** What became of the plan that was approved. */
  change?: "done" | "refused"
}

/**
 * Plays the user's part of a short tour: a message in the middle of a turn, a change to a file, a plan. It sends its
 * messages itself and touches neither the input nor an answer: the person answers every question.
 */
export class Tour {
  readonly #terminal: TerminalContext
  readonly #prompts: TourPrompts
  readonly #before: { readonly agent: string; readonly leave: Leave; readonly asides: boolean }
  /** The tour's part of the log begins after this entry. */
  readonly #since: number
  /** And ends with this one, once it is over. */
  #until: number | undefined
  #scene: "around" | "between" | "plan" | "over" = "around"
  #timer: NodeJS.Timeout | undefined
  /** Messages of the tour, by what they are. */
  readonly #sent = new Map<string, string>()
  /** Calls that run, by id. */
  readonly #calls = new Map<string, string>()
  readonly #asked = new Set<string>()
  readonly #happened: Happened = {}

  constructor(terminal: TerminalContext, prompts: TourPrompts) {
    const { ui, update, talk, workplace, say } = terminal
    this.#terminal = terminal
    this.#prompts = prompts
    const { screen, leave, shows } = ui()
    this.#before = { agent: screen.agent, leave, asides: shows.asides }
    this.#since = endOf(talk().session.log)
    update((ui) => ({ ...ui, tour: true }))
    setShown(terminal, "asides", true)
    say("the tour: a message in the middle of a turn, a change to a file, a plan. Esc leaves it at any time.")
    const worker = agentThat(workplace.agents, false)
    if (agentThat(workplace.agents, true) === screen.agent && worker !== undefined)
      switchAgent(terminal, worker)
    this.#send(prompts.around)
  }

  get isOn(): boolean {
    return this.#scene !== "over"
  }

  heard(event: HarnessEvent): void {
    if (!this.isOn) return
    switch (event.type) {
      case "text":
        if (this.#scene === "around" && !this.#sent.has(MEANWHILE)) this.#send(MEANWHILE)
        break
      case "delivered":
        if (event.id === this.#sent.get(MEANWHILE) && event.step > 1) this.#happened.message = event.step
        break
      case "tool-call":
        this.#calls.set(event.id, event.name)
        break
      case "tool-result":
        this.#hearResult(event)
        break
      case "turn-end":
        this.#hearEnd(event.reason === "done")
        break
      default:
    }
  }

  asked(question: Question): void {
    if (question.kind === "permission") this.#asked.add(question.call)
  }

  /** Ends the tour where it is, and takes away everything that came of it. */
  leave(): void {
    this.stop()
    this.#undo().catch((error: unknown) => this.#terminal.say(reasonOf(error), "error"))
  }

  async #undo(): Promise<void> {
    const { say, talk, update, dispatch } = this.#terminal
    for (const id of this.#sent.values()) talk().conversation.cancel(id)
    setShown(this.#terminal, "asides", this.#before.asides)
    const kept = await this.clear()
    // The stand-in's list would be shown on, and called to mind.
    talk().session.observe("todos", [])
    update((ui) => ({ ...ui, screen: { ...ui.screen, todos: [] } }))
    dispatch({ type: "waiting", waiting: talk().waiting() })
    this.#goBack()
    const files = kept.length === 0 ? "what it wrote is gone" : `${kept.join(", ")} stays as it is now`
    say(`You left the tour, and ${files}. /tour begins it again.`)
  }

  /** Stops the tour: from here on it does nothing by itself. */
  stop(): void {
    clearTimeout(this.#timer)
    this.#scene = "over"
    this.#terminal.update((ui) => (ui.tour ? { ...ui, tour: false } : ui))
  }

  /** Takes away what the stand-in wrote in the tour. A file that was changed since stays; returns those. */
  async clear(): Promise<readonly string[]> {
    const { talk, workplace } = this.#terminal
    const { session, conversation } = talk()
    const { cwd } = workplace
    if (this.#until === undefined) {
      if (session.phase !== "idle") conversation.abort("the user left the tour")
      // A call that was stopped may still have to find that out.
      await conversation.wake()
      this.#until = endOf(session.log)
    }
    const until = this.#until
    const written = changedFiles(
      session.log.filter(({ seq }) => seq <= until),
      this.#since,
    )
    if (written.length === 0) return []
    const left = await workplace.undoFiles(written)
    for (const folder of [".sotto/plans", ".sotto"]) removeIfEmpty(join(cwd, folder))
    return left.map(({ path }) => path)
  }

  #send(text: string): void {
    // The person has chosen another model meanwhile, and did not ask to pay for a tour.
    if (!isRehearsal(this.#terminal.talk().model().model)) {
      this.leave()
      return
    }
    const content = [
      { type: "text", text: LABEL, ignored: true },
      { type: "text", text },
    ] as const
    const { id } = this.#terminal.talk().conversation.say(content, { delivery: "next-step" })
    this.#sent.set(text, id)
  }

  #hearResult({ id, error }: Extract<HarnessEvent, { type: "tool-result" }>): void {
    const { talk, workplace } = this.#terminal
    const name = this.#calls.get(id)
    const isPlanning = talk().session.agent === agentThat(workplace.agents, true)
    if (name === "plan_exit") this.#happened.plan = isPlanning || error ? "refused" : "approved"
    if (name !== "write") return
    if (this.#scene === "around")
      this.#happened.file = error ? "refused" : this.#asked.has(id) ? "allowed" : "unasked"
    else if (this.#happened.plan === "approved") this.#happened.change = error ? "refused" : "done"
  }

  #hearEnd(isDone: boolean): void {
    if (!isDone) {
      this.leave()
      return
    }
    if (this.#scene === "plan") this.#end()
    else {
      this.#scene = "between"
      clearTimeout(this.#timer)
      this.#timer = setTimeout(() => this.#plan(), BREATH)
    }
  }

  #plan(): void {
    const { ui, workplace, say } = this.#terminal
    // The person has said something in between: the tour goes on when that turn is over.
    if (ui().screen.turn !== undefined) return
    const planner = agentThat(workplace.agents, true)
    if (planner === undefined) {
      this.#end()
      return
    }
    this.#scene = "plan"
    say("the tour goes on in plan mode, which you reach by Shift+Tab.")
    switchAgent(this.#terminal, planner)
    this.#send(this.#prompts.plan)
  }

  #end(): void {
    this.stop()
    this.#until = endOf(this.#terminal.talk().session.log)
    this.#goBack()
    this.#terminal.page(lastPage(this.#happened))
  }

  #goBack(): void {
    const { ui } = this.#terminal
    const { agent, leave } = this.#before
    if (ui().screen.agent !== agent) switchAgent(this.#terminal, agent)
    if (ui().leave !== leave) setLeave(this.#terminal, leave)
  }
}

function endOf(log: readonly Entry[]): number {
  return log.at(-1)?.seq ?? -1
}

function agentThat(agents: readonly Agent[], plans: boolean): string | undefined {
  return selectableAgents(agents).find(({ planning = false }) => planning === plans)?.name
}

function lastPage({ message, file, plan, change }: Happened): string {
  const told = [
    message === undefined
      ? "The tour's message did not arrive in the middle of the turn."
      : `The tour's message reached the stand-in in the middle of its turn, at step ${message}; what it was told of it stands there.`,
    file && FILE[file],
    plan === "approved" ? CHANGE[change ?? "refused"] : PLAN[plan ?? "none"],
  ]
  return `**That was the tour.** ${told.filter(Boolean).join(" ")}${file === "refused" && change !== "done" ? "" : ` ${CLEARED}`}\n\n${GO_ON}`
}

const FILE = {
  allowed: "You saw the change to `sotto-tour.md`, and allowed it.",
  unasked: "It wrote `sotto-tour.md` without a question, because you had allowed that before.",
  refused: "`sotto-tour.md` was not written, because you did not allow it.",
} as const

const PLAN = {
  refused: "You did not approve the plan, so nothing of it was done.",
  none: "There was no plan to approve.",
} as const

const CHANGE = {
  done: "You approved the plan, and it was carried out: `sotto-tour.md` has the line that the plan names.",
  refused: "You approved the plan, but its change to `sotto-tour.md` was not made.",
} as const

const CLEARED = "What the tour wrote is taken away when you leave."

const GO_ON =
  "Go on by yourself: `/transcript` opens everything, `/asides` is the ledger, `/diff` undoes changes, `?` lists the keys. " +
  "`sotto tour KIND` plays every other kind of reminder.\n\n" +
  "**For a real model** run `sotto login`, or set `ANTHROPIC_API_KEY`, `OPENAI_API_KEY` or `GEMINI_API_KEY`, and start " +
  "`sotto` again."

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // It holds something, or it was never made.
  }
}
