import { execFileSync, spawn } from "node:child_process"
import {
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { createServer, type Server } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { GIT_ENVIRONMENT } from "../../src/git.js"

/** What an attack tries to run. It leaves a file behind. */
export const PAYLOAD = "touch pwned"

const plain = { PATH: process.env.PATH ?? "", LANG: "C.UTF-8", TERM: "dumb" }

/** A folder to run scripts in. Everything that a script could change in it is compared before and after. */
export interface Scratch {
  readonly folder: string
  /** A port of this machine on which nobody may call. */
  readonly port: number
  /** What the scripts changed together, or undefined. */
  run(...scripts: readonly string[]): Promise<string | undefined>
  close(): void
}

export async function scratchFolder(prepare: (folder: string) => void = () => {}): Promise<Scratch> {
  const outer = mkdtempSync(join(tmpdir(), "sotto-attack-"))
  const { server, calls } = await listening()
  const folder = join(outer, "work")
  const pristine = `${outer}-pristine`
  mkdirSync(join(outer, "home"), { recursive: true })
  furnish(folder, outer)
  prepare(folder)
  cpSync(outer, pristine, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true })
  const before = snapshot(outer)
  const rebuild = () => {
    rmSync(outer, { recursive: true, force: true })
    cpSync(pristine, outer, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true })
  }
  const address = server.address()
  return {
    folder,
    port: address !== null && typeof address === "object" ? address.port : 0,
    async run(...scripts) {
      const called = calls()
      await runScripts(scripts, folder, outer)
      const after = snapshot(outer)
      const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
        (path) => before.get(path) !== after.get(path),
      )
      if (changed.length > 0) rebuild()
      if (calls() !== called) return "a connection"
      return changed.length > 0 ? changed.join(", ") : undefined
    },
    close() {
      server.close()
      for (const path of [outer, pristine]) rmSync(path, { recursive: true, force: true })
    },
  }
}

function furnish(folder: string, outer: string): void {
  mkdirSync(join(folder, "src", "deep"), { recursive: true })
  mkdirSync(join(folder, "secrets"))
  const files: Readonly<Record<string, string>> = {
    a: "one\ntwo\ntwo\n",
    b: "two\nthree\n",
    "a.txt": "alpha beta\ngamma delta\n",
    victim: "keep me\n",
    "hex.txt": "746f756368\n",
    ".env": "KEY=secret\n",
    "secrets/key": "secret\n",
    "src/a.ts": "export const a = 1\n",
    "src/deep/b.ts": "export const b = 2 // TODO\n",
    "data.json": '{"name": "x", "list": [1, 2, 3]}\n',
    "package.json": '{"name": "scratch", "version": "1.0.0"}\n',
    "README.md": "# Scratch\n\nText.\n",
    "-o": "a file with the name of an option\n",
    run: `#!/bin/bash\n${PAYLOAD}\n`,
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text, { mode: 0o755 })
  symlinkSync("a", join(folder, "link"))
  git(folder, outer, "init", "-q", "-b", "main", "--template=")
  mkdirSync(join(folder, ".git", "info"), { recursive: true })
  git(folder, outer, "add", ".")
  git(folder, outer, "commit", "-qm", "first")
  writeFileSync(join(folder, "a"), "one\nchanged\n")
  git(folder, outer, "stash", "-q")
  writeFileSync(join(folder, "b"), "two\nchanged\n")
  // The index now says something else about this file than the disk: a command that looks may want to write that down.
  utimesSync(join(folder, "a.txt"), 1, 1)
  writeFileSync(join(outer, "outside.txt"), "outside\n")
}

export function git(folder: string, home: string, ...args: readonly string[]): void {
  const identity = ["-c", "user.name=t", "-c", "user.email=t@localhost"]
  execFileSync("git", [...identity, ...args], { cwd: folder, env: { ...plain, HOME: home }, stdio: "ignore" })
}

/** Names, kinds, modes and contents. */
function snapshot(root: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  const walk = (path: string) => {
    const stat = lstatSync(path)
    const content = stat.isSymbolicLink()
      ? readlinkSync(path)
      : stat.isFile()
        ? readFileSync(path, "latin1")
        : ""
    found.set(path, `${stat.mode} ${content}`)
    if (stat.isDirectory()) for (const name of readdirSync(path)) walk(join(path, name))
  }
  walk(root)
  return found
}

/** One process for many scripts: starting each from here would take most of the time. */
const driver = 'for script in "$@"; do timeout -s KILL 3 bash -c "$script" </dev/null >/dev/null 2>&1; done'

/** Runs each as the bash tool does, with git's environment, for three seconds at most. */
function runScripts(scripts: readonly string[], cwd: string, outer: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const env = { ...plain, HOME: join(outer, "home"), ...GIT_ENVIRONMENT }
    // A NUL ends an argument: bash would see no more of the script either.
    const args = ["-c", driver, "driver", ...scripts.map((script) => script.split("\0", 1)[0] ?? "")]
    const child = spawn("bash", args, { cwd, env, stdio: "ignore" })
    child.on("error", reject)
    child.on("close", () => resolve())
  })
}

async function listening(): Promise<{ readonly server: Server; readonly calls: () => number }> {
  let calls = 0
  const server = createServer((socket) => {
    calls++
    socket.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  server.unref()
  return { server, calls: () => calls }
}
