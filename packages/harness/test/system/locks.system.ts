import { spawn, spawnSync } from "node:child_process"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { expect, onTestFinished, test } from "vitest"
import { openStore } from "../../src/store/store.js"
import { program, temporary } from "../store-support.js"

/** Opens the session "s", says what came of it and who it is, and stays until it is ended. */
const HOLDER = `
const store = await openStore(process.argv[2])
try {
  writeSync(1, "open " + (await store.open("s")).length + " as " + process.pid + "\\n")
} catch (error) {
  writeSync(1, error.message + "\\n")
}
process.stdin.on("end", () => store.close()).resume()
`

/** A process of its own pid namespace, in which it is number 1, as in a container. */
const CONTAINER = ["--user", "--map-root-user", "--pid", "--fork", "--mount-proc", "--kill-child"]

function container(file: string, path: string) {
  const child = spawn("unshare", [...CONTAINER, process.execPath, file, path], {
    stdio: ["pipe", "pipe", "inherit"],
  })
  onTestFinished(() => void child.kill("SIGKILL"))
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()))
  return { child, ended, line: async () => (await lines.next()).value as string | undefined }
}

test("a session that was killed in a container is free at once in the next, and is refused while it is open in another", async () => {
  expect(spawnSync("unshare", [...CONTAINER, "true"]).status).toBe(0)
  const folder = temporary()
  const path = join(folder, "sotto.db")
  const store = await openStore(path)
  onTestFinished(() => store.close())
  await store.create({ cwd: "/w" }, [
    { type: "opened", version: 1, id: "s", agent: "build", model: { id: "m" }, seq: 0, at: 0 },
  ])
  await store.release("s")
  const file = program(folder, HOLDER)
  const first = container(file, path)
  expect(await first.line()).toBe("open 1 as 1")
  const second = container(file, path)
  expect(await second.line()).toMatch(/^The session s is open in process 1 on /)
  await expect(async () => store.open("s")).rejects.toThrow("The session s is open in process 1 on ")
  first.child.kill("SIGKILL")
  await first.ended
  const third = container(file, path)
  expect(await third.line()).toBe("open 1 as 1")
  third.child.kill("SIGKILL")
  await third.ended
  expect(await store.open("s")).toHaveLength(1)
})
