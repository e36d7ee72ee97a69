import { execFile } from "node:child_process"
import { access, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises"
import { homedir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { findSandbox } from "../../src/permissions/index.js"
import type { Sandbox } from "../../src/permissions/sandbox.js"

let sandbox: Sandbox | undefined
let cwd = ""

beforeAll(async () => {
  sandbox = await findSandbox()
  cwd = await realpath(await mkdtemp(join(homedir(), ".sotto-sandbox-")))
  await writeFile(join(cwd, "a"), "before")
})
afterAll(() => rm(cwd, { recursive: true, force: true }))

async function run(command: string, writable: readonly string[] = []): Promise<string> {
  if (sandbox === undefined) throw new Error("bubblewrap is not installed or does not work on this machine.")
  const [file = "", ...args] = sandbox.wrap(command, { cwd, writable })
  return (await promisify(execFile)(file, args)).stdout
}

describe("in bubblewrap", () => {
  it("a command reads the workspace", async () => {
    expect(await run("cat a; pwd")).toBe(`before${cwd}\n`)
  })

  it.each(["echo x > a", "rm a", "mv a b", "touch new", 'node -e \'require("fs").writeFileSync("a", "x")\''])(
    "cannot write: %s",
    async (command) => {
      await expect(run(command)).rejects.toThrow()
      expect(await readFile(join(cwd, "a"), "utf8")).toBe("before")
    },
  )

  it("has a /tmp of its own", async () => {
    const name = `/tmp/sotto-${process.pid}`
    expect(await run(`echo x > ${name} && cat ${name}`)).toBe("x\n")
    await expect(access(name)).rejects.toThrow()
  })

  it("has no network and sees no other processes", async () => {
    expect(
      (await run("ls /sys/class/net 2>/dev/null; cat /proc/net/dev | tail -n +3 | cut -d: -f1")).trim(),
    ).toMatch(/lo$/)
    await expect(run(`kill -0 ${process.pid}`)).rejects.toThrow()
  })

  it("writes where it may", async () => {
    await run("echo x > b", [cwd])
    expect(await readFile(join(cwd, "b"), "utf8")).toBe("x\n")
  })
})
