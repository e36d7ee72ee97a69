import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, test } from "vitest"
import { findSandbox } from "../../src/index.js"
import { ATTEMPTS, DELEGATED, HARMLESS, planner } from "../plan-support.js"

test("a plan agent with bubblewrap runs what cannot be judged, and still changes nothing", async () => {
  expect(await findSandbox()).toBeDefined()
  const { run, snapshot, cwd } = await planner([
    ["a program that only looks", "bash", { command: "node -e 'console.log(6 * 7)'" }],
    ...ATTEMPTS,
    ...DELEGATED,
  ])
  const before = snapshot()
  const answers = await run()
  expect(snapshot()).toEqual(before)
  expect(answers.get("a program that only looks")).toMatchObject({ output: "42" })
  expect(answers.get("node -e")?.output).toMatch(/EROFS|[Rr]ead-only/)
  const byTools = ATTEMPTS.filter(([what, name]) => name !== "bash" && !HARMLESS.includes(what))
  expect(byTools.filter(([what]) => answers.get(what)?.error !== true)).toEqual([])
  expect(await readFile(join(cwd, ".sotto/plans/x.md"), "utf8")).toBe("The plan.\n")
})
