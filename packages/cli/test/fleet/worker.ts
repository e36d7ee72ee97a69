import { type ChildProcess, spawn } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { Client } from "../support/server.js"
import { type Cable, cableTo } from "./cut.js"

const COMMAND = fileURLToPath(new URL("../../bin/sotto.js", import.meta.url))
const TOKEN = "a-token-that-all-workers-of-the-storm-share"

export interface WorkerPlace {
  /** A folder of the storm's. */
  readonly root: string
  /** The workspace that all workers have. */
  readonly workspace: string
  /** "app" unless given. */
  readonly workspaceName?: string
  /** The address of the database, as the storm itself reaches it; or the path of a file. */
  readonly store: string
  readonly model: string
  readonly lease: number
  readonly variables?: Readonly<Record<string, string>>
  readonly args?: readonly string[]
}

function isFile({ store }: WorkerPlace): boolean {
  return !store.startsWith("postgres")
}

/** A real `sotto serve`, which is started again under another name each time that it was killed. */
export class Worker {
  readonly name: string
  /** What it said on standard error, all of its lives. */
  readonly said: string[] = []
  readonly cable: Cable
  readonly #place: WorkerPlace
  #child: ChildProcess | undefined
  #url: string | undefined
  #lives = 0

  private constructor(name: string, place: WorkerPlace, cable: Cable) {
    this.name = name
    this.#place = place
    this.cable = cable
  }

  static async start(name: string, place: WorkerPlace): Promise<Worker> {
    const home = join(place.root, name)
    mkdirSync(home)
    const config = { permission: { "*": "allow" } }
    writeFileSync(join(home, "sotto.json"), JSON.stringify(config))
    const worker = new Worker(
      name,
      place,
      await cableTo(isFile(place) ? 0 : Number(new URL(place.store).port)),
    )
    await worker.begin()
    return worker
  }

  get pid(): number {
    return this.#child?.pid ?? 0
  }

  /** Undefined while it is not there. */
  get client(): Client | undefined {
    return this.#url === undefined ? undefined : new Client(this.#url, TOKEN)
  }

  /** Starts a life. Resolves when it listens; a database that is away keeps it waiting, and it is started again. */
  async begin(): Promise<void> {
    const { root, workspace, workspaceName = "app", store, model, lease, variables, args = [] } = this.#place
    const life = `${this.name}.${++this.#lives}`
    const child = spawn(
      process.execPath,
      [COMMAND, "serve", "--port", "0", "--workspace", `${workspaceName}=${workspace}`, ...args],
      {
        cwd: workspace,
        stdio: ["ignore", "pipe", "pipe"],
        env: {
          PATH: process.env.PATH,
          HOME: join(root, this.name),
          SOTTO_HOME: join(root, this.name),
          SOTTO_TRUST: "1",
          SOTTO_TOKEN: TOKEN,
          SOTTO_STORE: isFile(this.#place) ? store : this.#addressOf(life),
          SOTTO_LEASE: String(lease),
          OPENAI_BASE_URL: `${model}/${life}/v1`,
          OPENAI_API_KEY: "no-real-key",
          FLEET_LIFE: life,
          ...variables,
        },
      },
    )
    this.#child = child
    const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()))
    child.stderr?.setEncoding("utf8").on("data", (text: string) => this.said.push(text))
    const url = await Promise.race([
      ended.then(() => undefined),
      new Promise<string>((resolve) => {
        createInterface({ input: child.stdout as NonNullable<typeof child.stdout> }).on("line", (line) => {
          const found = /^listening on (http:\S+)$/.exec(line)?.[1]
          if (found !== undefined) resolve(found)
        })
      }),
    ])
    if (url !== undefined) this.#url = url
  }

  /** The database by way of the cable. */
  #addressOf(life: string): string {
    const address = new URL(this.#place.store)
    address.port = String(this.cable.port)
    address.searchParams.set("application_name", life)
    return address.href
  }

  signal(name: NodeJS.Signals): void {
    this.#child?.kill(name)
  }

  /** Ends this life, at once or politely. */
  async end(how: "SIGKILL" | "SIGTERM"): Promise<void> {
    const child = this.#child
    this.#url = undefined
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()))
    child.kill(how)
    await ended
  }

  get isThere(): boolean {
    const child = this.#child
    return (
      this.#url !== undefined && child !== undefined && child.exitCode === null && child.signalCode === null
    )
  }

  async close(): Promise<void> {
    this.signal("SIGCONT")
    await this.end("SIGKILL")
    await this.cable.close()
  }
}
