import { type ChildProcessWithoutNullStreams, execFileSync, spawn } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import type { HarnessEvent } from "@sotto/harness"
import {
  type Rehearsal,
  type RehearsalOptions,
  type Script,
  type ScriptStep,
  startRehearsal,
} from "@sotto/rehearsal"
import { afterAll } from "vitest"

const COMMAND = fileURLToPath(new URL("../../bin/sotto.js", import.meta.url))
const BUILT = fileURLToPath(new URL("../../dist/main.js", import.meta.url))
const LONGEST_WAIT = 60_000

// Tests run side by side, so that what they leave is cleared away after all of them.
const leftovers: (() => unknown)[] = []
afterAll(async () => {
  for (const clear of leftovers.splice(0).reverse()) await clear()
})

export type Event<T extends HarnessEvent["type"] = HarnessEvent["type"]> = Extract<HarnessEvent, { type: T }>
export type Variables = Readonly<Record<string, string>>

/** Tests are mostly about folders that the user trusts; one about trust sets the variable to "". */
export const TRUSTING: Variables = { SOTTO_TRUST: "1" }

/** A directory to work in and a home of its own, for one test. */
export interface Bench {
  readonly home: string
  readonly cwd: string
  readonly path: (name: string) => string
  /** A pipe that `cat` waits at until the test lets it go on. */
  gate(name?: string): { open(): Promise<void> }
}

export function benchWith(files: Readonly<Record<string, string>> = {}): Bench {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "sotto-cli-")))
  leftovers.push(() => rmSync(root, { recursive: true, force: true }))
  const cwd = join(root, "project")
  const path = (name: string) => join(cwd, name)
  mkdirSync(cwd)
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(path(name)), { recursive: true })
    writeFileSync(path(name), content)
  }
  return {
    home: join(root, "home"),
    cwd,
    path,
    gate: (name = "gate") => {
      execFileSync("mkfifo", [path(name)])
      return { open: () => writeFile(path(name), "open\n") }
    },
  }
}

/** A stand-in for all the providers, closed at the end. */
export async function serverWith(
  script: Script | readonly ScriptStep[],
  options: Omit<RehearsalOptions, "script"> = {},
): Promise<Rehearsal> {
  const rehearsal = await startRehearsal({ ...options, script })
  leftovers.push(() => rehearsal.close())
  return rehearsal
}

/** What points every provider at a server, without a key. */
export function addressesOf(url: string): Variables {
  return { ANTHROPIC_BASE_URL: url, OPENAI_BASE_URL: `${url}/v1`, GOOGLE_GEMINI_BASE_URL: url }
}

/** What points every provider at a server. */
export function reaching(url: string): Variables {
  return {
    ...addressesOf(url),
    ANTHROPIC_API_KEY: "no-real-key",
    OPENAI_API_KEY: "no-real-key",
    GEMINI_API_KEY: "no-real-key",
  }
}

/** The command as somebody runs it who reads and writes JSONL. */
export function sotto(bench: Bench, args: readonly string[], env: Variables = {}): Run {
  if (!existsSync(BUILT)) throw new Error("packages/cli/dist is missing: build first (npm run build)")
  const path = process.env.PATH ?? ""
  const own = { PATH: path, HOME: bench.home, SOTTO_HOME: bench.home, ...TRUSTING }
  const child = spawn(process.execPath, [COMMAND, ...args], { cwd: bench.cwd, env: { ...own, ...env } })
  const run = new Run(child)
  leftovers.push(async () => {
    run.signal("SIGKILL")
    await run.ended
  })
  return run
}

/** A conversation in JSONL, both ways, with the model of a server. */
export function talk(bench: Bench, server: Rehearsal, ...args: readonly string[]): Run {
  return sotto(bench, ["run", "--input", "jsonl", "--output", "jsonl", ...args], reaching(server.url))
}

/** One command to its end, without anything on stdin. */
export async function finished(bench: Bench, args: readonly string[], env: Variables = {}): Promise<Ended> {
  const run = sotto(bench, args, env)
  run.end()
  return run.ended
}

export interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** What an event is known by: some of its fields. */
type Wanted = { readonly type: HarnessEvent["type"] } & Readonly<Record<string, unknown>>

export class Run {
  readonly events: HarnessEvent[] = []
  readonly ended: Promise<Ended>
  readonly #child: ChildProcessWithoutNullStreams
  readonly #watchers = new Set<() => void>()
  #out = ""
  #err = ""
  #rest = ""
  #over = false

  constructor(child: ChildProcessWithoutNullStreams) {
    this.#child = child
    child.stdout.setEncoding("utf8").on("data", (text: string) => this.#hear(text))
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#err += text
      this.#look()
    })
    // Who has ended reads no more.
    child.stdin.on("error", () => undefined)
    this.ended = new Promise((resolve) => {
      child.once("close", (code) => {
        this.#over = true
        this.#look()
        resolve({ code, out: this.#out, err: this.#err })
      })
    })
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  /** A line on stdin: a command, or a text as it is. */
  send(line: object | string): void {
    this.#child.stdin.write(`${typeof line === "string" ? line : JSON.stringify(line)}\n`)
  }

  say(text: string, more: object = {}): void {
    this.send({ type: "say", text, ...more })
  }

  write(text: string): void {
    this.#child.stdin.write(text)
  }

  /** Closes stdin, and waits for the end. */
  end(): Promise<Ended> {
    this.#child.stdin.end()
    return this.ended
  }

  signal(name: NodeJS.Signals): void {
    if (this.#child.exitCode === null) this.#child.kill(name)
  }

  /** The `nth` event with these fields, come or to come. */
  wait<T extends HarnessEvent["type"]>(wanted: Wanted & { readonly type: T }, nth = 1): Promise<Event<T>> {
    return this.#until(() => this.all(wanted)[nth - 1], `${JSON.stringify(wanted)} (${nth})`)
  }

  /** Waits for something on standard output: what the first group of the pattern matches. */
  printed(pattern: RegExp): Promise<string> {
    const find = () => {
      const found = pattern.exec(this.#out)
      return found?.[1] ?? found?.[0]
    }
    return this.#until(find, String(pattern))
  }

  /** What standard error says, now or later. */
  said(pattern: RegExp): Promise<RegExpExecArray> {
    return this.#until(() => pattern.exec(this.#err) ?? undefined, String(pattern))
  }

  #until<T>(find: () => T | undefined, what: string): Promise<T> {
    return new Promise((resolve, reject) => {
      const fail = (why: string) => {
        clearTimeout(timer)
        this.#watchers.delete(look)
        reject(new Error(`${why}: no ${what}. ${this.#err}\n${this.#newest()}`))
      }
      const look = () => {
        const found = find()
        if (found === undefined) return this.#over ? fail("It ended") : undefined
        clearTimeout(timer)
        this.#watchers.delete(look)
        resolve(found)
      }
      const timer = setTimeout(() => fail("Waited too long"), LONGEST_WAIT)
      this.#watchers.add(look)
      look()
    })
  }

  /** Every event so far with these fields. */
  all<T extends HarnessEvent["type"]>(wanted: Wanted & { readonly type: T }): readonly Event<T>[] {
    const fields = Object.entries(wanted)
    return this.events.filter((event): event is Event<T> =>
      fields.every(([name, value]) => (event as unknown as Record<string, unknown>)[name] === value),
    )
  }

  /** What the model said, put together. */
  text(): string {
    return this.all({ type: "text" })
      .map(({ text }) => text)
      .join("")
  }

  #hear(text: string): void {
    this.#out += text
    const lines = (this.#rest + text).split("\n")
    this.#rest = lines.pop() ?? ""
    for (const line of lines) if (line.startsWith("{")) this.events.push(JSON.parse(line))
    this.#look()
  }

  #look(): void {
    for (const look of [...this.#watchers]) look()
  }

  #newest(): string {
    return this.events
      .slice(-12)
      .map((event) => JSON.stringify(event).slice(0, 300))
      .join("\n")
  }
}
