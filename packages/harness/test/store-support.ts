import { type ChildProcess, spawn } from "node:child_process"
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { createSession, type Entry, restoreSession, type Session, type SessionOptions } from "@sotto/core"
import { buildSync } from "esbuild"
import { onTestFinished } from "vitest"
import { StoreError } from "../src/store/error.js"
import type { Store } from "../src/store/store.js"

/** Reads YAML, for tests of packages that have no parser of their own. */
export { parse as readYaml } from "yaml"

export function temporary(): string {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "sotto-store-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function options(id: string, overrides: Partial<SessionOptions> = {}): SessionOptions {
  let now = 1_000
  return {
    agents: [
      { name: "build", mode: "primary" },
      { name: "plan", mode: "primary" },
    ],
    model: { id: "anthropic/claude-opus-5-5" },
    tools: [{ name: "read", description: "Reads.", inputSchema: { type: "object" } }],
    now: () => now++,
    newId: () => id,
    ...overrides,
  }
}

/** The log of a session that was just opened. */
export function opening(id: string, at: number): readonly Entry[] {
  const { model } = options(id)
  return [{ type: "opened", version: 1, id, agent: "build", model, seq: 0, at }]
}

export async function failing(work: () => unknown): Promise<StoreError> {
  try {
    await work()
  } catch (error) {
    if (error instanceof StoreError) return error
    throw error
  }
  throw new Error("expected a StoreError")
}

/** A session that writes every entry to the store before it takes effect. */
export async function stored(store: Store, id: string, cwd = "/work"): Promise<Session> {
  const first: Entry[] = []
  let isThere = false
  const onAppend = (entries: readonly Entry[]) => {
    if (isThere) void store.append(id, entries)
    else first.push(...entries)
  }
  const session = createSession(options(id, { onAppend }))
  await store.create({ cwd }, first)
  isThere = true
  return session
}

export async function restored(store: Store, id: string): Promise<Session> {
  return restoreSession(options(id), await store.load(id))
}

/** A step with a call and its result, so that the log has some of everything. */
export function work(session: Session, words: string): void {
  session.say(words)
  const next = session.next()
  if (next.is !== "request") throw new Error(`expected a request, got ${next.is}`)
  const call = `call-${session.log.length}`
  session.reply(next.request.id, {
    parts: [
      { type: "text", text: "“Reading” 🙂\u2028" },
      { type: "tool-call", id: call, name: "read", input: { path: "a.ts" } },
    ],
    stop: "tool-calls",
  })
  session.result(call, "line one\nline two\r\n")
}

const SOURCE = fileURLToPath(new URL("../src/store/store.ts", import.meta.url))
const CLIENT = fileURLToPath(new URL("../src/store/postgres.ts", import.meta.url))

/** The store as another process would load it, and something to do with it. */
export function program(folder: string, script: string): string {
  const file = join(folder, "program", `${Math.random().toString(36).slice(2)}.mjs`)
  mkdirSync(join(folder, "program"), { recursive: true })
  const modules = join(folder, "program", "node_modules")
  rmSync(modules, { force: true })
  symlinkSync(fileURLToPath(new URL("../../../node_modules", import.meta.url)), modules)
  const contents = `import { openStore } from ${JSON.stringify(SOURCE)}\nimport { loadPostgres } from ${JSON.stringify(CLIENT)}\nimport { writeSync } from "node:fs"\nawait loadPostgres()\n${script}`
  buildSync({
    stdin: { contents, resolveDir: folder, loader: "ts" },
    bundle: true,
    platform: "node",
    format: "esm",
    conditions: ["@sotto/source"],
    outfile: file,
  })
  return file
}

/** Starts it; what it says is read line by line. */
export function run(file: string, ...args: readonly string[]) {
  const child: ChildProcess = spawn(process.execPath, [file, ...args], { stdio: ["pipe", "pipe", "inherit"] })
  onTestFinished(() => void child.kill("SIGKILL"))
  if (child.stdout === null) throw new Error("no output to read")
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()))
  return {
    child,
    ended,
    /** The next line; undefined at the end. */
    line: async () => (await lines.next()).value as string | undefined,
  }
}
