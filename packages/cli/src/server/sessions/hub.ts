import { statSync } from "node:fs"
import { hostname } from "node:os"
import { isAbsolute } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import {
  type Environment,
  type HarnessEvent,
  isShared,
  openStore,
  type Question,
  reasonOf,
  type SessionCommand,
  type SessionWorkspace,
  type Store,
  StoreError,
  storePlace,
  type WorkspaceNames,
} from "@sotto/harness"
import { ProjectRuntimes } from "../../project-runtimes.js"
import { err } from "../../screen/printer.js"
import { ApiError } from "../errors.js"
import { Feed } from "./feed.js"
import { type PostedResult, postCommand } from "./post.js"
import { Runner, type RunnerOptions } from "./runner.js"
import { WaitingSessions } from "./take-sessions.js"

/** A session that has nothing to do is given back after this time, so that others can open it. */
const IDLE_MS = 30_000
/** The same where other workers can take it. A worker that has more sessions than `FEW` gives them back sooner. */
const SHARED_IDLE_MS = 10_000
const FEW = 4
/** How long sessions of a shared store may take to be handed over. What takes longer is left as after a crash. */
const REST_MS = 3_000
/** A feed that was not read for this long is forgotten, and read again at the next request. */
const FORGET_MS = 5 * 60_000
const TIDY_MS = 1_000
/** How often at most to look what the holders of watched sessions have asked. */
const ASKING_MS = 200

export interface HubOptions {
  readonly env: Environment
  readonly workspaces: WorkspaceNames
  /** The maximum number of sessions at work here at once. */
  readonly sessions: number
  /** Whether it takes sessions that wait for a worker, beside those that its own callers speak to. */
  readonly takes: boolean
  /** The name by which others see who has a session open. */
  readonly worker: string
  /** Follows a session while it runs here. Returns what stops it. */
  readonly follow?: (id: string, feed: Feed) => () => void
}

interface Place {
  readonly cwd?: string | undefined
  readonly workspace?: string | undefined
}

type Wanted = Pick<RunnerOptions, "model" | "agent" | "about"> & { readonly cwd: string }

interface Running {
  readonly runner: Runner
  /** Since when it has had nothing to do. */
  idleSince: number | undefined
}

/** The sessions of one server: those it runs, each with one runner, and those that others run, which it watches and steers. */
export class Hub {
  readonly store: Store
  readonly #workplaces: ProjectRuntimes
  readonly #workspaces: WorkspaceNames
  readonly #most: number
  readonly #takes: boolean
  readonly #worker: string
  /** True if other machines have the store open too. */
  readonly #isShared: boolean
  readonly #follow: HubOptions["follow"]
  readonly #running = new Map<string, Running>()
  /** By session that runs here: what stops those who follow it. */
  readonly #followed = new Map<string, () => void>()
  readonly #opening = new Map<string, Promise<Runner>>()
  readonly #closing = new Map<string, Promise<void>>()
  readonly #feeds = new Map<string, Feed>()
  /** Feeds that are being read from the store. */
  readonly #readFeeds = new Map<string, Promise<Feed>>()
  readonly #stopWatching: () => void
  readonly #tidying: NodeJS.Timeout
  #looking: NodeJS.Timeout | undefined
  #waiting: WaitingSessions | undefined
  #isDraining = false
  #isClosing = false

  /** Opens the store, and watches it. A server that takes sessions waits for a database that is away. */
  static async open(options: HubOptions): Promise<Hub> {
    const { env, takes, worker } = options
    const report = (line: string) => err.line(`sotto: ${line}`)
    return new Hub(await openStore(storePlace(env), { env, worker, waits: takes, report }), options)
  }

