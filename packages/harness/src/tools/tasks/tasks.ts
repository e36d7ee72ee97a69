import { TaskOutput } from "./output.js"
import { isOver, type Task, type TaskEnd, type Work } from "./task.js"

/** Hears of a task that began, ended or was stopped; `report` is what came of it, `stoppedBy` who stopped it. */
export type TaskListener = (task: Task, report: string | undefined, stoppedBy?: string) => void

interface TaskRecord {
  task: Task
  readonly work: Work
  readonly output: TaskOutput
  /** A caller ends it: what it says about its end does not count as news any more. */
  stopping?: Promise<void>
}

/** Everything that works in the background for one session. It ends with the session. */
export class Tasks {
  readonly #entries = new Map<string, TaskRecord>()
  readonly #listeners = new Set<TaskListener>()
  readonly #now: () => number
  #count = 0

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** Counts ids instead of drawing them: a model has to repeat them. */
  newId(prefix: string): string {
    return `${prefix}-${++this.#count}`
  }

  /** Ids that were given before this one was opened are not given again. */
  countOn(ids: Iterable<string>): void {
    for (const id of ids) this.#count = Math.max(this.#count, Number(/-(\d+)$/.exec(id)?.[1] ?? 0))
  }

  begin(work: Work): Task {
    const { id, kind, description, output, who, pid } = work
    const task: Task = {
      id,
      kind,
      description,
      output,
      state: "running",
      started: this.#now(),
      run: 1,
      ...(who !== undefined && { who }),
      ...(pid !== undefined && { pid }),
    }
    const entry = { task, work, output: new TaskOutput(output) }
    this.#entries.set(id, entry)
    this.#tell(entry, undefined)
    return task
  }

  resume(id: string): void {
    const entry = this.#entries.get(id)
    if (entry === undefined || entry.stopping !== undefined || !isOver(entry.task)) return
    entry.task = { ...entry.task, state: "running", run: entry.task.run + 1 }
    this.#tell(entry, undefined)
  }

  /**
   * Takes note of an end. `report` is what the model is told, and may be made from what is new in the output. Without a
   * report the model sees the end when it asks.
   */
  end(id: string, state: TaskEnd, report?: string | ((news: string) => string)): void {
    const entry = this.#entries.get(id)
    if (entry === undefined || entry.stopping !== undefined || isOver(entry.task)) return
    entry.task = { ...entry.task, state }
    this.#tell(entry, typeof report === "function" ? report(entry.output.news()) : report)
  }

  list(): readonly Task[] {
    return [...this.#entries.values()].map(({ task }) => task)
  }

  /** Finds a task by id, or by the name of a member of a team. */
  find(name: string): Task | undefined {
    const known = this.#entries.get(name)
    if (known !== undefined) return known.task
    return [...this.#entries.values()].findLast(({ work }) => work.lasting && work.who === name)?.task
  }

  news(id: string): string {
    return this.#entries.get(id)?.output.news() ?? ""
  }

  /** Ends it. False if the task does not exist, or is over already. `by` is who wants that, in the model's eyes. */
  async stop(id: string, by: string): Promise<boolean> {
    const entry = this.#entries.get(id)
    if (entry === undefined || !isLive(entry)) return false
    entry.stopping ??= this.#stop(entry, by)
    await entry.stopping
    return true
  }

  /** Ends everything, and tells no listener. */
  async close(): Promise<void> {
    this.#listeners.clear()
    const ending = [...this.#entries.values()].filter(({ work }) => work.outlives !== true)
    await Promise.all(ending.map(({ task }) => this.stop(task.id, "the end of the session")))
  }

  /** Agents that work now, for what they change to be known as theirs. */
  atWork(): readonly string[] {
    return this.list().flatMap(({ who, state }) => (who !== undefined && state === "running" ? [who] : []))
  }

  /** Returns the way to stop listening. */
  onChange(listener: TaskListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Resolves with the next change, or at the signal. */
  changed(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const settle = () => {
        deaf()
        signal.removeEventListener("abort", settle)
        resolve()
      }
      const deaf = this.onChange(settle)
      signal.addEventListener("abort", settle, { once: true })
      if (signal.aborted) settle()
    })
  }

  async #stop(entry: TaskRecord, by: string): Promise<void> {
    // Not in the same breath: what ends at once must find that it is being stopped.
    await Promise.resolve()
    try {
      await entry.work.stop()
    } finally {
      entry.task = { ...entry.task, state: "stopped" }
      this.#tell(entry, undefined, by)
    }
  }

  #tell({ task }: TaskRecord, report: string | undefined, stoppedBy?: string): void {
    for (const listener of [...this.#listeners]) listener(task, report, stoppedBy)
  }
}

function isLive({ task, work }: TaskRecord): boolean {
  return task.state === "running" || (work.lasting === true && task.state !== "stopped")
}
