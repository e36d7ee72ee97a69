import { execFileSync, spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { createSocket } from "node:dgram"
import { once } from "node:events"
import {
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { createServer, type Server } from "node:net"
import { homedir } from "node:os"
import { dirname, join } from "node:path"
import { setImmediate as turnOfLoop } from "node:timers/promises"
import { childEnvironment, withVariables } from "../../src/execution/programs/environment.js"
import type { Launch } from "../../src/execution/programs/launch.js"
import { startInto } from "../../src/execution/programs/start.js"

const SECRET = "secret-of-the-user"

/** Somebody's machine in a folder: a workspace, a home with keys, a store, servers and a process. */
export async function world() {
  // Not in /tmp, which a sandbox hides as a whole.
  const root = realpathSync(mkdtempSync(join(homedir(), ".sotto-escape-")))
  const put = (path: string, text = "before\n") => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  const fill = () => {
    for (const name of readdirSync(root)) rmSync(join(root, name), { recursive: true, force: true })
    for (const path of ["out/a", "work/a", "work/sotto.json", "work/.mcp.json", "work/.sotto/x"]) put(path)
    for (const path of ["store/sessions.db", "store/sotto.json", "store/output/old.txt", "out/keys/key"])
      put(path, SECRET)
    for (const path of [".ssh/id_ed25519", ".aws/credentials", ".netrc", ".npmrc", ".config/gh/hosts.yml"])
      put(`home/${path}`, SECRET)
    // Files that no list of secrets knows: they are out of sight because nobody has allowed them.
    for (const path of [
      "out/notes",
      "home/notes",
      "home/.config/some-tool/token",
      "home/.cargo/credentials.toml",
    ])
      put(path, SECRET)
    symlinkSync("../out/keys", join(root, "home/.gnupg"))
    symlinkSync("../store", join(root, "work/store-link"))
    const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: join(root, "work") })
    git("init", "-q")
    git("config", "user.name", "T")
    git("config", "user.email", "t@example.org")
  }
  fill()

  let reached = 0
  const onReach = () => void reached++
  const servers: Server[] = []
  const listen = async (where: { readonly port: number } | { readonly path: string }) => {
    const server = createServer((socket) => {
      onReach()
      socket.on("error", () => undefined).resume()
    })
    servers.push(server)
    server.listen("port" in where ? { ...where, host: "127.0.0.1" } : where)
    await once(server, "listening")
    const address = server.address()
    return typeof address === "object" && address !== null ? address.port : 0
  }
  const port = await listen({ port: 0 })
  const udp = createSocket("udp4").on("message", onReach)
  udp.bind(port, "127.0.0.1")
  await once(udp, "listening")
  const abstract = `sotto-escape-${port}`
  const socket = `${root}.sock`
  await listen({ path: socket })
  await listen({ path: `\0${abstract}` })
  const temporary = `/tmp/sotto-secret-${port}`
  writeFileSync(temporary, SECRET)

  let victim = startVictim()
  const variables = () => ({
    HOME: join(root, "home"),
    SOTTO_HOME: join(root, "store"),
    OUT: join(root, "out"),
    WORK: join(root, "work"),
    STORE: join(root, "store"),
    PORT: String(port),
    SOCK: socket,
    ABSTRACT: abstract,
    PID: String(victim.pid),
  })

  return {
    root,
    cwd: join(root, "work"),
    env: () => ({ ...process.env, ...variables() }),
    /** Runs a script as a command of the agent is run. Returns in what ways it got out. */
    async effects(run: () => Launch, ignored: (path: string) => boolean = () => false) {
      fill()
      if (isDying(victim.pid)) victim = startVictim()
      reached = 0
      const before = snapshot(root, ignored)
      const output = join(root, "store/output/now.txt")
      const file = openSync(output, "a")
      // The key is in what Sotto itself was started with, and comes to no child.
      const env = withVariables(childEnvironment({ ...process.env, ANTHROPIC_API_KEY: SECRET }), variables())
      const child = startInto(file, run(), { cwd: join(root, "work"), env, timeout: 20_000 })
      await once(child, "exit")
      closeSync(file)
      const printed = readFileSync(output, "utf8")
      rmSync(output)
      await answered(port, socket)
      const found = [
        ...(JSON.stringify(snapshot(root, ignored)) === JSON.stringify(before) ? [] : ["changed a file"]),
        ...(reached > 2 ? ["reached a server"] : []),
        ...(isDying(victim.pid) ? ["killed a process"] : []),
        ...(printed.includes(SECRET) ? ["printed a secret"] : []),
        ...(printed.includes("ESCAPED") ? ["said so"] : []),
        ...(await leftovers(port)),
      ]
      return { found, printed }
    },
    close() {
      victim.kill("SIGKILL")
      udp.close()
      for (const server of servers) server.close()
      for (const path of [root, socket, temporary]) rmSync(path, { recursive: true, force: true })
    },
  }
}

function startVictim() {
  const child = spawn("sleep", ["1000"], { argv0: "sotto-victim", env: { KEY: SECRET }, stdio: "ignore" })
  child.unref()
  return child
}

/** Whether it is gone, or about to go: a signal that ends a process takes effect a moment later. */
function isDying(pid = 0): boolean {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8")
    return /^State:\s+[ZX]/m.test(status) || /^(SigPnd|ShdPnd):\s+0*[1-9a-f]/m.test(status)
  } catch {
    return true
  }
}

/** Connections are taken in the order in which they were made: when ours are, all before them were. */
async function answered(port: number, path: string): Promise<void> {
  const { connect } = await import("node:net")
  await Promise.all(
    [connect(port, "127.0.0.1"), connect(path)].map(async (socket) => {
      await once(socket, "connect")
      socket.end()
      await once(socket, "close")
    }),
  )
}

/** What a script left behind on the machine. */
async function leftovers(port: number): Promise<readonly string[]> {
  const name = `sotto-escape-${port}`
  const files = ["/dev/shm", "/tmp", "/var/tmp", "/run"]
    .map((folder) => join(folder, name))
    .filter(existsSync)
  for (const path of files) rmSync(path)
  const staying = () =>
    readdirSync("/proc")
      .filter((pid) => /^\d+$/.test(pid))
      .filter((pid) => commandLine(pid).startsWith(`sotto-stays-${port}`) && !isDying(Number(pid)))
  // Bubblewrap may report the end of a command a moment before the kernel has ended the processes of its namespace.
  const deadline = performance.now() + 2_000
  while (staying().length > 0 && performance.now() < deadline) await turnOfLoop()
  const stays = staying()
  for (const pid of stays) process.kill(Number(pid), "SIGKILL")
  return [...files.map((path) => `left ${path}`), ...stays.map(() => "left a process")]
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8")
  } catch {
    return "" // Gone meanwhile.
  }
}

function snapshot(root: string, ignored: (path: string) => boolean): readonly string[] {
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((path) => !ignored(path))
    .sort()
    .map((path) => {
      const full = join(root, path)
      const stat = lstatSync(full)
      const content = stat.isSymbolicLink()
        ? readlinkSync(full)
        : stat.isFile()
          ? createHash("sha256").update(readFileSync(full)).digest("hex")
          : ""
      return `${path} ${stat.mode.toString(8)} ${content}`
    })
}