  private constructor(store: Store, { env, workspaces, sessions, takes, worker, follow }: HubOptions) {
    this.store = store
    this.#isShared = isShared(this.store)
    this.#workspaces = workspaces
    this.#most = sessions
    this.#takes = takes
    this.#worker = worker
    this.#follow = follow
    const missing = (message: string) => new ApiError(400, "bad-request", message)
    this.#workplaces = new ProjectRuntimes(env, missing, {
      workspaces,
      // All sessions share the round trips to a database.
      ...(this.#isShared && { store }),
    })
    this.#stopWatching = this.store.onChange(() => this.#othersWrote())
    this.#tidying = setInterval(() => this.#tidy(), TIDY_MS).unref()
  }

  /** Begins to take sessions that wait for a worker: what the server before this one was at work on when it was killed, too. */
  start(): void {
    if (!this.#takes) return
    const { machine, names } = this.#workspaces
    this.#waiting = new WaitingSessions({
      store: this.store,
      // A store of this machine alone has sessions from before workspaces had names.
      workspaces: [machine, ...names, ...(this.#isShared ? [] : [""])],
      hasRoom: () => this.#hasRoom,
      load: () => this.#atWork,
      runs: (id) => this.#running.has(id) || this.#opening.has(id) || this.#closing.has(id),
      take: async ({ id }) => {
        await this.#open(id)
      },
    })
  }

  /** This process, as other servers of the store see the holder of a session. A file of SQLite keeps no names. */
  get self(): { readonly host: string; readonly pid: number; readonly worker?: string } {
    return { host: hostname(), pid: process.pid, ...(this.#isShared && { worker: this.#worker }) }
  }

  /** True if it takes no more sessions: it is being drained, or stopped. */
  get isDraining(): boolean {
    return this.#isDraining || this.#isClosing
  }

  /** Takes no more sessions from now on, and gives those back that have nothing to do. Others end their turns here. */
  drain(): void {
    this.#isDraining = true
    this.#tidy()
  }

  /** How many sessions are open here, and how many of them have something to do. */
  get counts(): { readonly open: number; readonly atWork: number } {
    const { running, asking } = this.states
    return { open: this.#running.size, atWork: running + asking }
  }

  /** How many of the sessions that are open here do what. */
  get states(): Readonly<Record<"idle" | "running" | "asking", number>> {
    const states = { idle: 0, running: 0, asking: 0 }
    for (const [id, { runner }] of this.#running)
      if ((this.#feeds.get(id)?.questions.length ?? 0) > 0) states.asking++
      else states[runner.isAtWork ? "running" : "idle"]++
    return states
  }

  /** Finds the folder that a new session is wanted in: one that is named by its path or as a workspace. */
  folderAt({ cwd, workspace = "" }: Place): string {
    return cwd ?? this.#folderNamed(workspace)
  }

  async create({ cwd, ...wanted }: Wanted): Promise<string> {
    if (this.isDraining) throw stopping()
    if (!isFolder(cwd))
      throw new ApiError(
        400,
        "bad-request",
        `cwd: there is no folder "${cwd}".`,
        "Give the absolute path of a folder.",
      )
    return (await this.#run({ cwd, ...wanted })).session.id
  }

  /** Gives a session back that has nothing to do here, so that others can have it. Returns false if it is at work here. */
  async release(id: string): Promise<boolean> {
    await this.#opening.get(id)
    if (this.#running.get(id)?.runner.isAtWork) return false
    await this.#close(id)
    return true
  }

  /** Forgets sessions that were removed, and tells their readers. */
  forget(ids: readonly string[]): void {
    for (const id of ids) {
      this.#feeds.get(id)?.end()
      this.#feeds.delete(id)
    }
  }

  /** Gives the events of a session, and the session itself for reading, up to now. Rejects for an unknown session. */
  async feed(id: string): Promise<Feed> {
    const known = this.#feeds.get(id)
    const feed = known ?? (await this.begunFeed(id))
    await feed.whole
    if (known) await feed.refresh()
    return feed
  }

  /** Gives the same while the log may still be read: see `whole` of the feed. */
  async begunFeed(id: string): Promise<Feed> {
    return this.#feeds.get(id) ?? (await this.#openFeed(id))
  }

  /** Opens a feed, of a session that runs here from the session itself. Callers at the same time share it. */
  #openFeed(id: string, runner?: Runner): Promise<Feed> {
    const opening =
      this.#readFeeds.get(id) ??
      (async () => {
        const feed = await Feed.open(this.store, id, runner)
        if (!this.#running.has(id)) {
          const asked = await this.#askedElsewhere(id)
          if (!this.#running.has(id)) feed.ask(asked)
        }
        this.#feeds.set(id, feed)
        // One that cannot be read to its end is read again when it is next asked for.
        feed.whole.catch(() => this.#feeds.get(id) === feed && this.#feeds.delete(id))
        return feed
      })().finally(() => this.#readFeeds.delete(id))
    this.#readFeeds.set(id, opening)
    return opening
  }

  runner(id: string): Runner | undefined {
    return this.#running.get(id)?.runner
  }

  /** True if another process has it open. */
  async isHeldElsewhere(id: string): Promise<boolean> {
    const isHere = () => this.#running.has(id) || this.#opening.has(id) || this.#closing.has(id)
    return !isHere() && (await this.store.holder(id)) !== undefined && !isHere()
  }

  /** Carries out a command, here or where the session is open. */
  async command(id: string, command: SessionCommand): Promise<PostedResult> {
    if (this.#isClosing) throw stopping()
    const running = this.#running.get(id)
    if (running)
      try {
        return { is: "done", result: await this.#obey(id, running, command) }
      } catch (error) {
        // Another worker has it by now, and is told like by any other server.
        if (!(error instanceof StoreError && error.code === "lost")) throw error
        // By now it may run here anew.
        if (this.#running.get(id) === running) void this.#drop(id)
        if (this.#isClosing) throw stopping()
      }
    const about = await this.store.about(id)
    if ((await this.isHeldElsewhere(id)) || !this.#canRun(about)) return this.#post(id, command)
    try {
      await this.#open(id)
    } catch (error) {
      if (!(error instanceof StoreError && error.code === "locked")) throw error
      return this.#post(id, command)
    }
    return this.command(id, command)
  }

  /** Brings every session to rest, as far as there is time. */
  async close(): Promise<void> {
    this.#isClosing = true
    this.#stopWatching()
    clearInterval(this.#tidying)
    clearTimeout(this.#looking)
    const late = this.#isShared ? [sleep(REST_MS, undefined, { ref: false })] : []
    await Promise.race([this.#rest(), ...late])
    for (const feed of this.#feeds.values()) feed.end()
    await this.store.close()
  }

  async #rest(): Promise<void> {
    await this.#waiting?.close()
    await Promise.allSettled([...this.#opening.values()])
    // Where other workers can go on, they do.
    const end = (id: string) => (this.#isShared ? this.#drop(id) : this.#close(id))
    await Promise.allSettled([...this.#running.keys()].map(end))
    await Promise.allSettled([...this.#closing.values()])
  }

  async #obey(id: string, running: Running, command: SessionCommand): Promise<unknown> {
    const result = await running.runner.obey(command)
    this.#worked(id)
    // Only from the session itself: a database that is away by now must not keep the answer back.
    if (this.#running.get(id) === running) await this.#feeds.get(id)?.refresh()
    return result
  }

  /** How many sessions have something to do here. */
  get #atWork(): number {
    const atWork = [...this.#running.values()].filter(({ idleSince }) => idleSince === undefined).length
    return atWork + this.#opening.size
  }

  get #hasRoom(): boolean {
    return !this.isDraining && this.#atWork < this.#most
  }

  /** How long a session may have nothing to do. The more sessions a worker has, the sooner others get some. */
  get #idleMs(): number {
    if (this.isDraining) return 0
    return this.#isShared ? SHARED_IDLE_MS / Math.max(1, this.#running.size / FEW) : IDLE_MS
  }

  #canRun(about: SessionWorkspace): boolean {
    return this.#hasRoom && this.#folderOf(about) !== undefined
  }

  /** Finds where a session works here. In a store of this machine alone every session is this machine's. */
  #folderOf(about: SessionWorkspace): string | undefined {
    const known = this.#workspaces.folderOf(about)
    if (known !== undefined) return known
    const isOurs = !this.#isShared || (about.workspace === undefined && isFolder(about.cwd))
    return isOurs ? about.cwd : undefined
  }

  #folderNamed(workspace: string): string {
    const found = this.#workspaces.folder(workspace)
    if (found !== undefined) return found
    const names = this.#workspaces.names.join(", ")
    throw new ApiError(
      400,
      "unknown-workspace",
      `This server has no workspace "${workspace}".`,
      names === "" ? "Start it with --workspace NAME=PATH, or give cwd." : `It has: ${names}.`,
    )
  }

  #post(id: string, command: SessionCommand): Promise<PostedResult> {
    return postCommand(this.store, id, command, {
      free: async () => {
        if (!this.#canRun(await this.store.about(id))) return
        // No process has it. The process that opens it next carries out what was posted: this server.
        await this.#open(id).catch((error: unknown) => {
          if (!(error instanceof StoreError && error.code === "locked")) throw error
        })
      },
      read: async () => (await this.feed(id)).following.session,
    })
  }

  #open(id: string): Promise<Runner> {
    const known = this.#running.get(id)
    if (known) return Promise.resolve(known.runner)
    const opening =
      this.#opening.get(id) ??
      (async () => {
        await this.#closing.get(id)
        const about = await this.store.about(id)
        const runner = await this.#run({ cwd: this.#folderOf(about) ?? about.cwd, session: id })
        runner.wake()
        return runner
      })().finally(() => this.#opening.delete(id))
    this.#opening.set(id, opening)
    return opening
  }

  async #run({ cwd, ...wanted }: Wanted & { readonly session?: string }): Promise<Runner> {
    const lease = await this.#workplaces.lease({ cwd, mcp: {} })
    // What is told before the session has a feed is told with it.
    const early: ((feed: Feed, id: string) => void)[] = []
    let ready: { readonly feed: Feed; readonly id: string } | undefined
    const soon = (tell: (feed: Feed, id: string) => void) => {
      if (ready === undefined) early.push(tell)
      else tell(ready.feed, ready.id)
    }
    let runner: Runner
    try {
      runner = await Runner.open({
        lease,
        ...wanted,
        hear: (event: HarnessEvent) =>
          soon((feed, known) => {
            feed.hear(event)
            this.#worked(known)
          }),
        asked: (questions: readonly Question[]) => soon((feed) => feed.ask(questions)),
        lost: () =>
          soon((_, known) => {
            if (this.#running.get(known)?.runner === runner) void this.#drop(known)
          }),
      })
    } catch (error) {
      await lease.release()
      throw error
    }
    const { id } = runner.session
    this.#running.set(id, { runner, idleSince: undefined })
    try {
      const feed = await this.#feedOf(id, runner)
      feed.ask([])
      if (this.#follow) this.#followed.set(id, this.#follow(id, feed))
      ready = { feed, id }
      for (const tell of early) tell(feed, id)
    } catch (error) {
      await this.#drop(id)
      throw error
    }
    this.#worked(id)
    return runner
  }

  /** Has the feed of a session that runs here read from it. */
  async #feedOf(id: string, runner: Runner): Promise<Feed> {
    const feed = this.#feeds.get(id) ?? (await this.#openFeed(id, runner))
    feed.readFrom(runner)
    await feed.refresh()
    return feed
  }

  /** Notes whether a session has something to do: for a worker that comes after a crash, and for when to give it back. */
  #worked(id: string): void {
    const running = this.#running.get(id)
    if (running === undefined) return
    const { isAtWork } = running.runner
    const wasAtWork = running.idleSince === undefined
    running.idleSince = isAtWork ? undefined : (running.idleSince ?? Date.now())
    if (isAtWork) return
    running.runner.rest()
    // There may be room for one that waits.
    if (wasAtWork) this.#waiting?.soon()
  }

  #tidy(): void {
    const longest = this.#idleMs
    for (const [id, running] of this.#running) {
      this.#worked(id)
      if (running.idleSince !== undefined && Date.now() - running.idleSince >= longest) void this.#close(id)
    }
    for (const [id, feed] of this.#feeds)
      if (feed.unused > FORGET_MS && !this.#running.has(id)) this.#feeds.delete(id)
  }

  #close(id: string): Promise<void> {
    return this.#end(id, async (runner) => {
      await runner.close()
    })
  }

  /** Gives a session back in the middle of its work, or after another worker has it: that one goes on. */
  #drop(id: string): Promise<void> {
    // The worker that has it next tells of what happens from now on.
    this.#unfollow(id)
    return this.#end(id, async (runner) => {
      await runner.leave()
      this.#feeds.get(id)?.ask([])
    })
  }

  #end(id: string, how: (runner: Runner) => Promise<void>): Promise<void> {
    const running = this.#running.get(id)
    if (running === undefined) return this.#closing.get(id) ?? Promise.resolve()
    this.#running.delete(id)
    this.#feeds.get(id)?.readFrom(undefined)
    const closing = how(running.runner)
      .catch((error: unknown) => err.line(`sotto: session ${id}: ${reasonOf(error)}`))
      .finally(() => {
        this.#closing.delete(id)
        this.#unfollow(id)
      })
    this.#closing.set(id, closing)
    return closing
  }

  #unfollow(id: string): void {
    this.#followed.get(id)?.()
    this.#followed.delete(id)
  }

  /** Sessions that others run have gone on, perhaps. */
  #othersWrote(): void {
    for (const [id, feed] of this.#feeds) if (feed.unused === 0) this.#unwaited(id, this.#renew(id, feed))
    this.#looking ??= setTimeout(() => {
      this.#looking = undefined
      for (const [id, feed] of this.#feeds)
        if (feed.unused === 0 && !this.#running.has(id)) this.#unwaited(id, this.#askElsewhere(id, feed))
    }, ASKING_MS)
  }

  /** Has work done that no caller waits for. A store that cannot be reached is asked again at the next change. */
  #unwaited(id: string, work: Promise<void>): void {
    work.catch((error: unknown) => {
      if (!(error instanceof StoreError)) err.line(`sotto: session ${id}: ${reasonOf(error)}`)
    })
  }

  async #renew(id: string, feed: Feed): Promise<void> {
    try {
      await feed.refresh()
    } catch (error) {
      if (!(error instanceof StoreError && error.code === "unknown-session")) throw error
      feed.end()
      this.#feeds.delete(id)
    }
  }

  async #askElsewhere(id: string, feed: Feed): Promise<void> {
    const asked = await this.#askedElsewhere(id)
    if (!this.#running.has(id)) feed.ask(asked)
  }

  async #askedElsewhere(id: string): Promise<readonly Question[]> {
    return ((await this.store.holder(id))?.asking ?? []) as readonly Question[]
  }
}

function isFolder(path: string): boolean {
  return isAbsolute(path) && statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

function stopping(): ApiError {
  return new ApiError(
    503,
    "stopping",
    "The server takes no more sessions: it is being drained or stopped.",
    "Send it to another server, or again when this one is back.",
  )
}
