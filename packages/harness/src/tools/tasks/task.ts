/** Work that goes on while the agent does. */
export interface Task {
  readonly id: string
  readonly kind: "agent" | "command"
  readonly description: string
  readonly state: "running" | "finished" | "failed" | "stopped"
  /** Milliseconds, by the harness's clock. */
  readonly started: number
  /** The file that takes what it prints: of an agent, what it does and reports. */
  readonly output: string
  /** Who is at work: the agent, or the member of a team. Absent for a command. */
  readonly who?: string
  /** The process group of a command. */
  readonly pid?: number
  /** How often it has begun: a member of a team works again when it is written to. */
  readonly run: number
}

/** Something to be kept track of, and how to end it. */
export interface Work extends Pick<Task, "id" | "kind" | "description" | "output" | "who" | "pid"> {
  /** May work again after it has finished; over only when it is stopped. */
  readonly lasting?: boolean
  /** Goes on when the session ends. */
  readonly outlives?: true
  /** Resolves when nothing of it runs any more. */
  stop(): Promise<void>
}

export type TaskEnd = "finished" | "failed"

export function isOver({ state }: Task): boolean {
  return state !== "running"
}

/** Writes a line that says what a task is about, however long that is. */
export function shortened(text: string, most = 100): string {
  const line = text.replace(/\s+/g, " ").trim()
  return line.length > most ? `${line.slice(0, most - 1)}…` : line
}
