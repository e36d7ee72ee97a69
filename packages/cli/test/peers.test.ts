import { spawn } from "node:child_process"
import { once } from "node:events"
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { createServer, type IncomingMessage, request } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { serving } from "./support/server.js"
import { type Bench, benchWith, sotto } from "./support/sotto.js"

// Tests run side by side, so that what they leave is cleared away after all of them.
const leftovers: (() => unknown)[] = []
afterAll(() => {
  for (const clear of leftovers.splice(0)) clear()
})

/** A stranger that listens where a registration says that a server of ours does, and keeps all that it is sent. */
async function stranger(answer: (asked: IncomingMessage) => string | Promise<string> = () => "{}") {
  const heard: string[] = []
  const server = createServer(async (asked, response) => {
    heard.push(`${asked.method} ${asked.url} ${JSON.stringify(asked.headers)}`)
    response.writeHead(200, { "content-type": "application/json" }).end(await answer(asked))
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  leftovers.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, heard: () => heard.join("\n") }
}

/** A process that lives while the test does. */
async function living(): Promise<number> {
  const child = spawn("sleep", ["600"], { stdio: "ignore" })
  leftovers.push(() => child.kill("SIGKILL"))
  await once(child, "spawn")
  return child.pid ?? 0
}

async function dead(): Promise<number> {
  const child = spawn("true", { stdio: "ignore" })
  await once(child, "exit")
  return child.pid ?? 0
}

function birthOf(pid: number): string {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? ""
}

function runFolder(bench: Bench): string {
  const folder = join(bench.home, "run")
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return folder
}

function register(bench: Bench, about: object, name = "server.json"): string {
  const path = join(runFolder(bench), name)
  writeFileSync(path, JSON.stringify({ startedAt: 1, host: "127.0.0.1", ...about }), { mode: 0o600 })
  return path
}

const TOKEN = "the-permanent-token-of-the-user"

/** What `sotto inspect` does in a home: it always ends with a page of its own here. */
async function inspected(bench: Bench) {
  const run = sotto(bench, ["inspect", "--no-open"], { SOTTO_TOKEN: TOKEN })
  const address = new URL(await run.printed(/^(http:\S+)$/m))
  run.signal("SIGINT")
  return { port: Number(address.port), ...(await run.ended) }
}

const SECRET = "s".repeat(43)

describe.concurrent("sotto inspect sends the token to no stranger", () => {
  it("that listens where a registration of a living process says", async () => {
    const [bench, other, pid] = [benchWith(), await stranger(), await living()]
    register(bench, { pid, port: other.port })
    const { port, code } = await inspected(bench)
    expect([code, port === other.port]).toEqual([0, false])
    expect(other.heard()).not.toContain(TOKEN)
    expect(other.heard()).not.toMatch(/authorization|cookie/i)
  })

  it("that cannot answer the challenge, and says so", async () => {
    const answers = ['{"proof":"guessed"}', '{"proof":""}', "{}", "not JSON", '{"proof":7}', "[]", "null"]
    for (const text of answers) {
      const [bench, other, pid] = [benchWith(), await stranger(() => text), await living()]
      const about = { pid, birth: birthOf(pid), port: other.port, secret: SECRET }
      register(bench, about)
      const { port, err } = await inspected(bench)
      expect([text, port === other.port]).toEqual([text, false])
      expect(err).toMatch(/did not prove.*nothing was sent/is)
      expect(err).toContain(String(other.port))
      expect(other.heard()).not.toContain(TOKEN)
      expect(other.heard()).not.toContain(SECRET)
    }
  })

  it("that never ends its answer, or sends more than an answer has", async () => {
    for (const size of [1, 200_000]) {
      const bench = benchWith()
      const endless = createServer((_, response) => {
        response.writeHead(200).write(`{"proof":"${"x".repeat(size)}`)
      })
      endless.listen(0, "127.0.0.1")
      await once(endless, "listening")
      leftovers.push(() => {
        endless.closeAllConnections()
        endless.close()
      })
      const pid = await living()
      const { port } = endless.address() as AddressInfo
      register(bench, { pid, birth: birthOf(pid), port, secret: SECRET })
      expect((await inspected(bench)).err).toMatch(/did not prove/)
    }
  })

  it("that passes the challenge on to the real server on another port", async () => {
    const bench = benchWith()
    const real = await serving(bench, { SOTTO_TOKEN: TOKEN })
    const relay = await stranger(
      (asked) =>
        new Promise((resolve) => {
          const { port } = new URL(real.url)
          const headers = { host: `127.0.0.1:${port}` }
          request({ host: "127.0.0.1", port, path: asked.url, headers }, async (answer) => {
            resolve(Buffer.concat(await answer.toArray()).toString())
          }).end()
        }),
    )
    const path = join(bench.home, "run", "server.json")
    register(bench, { ...JSON.parse(readFileSync(path, "utf8")), port: relay.port })
    const { port } = await inspected(bench)
    expect(port).not.toBe(relay.port)
    expect(relay.heard()).not.toContain(TOKEN)
  })

  it("that has the port of a dead server, or of one whose number another process has; both are cleared away", async () => {
    const alive = await living()
    for (const about of [
      { pid: await dead(), birth: "1" },
      { pid: alive, birth: String(Number(birthOf(alive)) - 1) },
    ]) {
      const [bench, other] = [benchWith(), await stranger()]
      const path = register(bench, { ...about, port: other.port, secret: SECRET })
      await inspected(bench)
      expect(other.heard()).toBe("")
      expect(existsSync(path)).toBe(false)
    }
  })

  it.each<[string, (path: string) => void]>([
    [
      "a link",
      (path) => {
        renameSync(path, `${path}.real`)
        symlinkSync(`${path}.real`, path)
      },
    ],
    ["readable by others", (path) => chmodSync(path, 0o644)],
    ["writable by others", (path) => chmodSync(path, 0o622)],
    ["oversized", (path) => writeFileSync(path, `${readFileSync(path, "utf8")}${" ".repeat(2_000_000)}`)],
  ])("named by a file that is %s", async (_, spoil) => {
    const [bench, other, pid] = [benchWith(), await stranger(), await living()]
    const about = { pid, birth: birthOf(pid), port: other.port, secret: SECRET }
    spoil(register(bench, about))
    const { err, port } = await inspected(bench)
    expect(port).not.toBe(other.port)
    expect(other.heard()).toBe("")
    expect(err).toMatch(/server\.json is not believed/)
  })

  it("while it uses a server that proves itself", async () => {
    const bench = benchWith()
    const real = await serving(bench, { SOTTO_TOKEN: TOKEN })
    expect(statSync(join(bench.home, "run", "server.json")).mode & 0o777).toBe(0o600)
    const run = sotto(bench, ["inspect", "--no-open"], { SOTTO_TOKEN: TOKEN })
    const { code, out, err } = await run.ended
    expect([code, err, new URL(out.trim()).origin]).toEqual([0, "", real.url])
    real.run.signal("SIGTERM")
    await real.run.ended
    expect(existsSync(join(bench.home, "run", "server.json"))).toBe(false)
  })
})

it("the challenge tells nobody anything of the secret or the token, and pages get no answer", async () => {
  const bench = benchWith()
  const { as, user } = await serving(bench)
  const { secret } = JSON.parse(readFileSync(join(bench.home, "run", "server.json"), "utf8"))
  const nonce = "n".repeat(43)
  const path = `/.sotto/proof?nonce=${nonce}`
  const answer = await as(undefined).get(path)
  expect(answer).toMatchObject({ status: 200, json: { proof: expect.stringMatching(/^[\w-]{43}$/) } })
  expect(answer.text).not.toContain(secret)
  expect((await as(undefined).get("/.sotto/proof?nonce=short")).status).toBe(400)
  expect((await as(undefined).get("/.sotto/proof")).status).toBe(400)
  expect((await as(undefined).get(path, { origin: "https://evil.example" })).status).toBe(403)
  expect((await as(undefined).get(path, { host: "evil.example" })).status).toBe(403)
  expect((await user.get("/openapi.json")).text).not.toContain(secret)
})

describe.concurrent("the server sends a proxy's token to no stranger", () => {
  it.each<[string, (pid: number) => object, number | undefined]>([
    ["in the old form", () => ({}), undefined],
    ["without a proof", (pid) => ({ birth: birthOf(pid), secret: SECRET }), undefined],
    ["open to others", (pid) => ({ birth: birthOf(pid), secret: SECRET }), 0o644],
  ])("that a registration names: %s", async (_, more, mode) => {
    const [bench, other, pid] = [benchWith(), await stranger(), await living()]
    const about = { pid, port: other.port, token: TOKEN, ...more(pid) }
    const path = register(bench, about, `proxy-${pid}.json`)
    if (mode !== undefined) chmodSync(path, mode)
    const { user } = await serving(bench)
    const { traces } = (await user.get("/traces")).json as unknown as { traces: readonly { id: string }[] }
    for (const { id } of traces) {
      const answer = await user.get(`/traces/${id}`)
      expect(answer).toMatchObject({ status: 422 })
      expect(answer.text).toMatch(/did not prove/)
    }
    expect(other.heard()).not.toContain(TOKEN)
  })

  it("for which the number of a dead proxy is used again; its registration is cleared away", async () => {
    const [bench, other, pid] = [benchWith(), await stranger(), await living()]
    const birth = String(Number(birthOf(pid)) - 1)
    const about = { pid, birth, port: other.port, token: TOKEN, secret: SECRET }
    register(bench, about, `proxy-${pid}.json`)
    const { user } = await serving(bench)
    expect((await user.get("/traces")).json).toEqual({ traces: [] })
    expect(other.heard()).toBe("")
    expect(readdirSync(join(bench.home, "run"))).toEqual(["server.json"])
  })
})
