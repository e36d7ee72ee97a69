import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs"
import { rm } from "node:fs/promises"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { fileURLToPath } from "node:url"
import { onTestFinished } from "vitest"

/** Milliseconds. opencode leaves thousands of files in its home. */
const CLEARING = 120_000

const repository = fileURLToPath(new URL("../../../", import.meta.url))

/** An agent that others wrote. It is installed on demand, because it is larger than everything else here together. */
export interface Peer {
  readonly name: string
  /** For npm: "name@version". */
  readonly packages: readonly string[]
  /** The file of the example, below `examples`. */
  readonly example: string
}

/**
 * A folder as a user of the peer would have it: the peer's packages and the example. It lies inside the repository's
 * `node_modules`, where `@sotto/core` is found. The packages stay for the next run, until `npm ci`.
 */
export function installPeer({ name, packages, example }: Peer): string {
  const folder = join(
    repository,
    "node_modules/.sotto/peers",
    `${name}@${packages.join().replace(/\W+/g, "-")}`,
  )
  if (!existsSync(join(folder, "installed"))) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, type: "module" }))
    const args = ["install", "--ignore-scripts", "--no-audit", "--no-fund", ...packages]
    execFileSync("npm", args, { cwd: folder, stdio: ["ignore", "ignore", "inherit"] })
    writeFileSync(join(folder, "installed"), "")
  }
  copyFileSync(join(repository, "examples", example), join(folder, basename(example)))
  return folder
}

/** What a compiler says about the example, with the peer's own types and this repository's strictness. */
export function compilerComplaints(folder: string, { example }: Peer): string {
  const config = {
    extends: join(repository, "tsconfig.base.json"),
    compilerOptions: { composite: false, noEmit: true, types: ["node"] },
    files: [basename(example)],
  }
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config))
  const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc")
  try {
    execFileSync(process.execPath, [tsc, "-p", folder], { encoding: "utf8" })
    return ""
  } catch (error) {
    return String((error as { stdout?: string }).stdout ?? error)
  }
}

/** An empty project and an empty home, for one test. */
export function newPlace(): { readonly home: string; readonly cwd: string } {
  const folder = mkdtempSync(join(tmpdir(), "sotto-peer-"))
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }), CLEARING)
  const place = { home: join(folder, "home"), cwd: join(folder, "project") }
  for (const made of Object.values(place)) mkdirSync(made)
  return place
}

/** A program of a peer that is talked to in lines of JSON. It ends with the test. */
export interface Talk {
  write(line: object): void
  /** The next line, of those not yet taken, that passes. Rejects if the program ends without one. */
  line(passes: (line: Record<string, unknown>) => boolean): Promise<Record<string, unknown>>
  kill(): Promise<void>
}

export function talkTo(
  command: string,
  args: readonly string[],
  { home, cwd }: { readonly home: string; readonly cwd: string },
  env: Readonly<Record<string, string>>,
): Talk {
  const child: ChildProcess = spawn(command, args, {
    cwd,
    env: { PATH: process.env.PATH ?? "", HOME: home, LANG: "C.UTF-8", ...env },
    detached: true, // A group of its own, so that what it starts ends with it.
  })
  const closed = once(child, "close")
  let complaint = ""
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    complaint = (complaint + text).slice(-2_000)
  })
  const lines: Record<string, unknown>[] = []
  let rest = ""
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    const whole = (rest + text).split("\n")
    rest = whole.pop() ?? ""
    lines.push(...whole.map((one) => (one.startsWith("{") ? JSON.parse(one) : { text: one })))
    child.emit("lines")
  })
  child.stdin?.on("error", () => {}) // It has ended, which the next line() says.
  const kill = async () => {
    if (child.exitCode === null && child.signalCode === null && child.pid !== undefined)
      process.kill(-child.pid, "SIGKILL")
    await closed
  }
  onTestFinished(kill, CLEARING)
  return {
    write: (line) => void child.stdin?.write(`${JSON.stringify(line)}\n`),
    async line(passes) {
      for (;;) {
        const found = lines.findIndex(passes)
        if (found >= 0) return lines.splice(0, found + 1).at(-1) ?? {}
        const ended = await Promise.race([once(child, "lines").then(() => false), closed.then(() => true)])
        if (ended && !lines.some(passes)) throw new Error(`${command} ended: ${complaint}`)
      }
    },
    kill,
  }
}
