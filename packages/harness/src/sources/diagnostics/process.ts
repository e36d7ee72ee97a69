import type { ChildProcessWithoutNullStreams } from "node:child_process"
import { Writable } from "node:stream"
import type { MessageConnection } from "vscode-jsonrpc"
import { endGroup } from "../../execution/programs/command.js"
import type { ChildEnvironment } from "../../execution/programs/environment.js"
import { limitFlow, MOST_PER_MINUTE } from "../../execution/programs/flow.js"
import { endingOf } from "../../execution/programs/launch.js"
import { startPiped } from "../../execution/programs/start.js"
import { helper } from "../../execution/programs/supervise.js"
import { within } from "../../platform/wait.js"
import { Frames } from "./frames.js"

export interface ProcessOptions {
  readonly command: readonly [program: string, ...args: string[]]
  readonly cwd: string
  readonly env: ChildEnvironment
  /** Warns of something that the user should know, and that does not end the server. */
  warn(message: string): void
}

/** A language server's process, and the line to it. */
export interface ServerProcess {
  readonly connection: MessageConnection
  /** How it ended: for people. */
  readonly ended: Promise<string>
  hasExited(): boolean
  /** Asks it to go if it is likely to listen, then ends it and everything it has started. */
  stop(politely: boolean): Promise<void>
}

const MB = 1_000_000
const LARGEST_MESSAGE = 10 * MB
const LAST_WORDS = 2_000
const GRACE_MS = 500
/** Nothing is waited for longer than this, even if it will not die. */
export const LONGEST_END_MS = 2_000

/** Groups of processes that have to be gone when this one is, however it ends. */
const groups = new Set<number>()

export async function startProcess({ command, cwd, env, warn }: ProcessOptions): Promise<ServerProcess> {
  const { createMessageConnection, StreamMessageReader, StreamMessageWriter } = await import("./jsonrpc.js")
  const launch = await helper(command, { cwd, env })
  const child = startPiped(launch, { cwd, env, detached: true })
  const pid = await started(child)
  remember(pid)

  let words = ""
  let killed: string | undefined
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    words = (words + text).slice(-LAST_WORDS)
  })
  const exited = new Promise<string>((resolve) => {
    child.once("exit", (...ending) => resolve(killed ?? describeEnd(endingOf(launch, ...ending), words)))
  })
  const frames = new Frames({
    largest: LARGEST_MESSAGE,
    dropped: (bytes) => warn(`sent a message of ${Math.round(bytes / MB)} MB, which was dropped.`),
  })
  const kill = (why: string) => {
    killed ??= why
    void endGroup(pid, GRACE_MS)
  }
  limitFlow(child.stdout, () => kill(`sent more than ${MOST_PER_MINUTE / MB} MB within a minute`))
  const connection = createMessageConnection(
    new StreamMessageReader(child.stdout.pipe(frames)),
    new StreamMessageWriter(unfailing(child.stdin)),
  )
  // Ignore what cannot be read as a message: a server that sends nothing else is given up for not answering.
  connection.onError(() => undefined)
  const ended = exited.then(async (how) => {
    connection.dispose()
    await endGroup(pid, GRACE_MS)
    // What it started may have left the group and hold on to these, and with them to this process.
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy()
    forget(pid)
    return how
  })
  const hasExited = () => child.exitCode !== null || child.signalCode !== null
  return {
    connection,
    ended,
    hasExited,
    stop: async (politely) => {
      if (politely && !hasExited()) {
        await within(GRACE_MS, goodbye(connection)).catch(() => undefined)
        await within(GRACE_MS, exited)
      }
      // Once it is gone its number may belong to another process, and its group is seen to already.
      if (!hasExited()) await endGroup(pid, GRACE_MS)
      await within(LONGEST_END_MS, ended)
    },
  }
}

/** Says goodbye. A connection that is closed throws at once: a server may close its output and live on. */
async function goodbye(connection: MessageConnection): Promise<void> {
  await connection.sendRequest("shutdown")
  await connection.sendNotification("exit")
}

async function started(child: ChildProcessWithoutNullStreams): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve).once("error", reject)
  })
  child.on("error", () => undefined)
  return child.pid ?? 0
}

/**
 * Ignores failed writes: a server that is gone reads no more, and its end is noticed by its end. Nothing else has to
 * fail for it: vscode-jsonrpc throws what a write throws where no caller can catch it.
 */
function unfailing(stdin: Writable): Writable {
  stdin.on("error", () => undefined)
  return new Writable({
    write: (chunk, _, done) => {
      if (stdin.writable) stdin.write(chunk, () => done())
      else done()
    },
  })
}

function describeEnd({ code, signal }: ReturnType<typeof endingOf>, words: string): string {
  const last = words.trim().split("\n").at(-1)?.trim().slice(0, 300) ?? ""
  const how = code === null ? `was ended by ${signal}` : `ended with code ${code}`
  return last === "" ? how : `${how}: ${last}`
}

function remember(pid: number): void {
  if (groups.size === 0) process.once("exit", endAll)
  groups.add(pid)
}

function forget(pid: number): void {
  groups.delete(pid)
  if (groups.size === 0) process.removeListener("exit", endAll)
}

function endAll(): void {
  for (const pid of groups)
    try {
      process.kill(-pid, "SIGKILL")
    } catch {
      // It is gone already.
    }
}
