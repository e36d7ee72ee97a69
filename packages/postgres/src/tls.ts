import { existsSync, readFileSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import type { ConnectionOptions } from "node:tls"
import { StoreError } from "@sotto/harness/store"
import type pg from "pg"

/** How an address says what it wants of TLS, as for libpq. `no-verify` is what `pg` calls `require` without a check. */
const MODES = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full", "no-verify"] as const
type Mode = (typeof MODES)[number]

/** By the option of an address: the variable that stands in for it, and the file that libpq looks for without either. */
const FILES = {
  sslrootcert: { variable: "PGSSLROOTCERT", usual: "root.crt" },
  sslcert: { variable: "PGSSLCERT", usual: "postgresql.crt" },
  sslkey: { variable: "PGSSLKEY", usual: "postgresql.key" },
} as const

/** What libpq can check and Node's TLS is not told here: refused, because it would be left out without a word. */
const UNKNOWN = ["sslcrl", "sslcrldir", "sslpassword"] as const

/** Servers that have no TLS, by address, as far as TLS was only preferred. */
const plain = new Set<string>()
/** Settings that were only preferred, and the address they are for. */
const preferred = new WeakMap<object, string>()

/** What says how to connect. */
type Secured = Pick<pg.ClientConfig, "connectionString" | "ssl">

/**
 * Reads from an address and from the variables of libpq how a connection is secured: encrypted if the server can,
 * unless the address says otherwise. The certificate is checked only where libpq would.
 */
export function secured(connectionString: string, env: NodeJS.ProcessEnv = process.env): Secured {
  const url = new URL(connectionString)
  const options = url.searchParams
  // What `pg` reads by itself stays with it.
  if (options.has("ssl")) return { connectionString }
  for (const name of UNKNOWN)
    if (options.has(name)) throw refused(`The option ${name} of the store's address is not known here.`)
  const mode = modeOf(options.get("sslmode") || env.PGSSLMODE || "prefer")
  const file = (name: keyof typeof FILES) => fileFor(name, options.get(name) || undefined, env)
  const wanted = mode === "disable" || isSocket(url) ? undefined : tlsFor(mode, file)
  for (const name of ["sslmode", ...Object.keys(FILES)]) options.delete(name)
  const address = url.href
  if (wanted === undefined || plain.has(address)) return { connectionString: address, ssl: false }
  if (mode === "prefer" || mode === "allow") preferred.set(wanted, address)
  return { connectionString: address, ssl: wanted }
}

/** Takes a connection of a pool: without TLS from now on if the server has none, and TLS was only preferred. */
export async function connected(pool: pg.Pool): Promise<pg.PoolClient> {
  try {
    return await pool.connect()
  } catch (error) {
    if (!fallsBack(pool.options, error)) throw error
    pool.options.ssl = false
    return await pool.connect()
  }
}

/** Notes that a server has no TLS. Returns true if a connection without it would do. */
export function fallsBack({ ssl }: Secured, error: unknown): boolean {
  const address = typeof ssl === "object" ? preferred.get(ssl) : undefined
  const hasNone = error instanceof Error && error.message.includes("does not support SSL")
  if (address === undefined || !hasNone) return false
  plain.add(address)
  return true
}

/** Says that the server's certificate is not trusted; undefined if that is not what an error is about. */
export function distrust(error: Error, shown: string): StoreError | undefined {
  const code = "code" in error ? String(error.code) : ""
  if (!/^(ERR_TLS_CERT|CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_(GET|VERIFY))/.test(code)) return undefined
  return new StoreError(
    "unavailable",
    `The certificate of the store ${shown} is not trusted: ${error.message.replace(/\.$/, "")}.`,
    "Name the certificate of its authority by sslrootcert=FILE, and the server as its certificate does; or use sslmode=require, which encrypts and checks nothing.",
    { cause: error },
  )
}

function modeOf(given: string): Mode {
  const mode = MODES.find((one) => one === given)
  if (mode !== undefined) return mode
  throw refused(`The store's address or PGSSLMODE says sslmode=${given}.`)
}

/** True for a socket of the file system, which libpq does not encrypt either. */
function isSocket({ hostname, searchParams }: URL): boolean {
  return (searchParams.get("host") ?? decodeURIComponent(hostname)).startsWith("/")
}

function tlsFor(mode: Mode, file: (name: keyof typeof FILES) => string | undefined): ConnectionOptions {
  const ca = mode === "no-verify" ? undefined : file("sslrootcert")
  const cert = file("sslcert")
  const key = cert === undefined ? undefined : file("sslkey")
  const certificates = {
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
  }
  const anyName = { checkServerIdentity: () => undefined }
  switch (mode) {
    case "verify-full":
      return certificates
    case "verify-ca":
      // Authorities of the system sign for everybody: without one of our own only the name tells who it is.
      return ca === undefined ? certificates : { ...certificates, ...anyName }
    case "require":
      return ca === undefined
        ? { ...certificates, rejectUnauthorized: false }
        : { ...certificates, ...anyName }
    case "disable":
    case "allow":
    case "prefer":
    case "no-verify":
      return { ...certificates, rejectUnauthorized: false }
  }
}

function fileFor(
  name: keyof typeof FILES,
  given: string | undefined,
  env: NodeJS.ProcessEnv,
): string | undefined {
  const { variable, usual } = FILES[name]
  const path = given ?? (env[variable] || undefined)
  // Node has the authorities of the system at hand.
  if (name === "sslrootcert" && path === "system") return undefined
  const found = path ?? join(env.HOME ?? homedir(), ".postgresql", usual)
  if (path === undefined && !existsSync(found)) return undefined
  try {
    return readFileSync(found, "utf8")
  } catch (cause) {
    const why = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : ""
    throw new StoreError(
      "unavailable",
      `The file ${found} cannot be read${why}.`,
      `Check ${name} in the store's address, or ${variable}.`,
      { cause },
    )
  }
}

function refused(what: string): StoreError {
  const modes = MODES.filter((mode) => mode !== "no-verify").join(", ")
  return new StoreError(
    "unavailable",
    what,
    `Use sslmode (${modes}), sslrootcert, sslcert and sslkey, as for psql.`,
  )
}
