import { spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { spawn } from "@lydell/node-pty"
import { expect, it } from "vitest"
import { benchWith } from "./support/sotto.js"

const PROCESS = new URL("../../../scripts/process.mjs", import.meta.url).href

/** A program that shows a line for another one, as `npm start` does while it installs and builds. */
function script(command: string, args: readonly string[]): string {
  const call = `quietly("Building", ${JSON.stringify(command)}, ${JSON.stringify(args)}, { about: "half a minute" })`
  return `import { quietly } from ${JSON.stringify(PROCESS)}\nawait ${call}\n`
}

it("is drawn anew in a terminal, with the time that has passed", async () => {
  const bench = benchWith()
  const gate = bench.gate()
  const file = bench.path("line.mjs")
  writeFileSync(file, script("cat", [bench.path("gate")]))
  const pty = spawn(process.execPath, [file], { cols: 80, rows: 24, cwd: bench.cwd })
  let drawn = ""
  const ended = new Promise<number>((resolve) => pty.onExit(({ exitCode }) => resolve(exitCode)))
  const ticked = new Promise<void>((resolve) =>
    pty.onData((data) => {
      drawn += data
      if (drawn.includes("… 1 s")) resolve()
    }),
  )
  await ticked
  await gate.open()
  expect(await ended).toBe(0)
  expect(drawn).toContain("\r\u001b[2KBuilding (about half a minute)… 1 s")
  expect(drawn).toMatch(/Building \(about half a minute\)… done in \d+\.\d s\r\n$/)
  expect(drawn.split("\n")).toHaveLength(2)
})

it("is a plain line elsewhere, and shows what a failure printed", () => {
  const bench = benchWith()
  const file = bench.path("line.mjs")
  writeFileSync(file, script("true", []))
  const { stderr } = spawnSync(process.execPath, [file], { encoding: "utf8" })
  expect(stderr).toMatch(/^Building \(about half a minute\)… done in \d+\.\d s\n$/)
  writeFileSync(file, script("sh", ["-c", "echo what went wrong; exit 3"]))
  const failed = spawnSync(process.execPath, [file], { encoding: "utf8" })
  expect(failed.status).toBe(3)
  expect(failed.stderr).toBe("Building (about half a minute)… failed\nwhat went wrong\n")
})
