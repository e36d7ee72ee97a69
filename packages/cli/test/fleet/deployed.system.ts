import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { documented } from "./deployed.js"

it("the unit of docs/server.md is what systemd takes without a word", () => {
  const folder = mkdtempSync(join(tmpdir(), "sotto-unit-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, "sotto.service")
  // The program of the page need not be on this machine. Names of settings and their values are checked.
  const unit = documented("ini", "[Unit]").replace(
    "ExecStart=/usr/bin/sotto",
    `ExecStart=${process.execPath}`,
  )
  writeFileSync(file, unit)
  const { status, stdout, stderr } = spawnSync("systemd-analyze", ["verify", "--man=no", file], {
    encoding: "utf8",
  })
  expect([status, stdout, stderr]).toEqual([0, "", ""])
  const wrong = join(folder, "wrong.service")
  writeFileSync(wrong, unit.replace("KillMode=mixed", "KillMode=gently"))
  expect(spawnSync("systemd-analyze", ["verify", "--man=no", wrong], { encoding: "utf8" }).stderr).toContain(
    "gently",
  )
})
