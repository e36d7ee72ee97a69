import { StoreError } from "./error.js"

/** Where sessions are in PostgreSQL, and how this process uses them: read from the address and from variables. */
export interface Address {
  /** What `pg` connects to. It holds the password: it is never shown. */
  readonly connection: string
  /** The same with the other hosts of the address: where to go on when the first cannot be reached, or is a standby. */
  readonly others: readonly string[]
  /** The same place without password and options, to be shown. */
  readonly shown: string
  /** The schema that holds the tables. */
  readonly schema: string
  /** How long a lease lasts, in milliseconds. */
  readonly leaseMs: number
  /** A direct address for LISTEN; `none` to poll instead. Where statements go unless set. */
  readonly listen: string | undefined
}

/** A worker that died is replaced after so long. */
const LEASE_SECONDS = 10

/** The options of an address that are Sotto's. All others are for `pg`. */
const OWN = ["schema", "lease", "listen"] as const

/** A name that PostgreSQL keeps whole, with room for the prefix of the channel that is called after it. */
const SCHEMA = /^[A-Za-z_][\w$]{0,55}$/

export function isPostgres(place: string): boolean {
  return /^postgres(ql)?:/i.test(place)
}

/**
 * Reads an address such as `postgres://user:password@host/database?schema=team&lease=15`. Several hosts stand side by
 * side, as in `postgres://user@one:5432,two:5432/database`.
 */
export function addressOf(place: string, env: Readonly<Record<string, string | undefined>>): Address {
  const [first, ...rest] = hostsIn(place)
  const url = urlOf(first, "The store's address")
  const given = (name: (typeof OWN)[number]) => url.searchParams.get(name) || undefined
  const schema = given("schema") ?? "sotto"
  if (!SCHEMA.test(schema))
    throw refused(
      `The store's address ${shownOf(url)} names a schema that is no plain name.`,
      "Use up to 56 letters, digits and underscores, for example ?schema=sotto_team.",
    )
  const leaseMs = leaseOf(given("lease") ?? (env.SOTTO_LEASE || undefined), shownOf(url))
  const listen = given("listen") ?? (env.SOTTO_LISTEN || undefined)
  const direct = listen === undefined || listen === "none" ? listen : urlOf(listen, "SOTTO_LISTEN")
  const others = rest.map((one) => urlOf(one, "The store's address"))
  for (const one of [url, ...others]) for (const name of OWN) one.searchParams.delete(name)
  return {
    connection: url.href,
    others: others.map(({ href }) => href),
    shown: shownOf(url) + (schema === "sotto" ? "" : `?schema=${schema}`),
    schema,
    leaseMs,
    listen: direct instanceof URL ? direct.href : direct,
  }
}

/** Returns an address as it may be shown to anybody: without its password and its options. */
export function withoutPassword(place: string): string {
  return isPostgres(place) ? shownOf(urlOf(hostsIn(place)[0], "The store's address")) : place
}

function leaseOf(given: string | undefined, shown: string): number {
  const seconds = Number(given ?? LEASE_SECONDS)
  if (!(seconds >= 0.2 && seconds <= 3600))
    throw refused(
      `The lease of the store ${shown} should last between 0.2 and 3600 seconds.`,
      "Give a number of seconds, for example ?lease=10, or leave it out.",
    )
  return Math.round(seconds * 1000)
}

/** Writes an address with several hosts as one address for each. */
function hostsIn(place: string): readonly [string, ...string[]] {
  const [, before = "", hosts = "", after = ""] = /^(\w+:\/\/(?:[^/?#]*@)?)([^/?#@]*)(.*)$/s.exec(place) ?? []
  const [first = "", ...others] = hosts.split(",")
  if (others.length === 0) return [place]
  return [`${before}${first}${after}`, ...others.map((host) => `${before}${host}${after}`)]
}

/** Parses an address. Does not repeat a text that cannot be read: it may hold a password. */
function urlOf(text: string, what: string): URL {
  const remedy = "Write it as postgres://user:password@host:5432/database."
  try {
    const url = new URL(text)
    if (isPostgres(url.protocol)) {
      // What is wrong with a name or a password shows here, and not when it is used.
      for (const part of [url.username, url.password, url.pathname]) decodeURIComponent(part)
      return url
    }
  } catch {
    throw refused(
      `${what} cannot be read.`,
      `${remedy} Characters such as @ / % in a password are written as %40 %2F %25.`,
    )
  }
  throw refused(`${what} is not an address of PostgreSQL.`, remedy)
}

function shownOf(url: URL): string {
  const user = url.username === "" ? "" : `${url.username}@`
  const socket = url.host === "" ? (url.searchParams.get("host") ?? "") : ""
  return `postgres://${user}${url.host}${url.pathname}${socket === "" ? "" : `?host=${socket}`}`
}

function refused(what: string, remedy: string): StoreError {
  return new StoreError("unavailable", what, remedy)
}
