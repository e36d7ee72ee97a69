import { execFile, execFileSync } from "node:child_process"
import { symlinkSync, truncateSync, writeFileSync } from "node:fs"
import { createServer, type Server } from "node:net"
import { fileURLToPath } from "node:url"
import { gzipSync } from "node:zlib"
import { afterAll, describe, expect, it } from "vitest"
import { type Bench, benchWith, finished } from "./support/sotto.js"

const MB = 1024 * 1024
/** Lines of spaces: they cost a reader little, and unpack to a thousand times their size. */
const MEMBER = gzipSync(`${" ".repeat(MB - 1)}\n`.repeat(64))

function bomb(members: number, beginning = ""): Buffer {
  return Buffer.concat([gzipSync(beginning), ...Array.from({ length: members }, () => MEMBER)])
}

const servers: Server[] = []
afterAll(() => {
  for (const server of servers) server.close()
})

const CALL = JSON.stringify({
  at: 1,
  ms: 1,
  request: { method: "POST", path: "/v1/messages", headers: {}, body: '{"model":"m","messages":[]}' },
})

describe.concurrent("what is no regular file is refused at once", () => {
  it.each(["pipe", "device", "link to a device", "socket", "link to a pipe"])("%s", async (what) => {
    const bench = benchWith()
    const path = bench.path("source.jsonl")
    if (what === "pipe") execFileSync("mkfifo", [path])
    if (what === "link to a pipe") {
      execFileSync("mkfifo", [bench.path("pipe")])
      symlinkSync(bench.path("pipe"), path)
    }
    if (what === "link to a device") symlinkSync("/dev/zero", path)
    if (what === "socket") {
      const server = createServer().listen(path)
      servers.push(server)
    }
    const named = what === "device" ? "/dev/zero" : "source.jsonl"
    for (const command of ["check", "import"]) {
      const { code, err } = await finished(bench, [command, named])
      expect([command, code]).toEqual([command, 2])
      expect(err).toContain(`${named} is not a regular file`)
    }
  })

  it("in a store of opencode", async () => {
    const bench = benchWith({ "storage/message/ses_1/msg_1.json": "{}", "storage/part/x": "" })
    execFileSync("mkfifo", [bench.path("storage/message/ses_1/msg_2.json")])
    const { code, err } = await finished(bench, ["check", "storage"])
    expect(code).toBe(2)
    expect(err).toMatch(/msg_2\.json.*not a regular file/)
  })

  it("as a recording to add to", async () => {
    const bench = benchWith()
    execFileSync("mkfifo", [bench.path("calls.jsonl")])
    const { code, err } = await finished(bench, ["proxy", "--record", "calls.jsonl", "--", "true"])
    expect(code).toBe(2)
    expect(err).toMatch(/--record calls\.jsonl.*not a regular file/)
  })
})

describe("what unpacks to more than the limit is refused by name", () => {
  it("by sotto import", async () => {
    const bench = benchWith()
    writeFileSync(bench.path("bomb.jsonl.gz"), bomb(16))
    const { code, err } = await finished(bench, ["import", "bomb.jsonl.gz"])
    expect(code).not.toBe(0)
    expect(err).toMatch(/bomb\.jsonl\.gz.*256 MB/s)
  })

  it("by sotto import, also if it is not compressed", async () => {
    const bench = benchWith({ "large.jsonl": "" })
    truncateSync(bench.path("large.jsonl"), 300 * MB)
    const { code, err } = await finished(bench, ["import", "large.jsonl"])
    expect(code).not.toBe(0)
    expect(err).toMatch(/large\.jsonl.*256 MB/s)
  })

  it("by sotto check", async () => {
    const bench = benchWith()
    writeFileSync(bench.path("bomb.jsonl.gz"), bomb(33, `${CALL}\n`))
    const file = await finished(bench, ["check", "bomb.jsonl.gz"])
    expect(file.code).toBe(2)
    expect(file.err).toMatch(/bomb\.jsonl\.gz.*2 GB/s)
  })

  it("by sotto check, if one line of it is too long", async () => {
    const bench = benchWith({ "sparse.jsonl": `${CALL}\n` })
    truncateSync(bench.path("sparse.jsonl"), 3_000 * MB)
    const { code, err } = await finished(bench, ["check", "sparse.jsonl"])
    expect(code).toBe(2)
    expect(err).toMatch(/sparse\.jsonl.*line.*256 MB/s)
  })
})

it("an entry of a HAR file that never ends is refused by name", async () => {
  const bench = benchWith()
  const beginning = gzipSync('{"log":{"entries":[{"a":[')
  const members = Array.from({ length: 5 }, () => MEMBER)
  writeFileSync(bench.path("endless.har.gz"), Buffer.concat([beginning, ...members]))
  const { code, err } = await finished(bench, ["check", "endless.har.gz"])
  expect(code).toBe(2)
  expect(err).toMatch(/endless\.har\.gz.*entry 1 has more than 256 MB/s)
})

describe("standard input that never ends is read up to a limit", () => {
  it("if it holds calls", async () => {
    const bench = benchWith({ "call.jsonl": `${CALL}\n` })
    const line = `head -c 100000 /dev/zero | tr '\\0' ' '`
    const { code, err } = await checkedInput(bench, `cat call.jsonl; yes "$(${line})"`)
    expect(code).toBe(2)
    expect(err).toMatch(/stdin.*2 GB/s)
  })

  it("if nothing in it can be known", async () => {
    const { code, err } = await checkedInput(benchWith(), "yes")
    expect(code).toBe(2)
    expect(err).toMatch(/stdin has no format that Sotto can read/)
  })

  it("if it is a prompt", async () => {
    const { code, err } = await piped(benchWith(), "yes", "run --model anthropic/claude-opus-5-5")
    expect(code).toBe(2)
    expect(err).toMatch(/prompt.*16 MB/s)
  })
})

const COMMAND = fileURLToPath(new URL("../bin/sotto.js", import.meta.url))

const checkedInput = (bench: Bench, from: string) => piped(bench, from, "check -")

/** What the command does with the output of a program on its standard input. */
function piped(bench: Bench, from: string, args: string): Promise<{ code: number; err: string }> {
  const env = {
    PATH: process.env.PATH,
    HOME: bench.home,
    SOTTO_HOME: bench.home,
    COMMAND,
    NODE: process.execPath,
  }
  return new Promise((resolve) => {
    const script = `(${from}) 2>/dev/null | "$NODE" "$COMMAND" ${args}`
    execFile("sh", ["-c", script], { cwd: bench.cwd, env, timeout: 100_000 }, (error, _, err) =>
      resolve({ code: error === null ? 0 : Number(error.code), err }),
    )
  })
}
