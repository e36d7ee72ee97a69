import { writeFileSync } from "node:fs"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type PostgresServer, startPostgres } from "../../../harness/test/postgres-server.js"
import { check } from "./checker.js"
import { type StormOptions, storm } from "./storm.js"

/** `npm run test:fleet` asks for the long form by these. */
const { SOTTO_FLEET } = process.env
const LONG = SOTTO_FLEET === undefined ? undefined : (JSON.parse(SOTTO_FLEET) as Partial<StormOptions>)

const SHORT: StormOptions = {
  workers: 3,
  sessions: 12,
  seconds: 15,
  seed: 20261117,
  lease: 1,
  fencing: true,
  restartDatabase: false,
}

let database: PostgresServer
beforeAll(async () => {
  database = await startPostgres()
})
afterAll(() => database.close())

async function checked(options: StormOptions) {
  const tell = LONG === undefined ? undefined : (line: string) => process.stdout.write(`${line}\n`)
  const { left, faults, said, isQuiet } = await storm(database, { ...options, ...(tell && { tell }) })
  const found = check(left)
  if (process.env.SOTTO_FLEET_DUMP)
    writeFileSync(process.env.SOTTO_FLEET_DUMP, JSON.stringify({ left, said }))
  if (LONG !== undefined || found.faults.length > 0)
    process.stdout.write(
      `${JSON.stringify({ ...found.figures, ...faults, isQuiet, found: found.faults.length })}\n${found.faults.slice(0, 20).join("\n")}\n${said.join("").slice(-4_000)}\n`,
    )
  return { ...found, made: faults, isQuiet }
}

function short(): void {
  test("deliver every message once and in order, with one owner at a time", async () => {
    const { faults, figures, isQuiet } = await checked(SHORT)
    expect(faults).toEqual([])
    expect(isQuiet).toBe(true)
    // None of this says anything unless sessions changed hands while they were at work.
    expect(figures.messages).toBeGreaterThan(SHORT.sessions * 2)
    expect(figures.takeovers).toBeGreaterThan(3)
  }, 240_000)

  test("do so too when the database itself is restarted", async () => {
    const options = { ...SHORT, workers: 2, sessions: 6, seconds: 10, restartDatabase: true }
    const { faults, figures, made, isQuiet } = await checked(options)
    expect({ faults, isQuiet }).toEqual({ faults: [], isQuiet: true })
    expect(made.restarted).toBeGreaterThan(0)
    expect(figures.messages).toBeGreaterThan(options.sessions)
  }, 240_000)

  test("do not without fencing, and the checker finds it", async () => {
    const options = { ...SHORT, workers: 2, sessions: 8, seconds: 12, fencing: false }
    const { faults, figures } = await checked(options)
    expect(faults.filter((fault) => fault.startsWith("append under a lost lease"))).not.toEqual([])
    expect(figures.residual).toBeGreaterThan(0)
  }, 240_000)
}

function long(): void {
  test("the long storm", async () => {
    const options = { ...SHORT, workers: 4, sessions: 100, seconds: 120, lease: 2, ...LONG }
    const { faults, isQuiet } = await checked(options)
    if (options.fencing) expect({ faults, isQuiet }).toEqual({ faults: [], isQuiet: true })
    else expect(faults.length).toBeGreaterThan(0)
  }, 1_200_000)
}

describe("workers of one database, killed, stopped and cut off", LONG === undefined ? short : long)
