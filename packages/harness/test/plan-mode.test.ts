import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { findSandbox } from "../src/index.js"
import { ATTEMPTS, DELEGATED, HARMLESS, OWN_PLANNERS, planner } from "./plan-support.js"

const { PATH = "" } = process.env
let folder = ""

// A bubblewrap that does not work, before any that does: here plan mode has only its own judgement.
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sotto-no-sandbox-"))
  await writeFile(join(folder, "bwrap"), "#!/bin/sh\nexit 1\n")
  await chmod(join(folder, "bwrap"), 0o755)
  process.env.PATH = [folder, PATH].join(delimiter)
  expect(await findSandbox()).toBeUndefined()
})
afterAll(async () => {
  process.env.PATH = PATH
  await rm(folder, { recursive: true, force: true })
})

test("a plan agent without a sandbox cannot change anything, whatever it tries, and is told so", async () => {
  const { run, snapshot, cwd } = await planner(ATTEMPTS)
  const before = snapshot()
  const answers = await run()
  expect(snapshot()).toEqual(before)
  const notRefused = ATTEMPTS.filter(([what]) => answers.get(what)?.error !== true).map(([what]) => what)
  expect(notRefused).toEqual(HARMLESS)
  expect(answers.get("the plan")?.output).toMatch(/^Created/)
  expect(await readFile(join(cwd, ".sotto/plans/x.md"), "utf8")).toBe("The plan.\n")
})

test.each(Object.keys(OWN_PLANNERS))(
  "a planner defined in %s cannot either, whatever its rules allow, with --yes and auto",
  async (where) => {
    const { run, snapshot, parent } = await planner(ATTEMPTS, where)
    const before = snapshot()
    const answers = await run()
    expect(snapshot()).toEqual(before)
    const notRefused = ATTEMPTS.filter(([what]) => answers.get(what)?.error !== true).map(([what]) => what)
    expect(notRefused).toEqual(HARMLESS)
    expect(answers.get("the plan")?.output).toMatch(/^Created/)
    expect(JSON.stringify(parent.requests[0]?.body)).toContain("The work goes in five phases.")
  },
)

test("neither can the subagents that it sends", async () => {
  const { run, snapshot, child } = await planner(DELEGATED)
  const before = snapshot()
  const answers = await run()
  expect(snapshot()).toEqual(before)
  expect(answers.get("by general")?.output).toBe("I tried.")
  const results = child.requests.flatMap(
    ({ body }) => JSON.stringify(body).match(/only reads|could not be judged/g) ?? [],
  )
  expect(results.length).toBeGreaterThan(DELEGATED.length)
  expect(child.requests.flatMap(({ problems }) => problems)).toEqual([])
})
