import { execFile } from "node:child_process"
import { mkdirSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { expect, it } from "vitest"
import { benchWith } from "./support/sotto.js"

const COMMAND = fileURLToPath(new URL("../bin/sotto.js", import.meta.url))

it("sotto doctor says that the disk is full, and what to do", async () => {
  const bench = benchWith()
  mkdirSync(bench.home)
  // A disk of its own, in a namespace of its own: it is gone with the process.
  const script = `mount -t tmpfs -o size=256k none "$1" && exec "$2" "$3" doctor`
  const args = ["-rm", "sh", "-c", script, "sh", bench.home, process.execPath, COMMAND]
  const env = { PATH: process.env.PATH, HOME: bench.home, SOTTO_HOME: bench.home }
  const run = promisify(execFile)("unshare", args, { cwd: bench.cwd, env })
  await expect(run).rejects.toMatchObject({
    code: 1,
    stdout: expect.stringMatching(
      /^FAILED +store +The disk of \S+ is full: \d+ kB are free.*set SOTTO_HOME/m,
    ),
  })
})
