import { readFileSync } from "node:fs"
import { join } from "node:path"
import {
  dataFolder,
  type Environment,
  privateFolder,
  reasonOf,
  replacePrivate,
  type TenantLimits,
} from "@sotto/harness"
import { err } from "../screen/printer.js"
import type { Caller } from "./access.js"
import { ApiError } from "./errors.js"
import { Counter } from "./figures/exposition.js"
import { Rate } from "./limits.js"

/** How soon after it has grown what tenants have cost is written to a file. */
const KEEP_MS = 1_000

/** The name under which the user's own token is limited. Channels and tokens are limited under theirs. */
const USER = "user"

/**
 * Each credential is a tenant, and has the limits that the user's own sotto.json sets: requests a second, sessions at
 * work at once, and dollars a day (UTC). Each server counts for itself what comes to it and what it runs.
 */
export class Tenants {
  readonly refused = new Counter("requests", "sessions", "cost")
  readonly #limits: Readonly<Record<string, TenantLimits>>
  readonly #rates = new Map<string, Rate>()
  /** By session: for whom it is at work. */
  readonly #atWork = new Map<string, string>()
  readonly #spent: DailySpending

  constructor(env: Environment, limits: Readonly<Record<string, TenantLimits>>) {
    this.#limits = limits
    this.#spent = new DailySpending(env)
    for (const [tenant, { requests }] of Object.entries(limits))
      if (requests !== undefined) this.#rates.set(tenant, new Rate(Math.max(1, requests), requests))
  }

  /** Refuses a request that comes too soon after others of the same tenant. */
  takeRequest(caller: Caller): void {
    const tenant = tenantOf(caller)
    if (this.#rates.get(tenant)?.take(tenant) === false)
      throw this.#over(tenant, "requests", `${this.#limits[tenant]?.requests} requests a second`, 1)
  }

  /** Refuses work that the tenant has no sessions or no money left for. Else the session is the tenant's from now on. */
  begin(caller: Caller, session: string): void {
    const tenant = tenantOf(caller)
    const { sessions, cost } = this.#limits[tenant] ?? {}
    if (cost !== undefined && this.#spent.of(tenant) >= cost)
      throw this.#over(tenant, "cost", `$${cost} a day`, this.#spent.secondsLeft)
    const busy = [...this.#atWork].filter(([id, whose]) => whose === tenant && id !== session).length
    if (sessions !== undefined && busy >= sessions && !this.#atWork.has(session))
      throw this.#over(tenant, "sessions", `${sessions} sessions at work at once`, 5)
    if (!this.#atWork.has(session)) this.#atWork.set(session, tenant)
  }

  /** Notes for whom a session works. */
  began(tenant: string, session: string): void {
    this.#atWork.set(session, tenant)
  }

  ended(session: string): void {
    this.#atWork.delete(session)
  }

  spent(tenant: string, dollars: number): void {
    this.#spent.add(tenant, dollars)
  }

  /** Lists what each tenant has cost since midnight. */
  today(): readonly (readonly [string, number])[] {
    return this.#spent.all
  }

  close(): void {
    this.#spent.keep()
  }

  #over(tenant: string, limit: keyof TenantLimits, what: string, seconds: number): ApiError {
    this.refused.add(limit)
    const who = tenant === USER ? "the user's token" : `"${tenant}"`
    return new ApiError(
      429,
      `too-many-${limit === "cost" ? "dollars" : limit}`,
      `The limit of ${what} for ${who} is reached (tenants.${tenant}.${limit}).`,
      "Wait, or set another limit in your own sotto.json and start the server again.",
      seconds,
    )
  }
}

function tenantOf(caller: Caller): string {
  return caller.is === "user" ? USER : caller.name
}

/** What tenants have cost today. Kept in a file, so that a server that is started again goes on counting. */
class DailySpending {
  readonly #env: Environment
  #day = today()
  #spent = new Map<string, number>()
  #keeping: NodeJS.Timeout | undefined

  constructor(env: Environment) {
    this.#env = env
    const found = this.#read()
    if (found?.day === this.#day) this.#spent = new Map(Object.entries(found.spent))
  }

  get all(): readonly (readonly [string, number])[] {
    this.#turnPage()
    return [...this.#spent]
  }

  /** Seconds until the next day begins. */
  get secondsLeft(): number {
    return Math.ceil((Date.parse(`${today()}T00:00:00Z`) + 86_400_000 - Date.now()) / 1000)
  }

  of(tenant: string): number {
    this.#turnPage()
    return this.#spent.get(tenant) ?? 0
  }

  add(tenant: string, dollars: number): void {
    this.#turnPage()
    this.#spent.set(tenant, this.of(tenant) + dollars)
    this.#keeping ??= setTimeout(() => this.keep(), KEEP_MS).unref()
  }

  /** Writes what has not been written. A disk that is full costs the count at the next start, and no session. */
  keep(): void {
    if (this.#keeping === undefined) return
    clearTimeout(this.#keeping)
    this.#keeping = undefined
    const kept = { day: this.#day, spent: Object.fromEntries(this.#spent) }
    try {
      privateFolder(dataFolder(this.#env))
      replacePrivate(this.#path, `${JSON.stringify(kept)}\n`)
    } catch (error) {
      err.line(`sotto: what tenants have cost today could not be kept: ${reasonOf(error)}`)
    }
  }

  get #path(): string {
    return join(dataFolder(this.#env), "server.spent.json")
  }

  #turnPage(): void {
    if (this.#day === today()) return
    this.#day = today()
    this.#spent.clear()
  }

  /** Reads the file. One that is missing or damaged counts as a day without costs. */
  #read(): { readonly day: string; readonly spent: Readonly<Record<string, number>> } | undefined {
    try {
      const found = JSON.parse(readFileSync(this.#path, "utf8"))
      return typeof found?.day === "string" && typeof found.spent === "object" ? found : undefined
    } catch {
      return undefined
    }
  }
}

function today(): string {
  return new Date().toISOString().slice(0, 10)
}
