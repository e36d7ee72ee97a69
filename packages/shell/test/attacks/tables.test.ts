import { spawnSync } from "node:child_process"
import { mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { table } from "../../src/programs/options.js"
import { tables } from "../../src/programs/tables.js"

const plain = mkdtempSync(join(tmpdir(), "sotto-tables-"))

describe("the tables of options", () => {
  const long = process.env.SOTTO_ATTACKS === "long"
  const valued = Object.entries(tables).flatMap(([name, source]) =>
    [...table(source).options].flatMap(([option, marks]) => (marks === ":" ? [{ name, option }] : [])),
  )

  it("call nothing a value that a program of this machine takes for a file", () => {
    const env = { PATH: process.env.PATH ?? "", LC_ALL: "C" }
    const taken = valued
      .filter((_, at) => long || at % 8 === 0)
      .filter(({ name, option }) => {
        const args = ["3", name, option, "/nowhere/at-all"]
        const { stderr } = spawnSync("timeout", args, { env, cwd: plain, input: "", encoding: "utf8" })
        return /at-all.*No such file/.test(stderr)
      })
    expect(taken).toEqual([])
  }, 60_000)
})
