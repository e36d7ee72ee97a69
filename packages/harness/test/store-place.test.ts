import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { childEnvironment } from "../src/execution/programs/environment.js"
import { knownSecrets, loadConfig, placeIn, storePlace, withoutPassword } from "../src/index.js"
import { addressOf } from "../src/store/postgres-address.js"
import { failing, temporary } from "./store-support.js"

const ADDRESS = "postgres://ann:hunter2-x@db.example.com/agents"

function home(settings?: object): { readonly SOTTO_HOME: string } {
  const SOTTO_HOME = temporary()
  if (settings !== undefined) writeFileSync(join(SOTTO_HOME, "sotto.json"), JSON.stringify(settings))
  return { SOTTO_HOME }
}

describe("sessions are kept", () => {
  it("in a file of the data folder unless somebody says otherwise", () => {
    const env = home()
    expect(storePlace(env)).toBe(join(env.SOTTO_HOME, "sessions.db"))
  })

  it("where the user's own sotto.json says, from the folder of that file", () => {
    expect(storePlace(home({ store: ADDRESS }))).toBe(ADDRESS)
    const env = home({ store: "other.db" })
    expect(storePlace(env)).toBe(join(env.SOTTO_HOME, "other.db"))
  })

  it("where SOTTO_STORE says, which counts more", () => {
    expect(storePlace({ ...home({ store: ADDRESS }), SOTTO_STORE: "/x/a.db" })).toBe("/x/a.db")
  })

  it.each(["mysql://ann:hunter2-x@h/db", "file:///x/a.db", "sqlite+wal://x", "s3://bucket/a"])(
    "at no other kind of address, which is not taken for a path: %s",
    async (address) => {
      for (const place of [
        () => storePlace({ ...home(), SOTTO_STORE: address }),
        () => storePlace(home({ store: address })),
        () => placeIn("/x", address),
      ]) {
        const { message } = await failing(place)
        expect(message).toContain(`${address.slice(0, address.indexOf(":"))}://`)
        expect(message).toContain("postgres://user@host/database")
        expect(message).not.toContain("hunter2")
      }
    },
  )

  it("where no project says, whether it is trusted or not", async () => {
    const env = home({ store: "mine.db" })
    const cwd = temporary()
    mkdirSync(join(cwd, ".git"))
    writeFileSync(join(cwd, "sotto.json"), JSON.stringify({ store: "postgres://evil.example.com/x" }))
    for (const trusted of [true, false]) {
      const config = await loadConfig({ cwd, env, trusted })
      expect(config.store).toBe("mine.db")
      if (trusted)
        expect(config.notices?.join()).toContain("store is ignored: only your own sotto.json can say it")
    }
    writeFileSync(join(cwd, "sotto.json"), JSON.stringify({ retention: { olderThan: "1h" } }))
    const { notices } = await loadConfig({ cwd, env, trusted: true })
    expect(notices?.join()).toContain("retention is ignored: only your own sotto.json can say it")
    writeFileSync(join(cwd, "sotto.json"), JSON.stringify({ store: "elsewhere.db" }))
    const other = await loadConfig({ cwd, env: home(), trusted: true })
    expect(other.store).toBeUndefined()
  })
})

describe("the password in the address of a store", () => {
  it("is not inherited by child processes", () => {
    const env = { PATH: "/bin", SOTTO_STORE: ADDRESS, SOTTO_LISTEN: ADDRESS, sotto_store: ADDRESS }
    expect(childEnvironment(env)).toEqual({ PATH: "/bin" })
  })

  it("is known as a secret, as it is written and as it is meant", () => {
    const secrets = knownSecrets({ SOTTO_STORE: "postgres://ann:a%40b%2Fc@h/db" })
    expect(secrets).toEqual(expect.arrayContaining(["a%40b%2Fc", "a@b/c"]))
  })

  it("is shown nowhere", () => {
    expect(withoutPassword(ADDRESS)).toBe("postgres://ann@db.example.com/agents")
    expect(withoutPassword("/x/sessions.db")).toBe("/x/sessions.db")
    const address = addressOf(`${ADDRESS}?schema=team&lease=3&sslmode=require&password=other`, {})
    expect(address).toMatchObject({
      shown: "postgres://ann@db.example.com/agents?schema=team",
      schema: "team",
      leaseMs: 3_000,
    })
    expect(new URL(address.connection).search).toBe("?sslmode=require&password=other")
    expect(addressOf("postgres:///db?host=/run/postgresql", {}).shown).toBe(
      "postgres:///db?host=/run/postgresql",
    )
  })

  it("may name several hosts, in the order in which they are tried", () => {
    const several = "postgres://ann:hunter2-x@one:5433,two,[::1]:5434/agents?schema=team&sslmode=require"
    expect(addressOf(several, {})).toMatchObject({
      connection: "postgres://ann:hunter2-x@one:5433/agents?sslmode=require",
      others: [
        "postgres://ann:hunter2-x@two/agents?sslmode=require",
        "postgres://ann:hunter2-x@[::1]:5434/agents?sslmode=require",
      ],
      shown: "postgres://ann@one:5433/agents?schema=team",
    })
    expect(withoutPassword(several)).toBe("postgres://ann@one:5433/agents")
    expect(knownSecrets({ SOTTO_STORE: several })).toContain("hunter2-x")
    expect(addressOf(ADDRESS, {}).others).toEqual([])
  })

  it.each([
    ["postgres://ann:hunter2-x@[/db", "cannot be read"],
    ["postgres://ann:hunter2-x@h,[/db", "cannot be read"],
    ["postgres://ann:hunter2-x%zz@h/db", "cannot be read"],
    [`${ADDRESS}?schema=a;b`, "no plain name"],
    [`${ADDRESS}?lease=0`, "between 0.2 and 3600"],
    [`${ADDRESS}?lease=soon`, "between 0.2 and 3600"],
    [`${ADDRESS}?listen=http://ann:hunter2-x@h/`, "is not an address of PostgreSQL"],
  ])("is not in the error about an address that cannot be used (%#)", async (address, words) => {
    const error = await failing(() => addressOf(address, {}))
    expect(error.message).toContain(words)
    expect(error.message).not.toContain("hunter2")
    expect(JSON.stringify(error)).not.toContain("hunter2")
  })
})
