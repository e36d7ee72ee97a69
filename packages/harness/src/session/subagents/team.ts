import { type Origin, removed, type SayOptions, type Session } from "@sotto/core"
import { ToolError } from "../../platform/text/errors.js"
import { type SharedTask, TaskList } from "./task-list.js"

/** A session of the team that can be told something. */
export interface TeamSession {
  readonly session: Session
  say(text: string, options: SayOptions): void
}

/** One session's place in a team: what its tools act through. */
export interface Membership {
  readonly name: string
  readonly list: TaskList
  /** Says what has become of it; throws ToolError where it cannot be delivered. */
  post(to: string, text: string): string
}

interface Member {
  /** Absent until its session is open, and when it has ended. */
  open?: TeamSession
  ended: boolean
}

interface TeamOptions {
  readonly coordinator: TeamSession
  /** Who is not idle. */
  atWork(): readonly string[]
  /** Whether a message of a member starts one that has finished; those of the coordinator always do. */
  readonly channelsWake: boolean
}

const COORDINATOR = "coordinator"
const EVERYBODY = "all"
const MOST_MEMBERS = 8

/** Agents that work side by side for a session, their coordinator, with a mailbox and a list that they share. */
export class Team {
  readonly #coordinator: TeamSession
  readonly #list: TaskList
  readonly #members = new Map<string, Member>()
  readonly #options: TeamOptions

  constructor(options: TeamOptions) {
    const { coordinator } = options
    this.#coordinator = coordinator
    this.#options = options
    this.#list = new TaskList(listIn(coordinator.session), (items) => {
      for (const { session } of this.#sessions()) session.observe("tasks", items)
    })
    // Members ended with the program that ran them.
    if (coordinator.session.fact("team") !== undefined) coordinator.session.observe("team", removed())
  }

  get coordinator(): Membership {
    return this.#membership(COORDINATOR)
  }

  /** Takes a name before its session is open, so that two cannot have the same. */
  reserve(name: string): Membership {
    if (!/^[a-z][\w-]{0,31}$/i.test(name))
      throw new ToolError(
        `"${name}" is no name for a member: use up to 32 letters, digits, - and _, beginning with a letter.`,
      )
    if (name === COORDINATOR || name === EVERYBODY)
      throw new ToolError(`"${name}" has another meaning in a team. Use another name.`)
    const live = this.#live()
    if (live.includes(name))
      throw new ToolError(
        `There is a member "${name}" already. Write to it with message, or use another name.`,
      )
    if (live.length >= MOST_MEMBERS)
      throw new ToolError(
        `A team has at most ${MOST_MEMBERS} members. Stop one with task_status first: ${live.join(", ")}.`,
      )
    this.#members.set(name, { ended: false })
    return this.#membership(name)
  }

  /** Its session is open: it hears of the team, and the team of it. */
  join(name: string, open: TeamSession): void {
    const member = this.#members.get(name)
    if (member === undefined) return
    member.open = open
    if (this.#list.items.length > 0) open.session.observe("tasks", this.#list.items)
    this.#introduce()
  }

  leave(name: string): void {
    const member = this.#members.get(name)
    if (member === undefined) return
    delete member.open
    member.ended = true
    this.#introduce()
  }

  #membership(name: string): Membership {
    return { name, list: this.#list, post: (to, text) => this.#post(name, to, text) }
  }

  #post(from: string, to: string, text: string): string {
    if (text.trim() === "") throw new ToolError("`text` is empty.")
    const others = [COORDINATOR, ...this.#present()].filter((name) => name !== from)
    const names = to === EVERYBODY && others.length > 0 ? others : [to]
    for (const name of names) this.#check(name, others)
    const origin: Origin =
      from === COORDINATOR ? { kind: "coordinator" } : { kind: "channel", server: `team/${from}` }
    const later = names.filter((name) => !this.#wakes(name, origin))
    for (const name of names) this.#sessionOf(name)?.say(text, { origin })
    const wait =
      later.length === 0
        ? ""
        : ` ${later.join(", ")} finished before, and will read it when the coordinator writes.`
    return `Sent to ${names.join(", ")}.${wait}`
  }

  #check(name: string, others: readonly string[]): void {
    if (others.includes(name)) return
    const known =
      others.length === 0
        ? "Nobody else is in the team: start members with task, a `name` and `background`."
        : `You can write to: ${others.join(", ")}, or all.`
    const member = this.#members.get(name)
    if (member?.ended) throw new ToolError(`${name} has ended and reads no more. ${known}`)
    if (member && !member.open)
      throw new ToolError(`${name} is only just starting: write to it in your next step.`)
    throw new ToolError(others.length === 0 ? known : `There is no other "${name}" in the team. ${known}`)
  }

  /** True if a message is read without anything else happening; a coordinator always hears of its members' ends. */
  #wakes(name: string, { kind }: Origin): boolean {
    const { atWork, channelsWake } = this.#options
    return name === COORDINATOR || kind === "coordinator" || channelsWake || atWork().includes(name)
  }

  #sessionOf(name: string): TeamSession | undefined {
    return name === COORDINATOR ? this.#coordinator : this.#members.get(name)?.open
  }

  #sessions(): readonly TeamSession[] {
    const members = [...this.#members.values()].flatMap(({ open }) => (open ? [open] : []))
    return [this.#coordinator, ...members]
  }

  #live(): readonly string[] {
    return [...this.#members].flatMap(([name, { ended }]) => (ended ? [] : [name]))
  }

  #present(): readonly string[] {
    return [...this.#members].flatMap(([name, { open }]) => (open ? [name] : []))
  }

  #introduce(): void {
    const present = this.#present()
    const team = `team-${this.#coordinator.session.id.slice(0, 8)}`
    const reach = "Use message to reach them, task_create and task_update for the list of tasks you share."
    for (const name of [COORDINATOR, ...present]) {
      const members = [COORDINATOR, ...present].filter((other) => other !== name)
      const own = name === COORDINATOR ? "You coordinate it." : `You are ${name}.`
      const fact = members.length === 0 ? removed() : { name: team, members, reach: `${own} ${reach}` }
      this.#sessionOf(name)?.session.observe("team", fact)
    }
  }
}

function listIn(session: Session): readonly SharedTask[] {
  const tasks = session.fact("tasks")
  return Array.isArray(tasks) ? (tasks as unknown as readonly SharedTask[]) : []
}
