import { type Command, type Ending, type Running, startCommand } from "./command.js"

export interface BackgroundTask {
  readonly id: string
  readonly command: string
  /** The file that takes what it prints. */
  readonly output: string
  /** Undefined while it runs. */
  readonly ending: Ending | undefined
}

type Listener = (task: BackgroundTask) => void

/** Commands that go on while the agent does. They end with the session that started them. */
export class BackgroundTasks {
  readonly #tasks = new Map<string, { task: BackgroundTask; running: Running }>()
  readonly #listeners = new Set<Listener>()

  async start(id: string, command: string, how: Command): Promise<BackgroundTask> {
    const running = await startCommand(how)
    running.unref()
    const task: BackgroundTask = { id, command, output: how.output, ending: undefined }
    this.#tasks.set(id, { task, running })
    running.ended.then((ending) => {
      const finished = { ...task, ending }
      this.#tasks.set(id, { task: finished, running })
      for (const listener of this.#listeners) listener(finished)
    })
    return task
  }

  list(): readonly BackgroundTask[] {
    return [...this.#tasks.values()].map(({ task }) => task)
  }

  /** Resolves when it has ended; undefined if there is no such task. */
  async stop(id: string): Promise<BackgroundTask | undefined> {
    const found = this.#tasks.get(id)
    found?.running.stop("stopped")
    await found?.running.ended
    return this.#tasks.get(id)?.task
  }

  async stopAll(): Promise<void> {
    await Promise.all([...this.#tasks.keys()].map((id) => this.stop(id)))
  }

  /** Returns the way to stop listening. */
  onFinish(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}
