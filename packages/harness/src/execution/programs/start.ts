import {
  type ChildProcess,
  type ChildProcessByStdio,
  type ChildProcessWithoutNullStreams,
  type SpawnOptions,
  spawn,
} from "node:child_process"
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Readable, Writable } from "node:stream"
import type { ChildEnvironment } from "./environment.js"
import type { Launch } from "./launch.js"

export interface StartOptions extends Omit<SpawnOptions, "env" | "stdio" | "shell"> {
  readonly env: ChildEnvironment
}

/*
 * The only place that starts processes: a test refuses every other import of node:child_process. The type of `env`
 * keeps keys out of each of them, and the type of the launch says that somebody decided how it is supervised.
 */

/** Starts a program and speaks to it over all three of its streams. */
export function startPiped(launch: Launch, options: StartOptions): ChildProcessWithoutNullStreams {
  return spawn(launch.program, launch.args, { ...options, stdio: "pipe" })
}

/** Starts a program that is only listened to. */
export function startPrinting(
  launch: Launch,
  options: StartOptions,
): ChildProcessByStdio<null, Readable, Readable> {
  const start = (...more: readonly number[]) =>
    spawn(launch.program, launch.args, { ...options, stdio: ["ignore", "pipe", "pipe", ...more] })
  return withFilter(launch, start) as ChildProcessByStdio<null, Readable, Readable>
}

/** Starts a program that has the terminal for itself, such as an editor. */
export function startInTerminal(launch: Launch, options: StartOptions): ChildProcess {
  return spawn(launch.program, launch.args, { ...options, stdio: "inherit" })
}

/**
 * Starts a program that has the terminal, and the keys: the user named it on the command line, and it works instead of
 * Sotto. Nothing that a model or a folder names is started this way.
 */
export function startInstead(
  program: string,
  args: readonly string[],
  options: Omit<SpawnOptions, "stdio" | "shell">,
): ChildProcess {
  return spawn(program, args, { ...options, stdio: "inherit" })
}

/** Starts a program that Sotto neither waits for nor listens to, such as a browser. It goes on when Sotto ends. */
export function startDetached(program: string, args: readonly string[], options: StartOptions): void {
  const child = spawn(program, args, { ...options, detached: true, stdio: "ignore" })
  // Ignore the error: the caller tells in another way what to do.
  child.on("error", () => {})
  child.unref()
}

/**
 * Starts Sotto itself, once more, with the same variables: another of its commands, which is talked to over its
 * streams.
 */
export function startSotto(args: readonly string[], cwd: string): ChildProcessWithoutNullStreams {
  const [, program = ""] = process.argv
  return spawn(process.execPath, [program, ...args], { cwd, env: process.env, stdio: "pipe" })
}

/** Starts another of Sotto's commands in this terminal, which the caller has given up meanwhile. */
export function startSottoHere(args: readonly string[], cwd: string): ChildProcess {
  const [, program = ""] = process.argv
  return spawn(process.execPath, [program, ...args], { cwd, env: process.env, stdio: "inherit" })
}

/**
 * Starts a program of Sotto's own, given as text, that goes by its standard input alone. It has a process group and a
 * session of its own, so that no key and no signal to this process reaches it. This process can end while it runs.
 */
export function startAlone(source: string): ChildProcessByStdio<Writable, null, null> {
  const child = spawn(process.execPath, ["-e", source], {
    detached: true,
    env: {},
    stdio: ["pipe", "ignore", "ignore"],
  })
  child.unref()
  // A pipe is a socket here, whatever its type says.
  if ("unref" in child.stdin && typeof child.stdin.unref === "function") child.stdin.unref()
  return child
}

/** Starts a program that prints to an open file, its complaints too. */
export function startInto(file: number, launch: Launch, options: StartOptions): ChildProcess {
  return withFilter(launch, (...more) =>
    spawn(launch.program, launch.args, { ...options, stdio: ["ignore", file, file, ...more] }),
  )
}

/** Hands a filter of system calls to the program as its file descriptor 3. */
function withFilter<T>({ filter }: Launch, start: (...more: readonly number[]) => T): T {
  if (filter === undefined) return start()
  // A file of its own for each program: bubblewrap reads it to its end.
  const folder = mkdtempSync(join(tmpdir(), "sotto-filter-"))
  const path = join(folder, "filter")
  writeFileSync(path, filter, { mode: 0o600 })
  const file = openSync(path, "r")
  rmSync(folder, { recursive: true })
  try {
    return start(file)
  } finally {
    closeSync(file)
  }
}
