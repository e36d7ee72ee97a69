import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { beforeEach, expect, test } from "vitest"
import { startCommand } from "../src/execution/programs/command.js"
import { childEnvironment } from "../src/execution/programs/environment.js"
import { direct } from "../src/execution/programs/launch.js"
import { removeOldOutputs } from "../src/execution/programs/old-outputs.js"
import { watchSize } from "../src/execution/programs/output-cap.js"
import { appendPrivate, openPrivate, privateFolder } from "../src/platform/workspace/private-files.js"
import { logFile } from "../src/sources/mcp/log-file.js"
import { toolOutput } from "../src/sources/mcp/output.js"
import { writeArchives } from "../src/store/archive-files.js"
import { connect } from "../src/store/sqlite/sqlite.js"
import { openStore } from "../src/store/store.js"
import { writeWhole } from "../src/tools/file-views/text-file.js"
import { writerTo } from "../src/tools/tasks/output.js"

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)

/** A home that the user made, open to everybody, as most folders are. */
let home = ""

beforeEach(() => {
  process.umask(0o022)
  home = mkdtempSync(join(tmpdir(), "sotto-private-"))
  chmodSync(home, 0o755)
})

function expectPrivate(folder: string): void {
  expect(modeOf(folder), folder).toBe("700")
  for (const name of readdirSync(folder)) expect(modeOf(join(folder, name)), name).toBe("600")
}

test("outputs of commands are their owner's only, in a home that is open to others", async () => {
  const output = join(home, "output", "bash-1.txt")
  await (
    await startCommand({
      launch: direct(["echo", "secret"]),
      cwd: home,
      env: childEnvironment(process.env),
      output,
    })
  ).ended
  writerTo(join(home, "output", "agent-1.txt"))("a line")
  const blob = Buffer.from("not an image").toString("base64")
  await toolOutput({ content: [{ type: "audio", data: blob, mimeType: "audio/wav" }] }, join(home, "output"))
  expect(readdirSync(join(home, "output"))).toHaveLength(3)
  expectPrivate(join(home, "output"))
})

test("logs of MCP servers are their owner's only", async () => {
  const path = join(home, "logs", "server.log")
  logFile(path)(Buffer.from("complaint"))
  await expect.poll(() => existsSync(path)).toBe(true)
  expectPrivate(join(home, "logs"))
})

test("a store that was open to others is closed to them", async () => {
  const path = join(home, "sessions.db")
  await (await openStore(path)).close()
  chmodSync(path, 0o644)
  await (await openStore(path)).close()
  expect(modeOf(path)).toBe("600")
})

test("what is named as a store by mistake keeps its mode", () => {
  const folder = join(home, "documents")
  mkdirSync(folder, { mode: 0o755 })
  const text = join(home, "letter.txt")
  writeFileSync(
    text,
    "Dear all, this is not a store, and longer than a header of SQLite would be.".repeat(20),
  )
  const foreign = join(home, "other.db")
  const other = connect(foreign)
  other.exec("CREATE TABLE accounts (name TEXT)")
  other.close()
  for (const path of [text, foreign]) chmodSync(path, 0o644)
  for (const path of [folder, text, foreign]) expect(() => openStore(path)).toThrow(path)
  expect([folder, text, foreign].map(modeOf)).toEqual(["755", "644", "644"])
  expect(() => openStore(folder)).toThrow("it is a folder. Name a file, for example")
})

test("a folder for archives that is there already keeps its mode", () => {
  const folder = join(home, "shared")
  mkdirSync(folder, { mode: 0o755 })
  chmodSync(folder, 0o755)
  writeArchives(folder, [])
  expect(modeOf(folder)).toBe("755")
})

test("what an earlier version left open is closed when it is used again", () => {
  const folder = join(home, "output")
  mkdirSync(folder, { mode: 0o755 })
  for (const name of ["a", "b"]) writeFileSync(join(folder, name), "", { mode: 0o644 })
  privateFolder(folder)
  openPrivate(join(folder, "a"))
  appendPrivate(join(folder, "b"), "more")
  expectPrivate(folder)
})

test("files of the workspace keep the usual modes", async () => {
  await writeWhole(join(home, "src", "a.ts"), "1")
  expect([modeOf(join(home, "src")), modeOf(join(home, "src", "a.ts"))]).toEqual(["755", "644"])
})

test("a command that floods its output is ended close to the limit, however fast it prints", async () => {
  const output = join(home, "output", "yes.txt")
  const running = await startCommand({
    launch: direct(["yes"]),
    cwd: home,
    env: childEnvironment(process.env),
    output,
  })
  expect(await running.ended).toMatchObject({ why: "too much output", signal: "SIGKILL" })
  expect(statSync(output).size).toBe(200_000_000)
}, 60_000)

test("a growing file is looked at the sooner the faster it grows", async () => {
  const path = join(home, "grows")
  const file = openPrivate(path)
  const over = new Promise<number>((resolve) => {
    const stop = watchSize(file, 1_000_000, () => {
      stop()
      resolve(statSync(path).size)
    })
  })
  const writer = setInterval(() => appendPrivate(path, "x".repeat(10_000)), 1)
  const size = await over
  clearInterval(writer)
  expect(size).toBeGreaterThan(1_000_000)
  expect(size).toBeLessThan(2_000_000)
})

test("outputs older than two weeks are removed, and the oldest of too many, but none of today", async () => {
  const now = Date.now()
  const put = (name: string, days: number) => {
    writeFileSync(join(home, name), "x")
    utimesSync(join(home, name), new Date(now), new Date(now - days * 86_400_000))
  }
  put("today", 0)
  put("recent", 13)
  put("old", 15)
  // Files with holes, which take no room on the disk.
  for (const [name, days] of [
    ["large", 0.5],
    ["larger", 2],
    ["largest", 3],
  ] as const) {
    put(name, days)
    truncateSync(join(home, name), 600_000_000)
    utimesSync(join(home, name), new Date(now), new Date(now - days * 86_400_000))
  }
  await removeOldOutputs(home, now)
  expect(readdirSync(home).sort()).toEqual(["large", "today"])
})

test("what a writer that died has left is removed by the next one, and nothing else is", async () => {
  const old = new Date(Date.now() - 3_600_000)
  const put = (name: string, at?: Date) => {
    writeFileSync(join(home, name), "")
    if (at) utimesSync(join(home, name), at, at)
  }
  const dead = ".sotto-4194305-0123456789ab.tmp"
  const earlier = ".sotto-0123456789ab.tmp"
  const living = `.sotto-${process.pid}-0123456789ab.tmp`
  const young = ".sotto-4194305-ba9876543210.tmp"
  for (const name of [dead, earlier, living, "mine.tmp"]) put(name, old)
  put(young)
  await writeWhole(join(home, "a.ts"), "1")
  expect(readdirSync(home).sort()).toEqual([living, young, "a.ts", "mine.tmp"].sort())
})
