import { hostname } from "node:os"
import type { Entry } from "@sotto/core"
import { openStore, type Store, type StoreError } from "@sotto/harness"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { startProxy } from "../../harness/test/cut-proxy.js"
import { newAddress, schemaOf, storeAt, usePostgres } from "../../harness/test/store-kinds.js"
import { failing, opening, program, run, temporary } from "../../harness/test/store-support.js"
import { MIGRATIONS } from "../src/schema.js"

const server = usePostgres()
const noted = (seq: number, text = ""): Entry => ({
  type: "noted",
  signal: { type: "x", text },
  seq,
  at: seq,
})

/** The store of an address, with the session "s" open. */
async function withSession(address: string): Promise<Store> {
  const store = await storeAt(address)
  await store.create({ cwd: "/a" }, opening("s", 0))
  return store
}

/** Ends every lease at once, as if time had passed. */
async function endLeases(address: string): Promise<void> {
  await server().query(
    `UPDATE ${schemaOf(address)}.leases SET until = clock_timestamp() - interval '1 second'`,
  )
}

/** The same address by another way. */
function through(address: string, port: number): string {
  const url = new URL(address)
  url.port = String(port)
  return url.href
}

/** Keeps this thread busy. */
function compute(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end) Math.sqrt(2)
}

describe("a lease", () => {
  it("has a fence that grows each time the session changes hands, and never goes back", async () => {
    const address = newAddress(server())
    const first = await withSession(address)
    expect(first.lease("s")).toMatchObject({ fence: 1 })
    await first.release("s")
    expect(first.lease("s")).toBeUndefined()
    await first.open("s")
    expect(first.lease("s")?.fence).toBe(2)
    await first.release("s")
    const second = await storeAt(address)
    await second.open("s")
    expect(second.lease("s")?.fence).toBe(3)
    await endLeases(address)
    await first.open("s")
    expect(first.lease("s")?.fence).toBe(4)
  })

  it("ends no sooner in the database than its holder believes", async () => {
    const address = newAddress(server(), "&lease=5")
    const store = await withSession(address)
    const [row] = await server().query(
      `SELECT extract(epoch FROM until - clock_timestamp()) * 1000 AS left FROM ${schemaOf(address)}.leases`,
    )
    const believed = (store.lease("s")?.until ?? 0) - Date.now()
    expect(believed).toBeGreaterThan(2_000)
    expect(believed).toBeLessThan(Number(row?.left))
  })

  it("is prolonged while its process does nothing else", async () => {
    const address = newAddress(server(), "&lease=0.6")
    const store = await withSession(address)
    const other = await storeAt(address)
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    expect(store.holds("s")).toBe(true)
    expect((await failing(() => other.open("s"))).code).toBe("locked")
    expect(store.lease("s")?.fence).toBe(1)
  })

  it("survives a thread that computes for half of it", async () => {
    const address = newAddress(server(), "&lease=2")
    const store = await withSession(address)
    for (let i = 0; i < 3; i++) {
      compute(1_000)
      await store.durable("s")
    }
    expect(store.lease("s")?.fence).toBe(1)
  })

  it("is lost by a process whose thread hangs, and another worker goes on meanwhile", async () => {
    const address = newAddress(server(), "&lease=1")
    await (await withSession(address)).release("s")
    const hanging = run(
      program(
        temporary(),
        `
        const store = await openStore(process.argv[2])
        await store.open("s")
        store.onLost("s", (error) => { writeSync(1, "told " + error.code + "\\n"); store.close() })
        writeSync(1, "open\\n")
        const end = performance.now() + 8_000
        while (performance.now() < end) Math.sqrt(2)
        writeSync(1, "holds " + store.holds("s") + "\\n")
        `,
      ),
      address,
    )
    expect(await hanging.line()).toBe("open")
    const began = performance.now()
    const other = await storeAt(address)
    await vi.waitFor(() => other.open("s"), { timeout: 6_000, interval: 50 })
    expect(performance.now() - began).toBeLessThan(6_000)
    await other.append("s", [noted(1, "in time")])
    expect(await hanging.line()).toBe("holds false")
    expect(await hanging.line()).toBe("told lost")
    expect((await other.load("s")).slice(1)).toEqual([noted(1, "in time")])
  })

  it("that another worker took keeps its old holder from writing, and tells it once", async () => {
    const address = newAddress(server())
    const first = await withSession(address)
    const lost = vi.fn()
    first.onLost("s", lost)
    first.appendLater("s", [noted(1)])
    await endLeases(address)
    const second = await storeAt(address)
    await second.open("s")
    await second.append("s", [noted(1, "second")])
    await expect(first.durable("s")).rejects.toMatchObject({ code: "lost" })
    expect(first.holds("s")).toBe(false)
    expect(first.lease("s")).toBeUndefined()
    expect(await failing(() => first.append("s", [noted(2)]))).toMatchObject({
      code: "lost",
      message: expect.stringContaining("no longer holds session s: another worker has taken it over"),
    })
    await expect(first.durable("s")).rejects.toMatchObject({ code: "lost" })
    await vi.waitFor(() => expect(lost).toHaveBeenCalledTimes(1))
    expect(await second.load("s")).toEqual([...opening("s", 0), noted(1, "second")])
    await second.durable("s")
    // It can be opened again when it is free.
    await second.release("s")
    expect(await first.open("s")).toHaveLength(2)
    await first.append("s", [noted(2)])
    expect(lost).toHaveBeenCalledTimes(1)
  })

  it("that has ended is not good for an append, although nobody has taken the session", async () => {
    const address = newAddress(server())
    const store = await withSession(address)
    await endLeases(address)
    expect((await failing(() => store.append("s", [noted(1)]))).code).toBe("lost")
    expect(await store.open("s")).toHaveLength(1)
  })

  it("is not taken from a worker whose append is under way", async () => {
    const address = newAddress(server())
    const first = await withSession(address)
    const second = await storeAt(address)
    for (let seq = 1; seq <= 20; seq++) {
      // The lease ends while the append may be anywhere between being sent and being committed.
      first.appendLater("s", [noted(seq)])
      const written = first.durable("s").then(
        () => true,
        () => false,
      )
      await endLeases(address)
      const taken = (async () => {
        try {
          return (await second.open("s")).length
        } catch {
          return undefined
        }
      })()
      const isWritten = await written
      const found = await taken
      if (found !== undefined) {
        expect(found).toBe(isWritten ? seq + 1 : seq)
        if (!isWritten) await second.append("s", [noted(seq)])
        await second.release("s")
        await first.release("s")
        await first.open("s")
      } else expect(isWritten).toBe(true)
    }
    expect(await first.load("s")).toHaveLength(21)
  })

  it("is given to one of two workers that want it at the same time, a thousand times", async () => {
    const folder = temporary()
    const address = newAddress(server())
    const first = await storeAt(address)
    const ids = Array.from({ length: 20 }, (_, i) => `s${i}`)
    for (const id of ids) {
      await first.create({ cwd: "/a" }, opening(id, 0))
      await first.release(id)
    }
    // Each takes one session after the other as often as it can, writes that it came and went, and gives it back.
    const worker = program(
      folder,
      `
      const [place, name] = process.argv.slice(2)
      const store = await openStore(place, { worker: name })
      for (let won = 0; won < 500; ) {
        const id = "s" + Math.floor(won / 25)
        let log
        try { log = await store.open(id) } catch (error) {
          if (error.code !== "locked") throw error
          continue
        }
        const { fence } = store.lease(id)
        const entry = (seq, text) => ({ type: "noted", signal: { type: "x", text, fence }, seq, at: seq })
        await store.append(id, [entry(log.length, "in " + name)])
        if (Math.random() < 0.3) await new Promise(setImmediate)
        await store.append(id, [entry(log.length + 1, "out " + name)])
        await store.release(id)
        won++
        if (Math.random() < 0.2) await new Promise((resolve) => setTimeout(resolve, Math.random() * 3))
      }
      writeSync(1, "done\\n")
      store.close()
      `,
    )
    const workers = ["a", "b"].map((name) => run(worker, address, name))
    for (const { line, ended } of workers) {
      expect(await line()).toBe("done")
      await ended
    }
    for (const id of ids) {
      const log = (await first.load(id)).slice(1)
      expect(log).toHaveLength(100)
      const signals = log.map((entry) => (entry.type === "noted" ? entry.signal : undefined)) as unknown as {
        text: string
        fence: number
      }[]
      for (let i = 0; i < signals.length; i += 2) {
        const [came, went] = [signals[i], signals[i + 1]]
        expect(came?.text.replace("in", "out")).toBe(went?.text)
        expect(came?.fence).toBe(went?.fence)
        if (i > 0) expect(came?.fence).toBe((signals[i - 1]?.fence ?? 0) + 1)
      }
    }
  })

  it("does not survive a pause: a process that was stopped finds out before it writes", async () => {
    const folder = temporary()
    const address = newAddress(server(), "&lease=1")
    await (await withSession(address)).release("s")
    const paused = run(
      program(
        folder,
        `
        const store = await openStore(process.argv[2], { worker: "w1" })
        const entry = (seq) => ({ type: "noted", signal: { type: "x", text: "late" }, seq, at: seq })
        await store.open("s")
        store.onLost("s", (error) => writeSync(1, "told " + error.code + "\\n"))
        writeSync(1, "open\\n")
        process.stdin.once("data", async () => {
          writeSync(1, "holds " + store.holds("s") + "\\n")
          store.appendLater("s", [entry(1)])
          await store.durable("s").catch((error) => writeSync(1, "durable " + error.code + "\\n"))
          try { await store.append("s", [entry(1)]) } catch (error) { writeSync(1, "append " + error.code + "\\n") }
          setImmediate(() => { store.close(); process.stdin.destroy() })
        })
        `,
      ),
      address,
    )
    expect(await paused.line()).toBe("open")
    const other = await storeAt(address)
    expect(await other.holder("s")).toMatchObject({ worker: "w1", host: hostname(), pid: paused.child.pid })
    paused.child.kill("SIGSTOP")
    await vi.waitFor(() => other.open("s"), { timeout: 20_000, interval: 50 })
    await other.append("s", [noted(1, "in time")])
    paused.child.stdin?.write("go\n")
    paused.child.kill("SIGCONT")
    const said = []
    for (let line = await paused.line(); line !== undefined; line = await paused.line()) said.push(line)
    expect(said.sort()).toEqual(["append lost", "durable lost", "holds false", "told lost"])
    expect((await other.load("s")).slice(1)).toEqual([noted(1, "in time")])
  })

  it("is what keeps two writers apart: with the switch for tests, both write", async () => {
    const address = newAddress(server())
    const env = { ...process.env, SOTTO_HOME: temporary(), SOTTO_TEST_NO_FENCING: "1" }
    const first = await storeAt(address, { env })
    await first.create({ cwd: "/a" }, opening("s", 0))
    await endLeases(address)
    const second = await storeAt(address, { env })
    await second.open("s")
    await second.append("s", [noted(1, "second")])
    await first.append("s", [noted(1, "first")])
    const rows = await server().query(`SELECT seq, body FROM ${schemaOf(address)}.entries ORDER BY seq`)
    expect(rows.map(({ seq }) => seq)).toEqual([0, 1, 2])
    expect(rows.map(({ body }) => JSON.parse(String(body)).seq)).toEqual([0, 1, 1])
  })
})

describe("a database that is away", () => {
  it("is said to be, without the password, within seconds", async () => {
    const nowhere = "postgres://ann:hunter2%40x@127.0.0.1:1/db?schema=a&password=hunter2"
    const error = await failing(() => openStore(nowhere))
    expect(error).toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("postgres://ann@127.0.0.1:1/db"),
    })
    expect(error.message).toContain("Check that PostgreSQL runs")
    expect(error.message).not.toContain("hunter2")
    const wrong = newAddress(server()).replace(/:[^:@]+@/, ":hunter2@")
    expect((await failing(() => openStore(wrong))).message).toMatch(
      /refuses this user.*Check the name, the password/,
    )
    expect((await failing(() => openStore(wrong))).message).not.toContain("hunter2")
    for (const bad of [
      "postgres://ann:hunter2@[/db",
      "postgres://ann:hunter2%@h/db",
      "postgres://h/db?schema=a b",
    ])
      expect((await failing(() => openStore(bad))).message).not.toContain("hunter2")
  })

  it("for a moment costs nothing: what waited is written once, under the same lease", async () => {
    const address = newAddress(server())
    const proxy = await startProxy(server().port)
    const store = await withSession(through(address, proxy.port))
    store.appendLater("s", [noted(1)])
    await proxy.cut()
    await store.durable("s")
    await store.append("s", [noted(2)])
    await proxy.cut()
    await store.append("s", [noted(3)])
    expect(await store.load("s")).toHaveLength(4)
    expect(store.lease("s")?.fence).toBe(1)
  })

  it("whose answer was lost is not written to twice", async () => {
    const address = newAddress(server())
    const proxy = await startProxy(server().port)
    const store = await withSession(through(address, proxy.port))
    for (let seq = 1; seq <= 5; seq++) {
      store.appendLater("s", [noted(seq, `only ${seq}`)])
      const gone = await proxy.mute(`only ${seq}`)
      const written = store.durable("s")
      await gone.seen
      const wanted = `SELECT count(*)::integer AS entries FROM ${schemaOf(address)}.entries`
      await vi.waitFor(async () => expect(await server().query(wanted)).toEqual([{ entries: seq + 1 }]))
      store.appendLater("s", [])
      await proxy.pass()
      await proxy.cut()
      await written
    }
    expect((await store.load("s")).slice(1)).toEqual([1, 2, 3, 4, 5].map((seq) => noted(seq, `only ${seq}`)))
    expect((await store.about("s")).messages).toBe(0)
  })

  it("that cannot be asked in time ends the lease, and the store yields and says so", async () => {
    const address = newAddress(server(), "&lease=1")
    const proxy = await startProxy(server().port)
    const store = await withSession(through(address, proxy.port))
    const lost = new Promise<string>((resolve) => store.onLost("s", ({ message }) => resolve(message)))
    await proxy.hold()
    expect(store.holds("s")).toBe(true)
    expect(await lost).toContain("the lease ended before the database could be asked")
    expect(store.holds("s")).toBe(false)
    await expect(store.durable("s")).rejects.toMatchObject({ code: "lost" })
    expect((await failing(() => store.append("s", [noted(1)]))).code).toBe("lost")
    await proxy.pass()
    await proxy.cut()
    await vi.waitFor(() => store.open("s"), { timeout: 20_000, interval: 50 })
    await store.append("s", [noted(1)])
    expect(await store.load("s")).toHaveLength(2)
  })

  it("and may or may not have what was appended is asked again, until it is known", async () => {
    const address = newAddress(server(), "&lease=2")
    const proxy = await startProxy(server().port)
    const store = await withSession(through(address, proxy.port))
    await proxy.mute("unsure")
    expect(await failing(() => store.append("s", [noted(1, "unsure")]))).toMatchObject({
      code: "unavailable",
      unsure: true,
    })
    await proxy.pass()
    await proxy.cut()
    await vi.waitFor(() => store.durable("s"), { timeout: 20_000, interval: 50 })
    await store.append("s", [noted(2)])
    expect(await store.load("s")).toEqual([...opening("s", 0), noted(1, "unsure"), noted(2)])
  })

  it("and may have written before another worker took the session is not said to have refused", async () => {
    const address = newAddress(server())
    const proxy = await startProxy(server().port)
    const store = await withSession(through(address, proxy.port))
    const other = await storeAt(address)
    const { seen } = await proxy.mute("doubt")
    const appended = failing(() => store.append("s", [noted(1, "doubt")]))
    await seen
    await vi.waitFor(async () => expect(await other.load("s")).toHaveLength(2))
    await endLeases(address)
    await other.open("s")
    await proxy.pass()
    await proxy.cut()
    expect(await appended).toMatchObject({ code: "lost", unsure: true })
  })

  it("until the lease is over makes the store yield, and say that only the log can tell", async () => {
    const address = newAddress(server(), "&lease=2")
    const proxy = await startProxy(server().port)
    const store = await withSession(through(address, proxy.port))
    const lost = new Promise<StoreError>((resolve) => store.onLost("s", resolve))
    const { seen } = await proxy.mute("unsure")
    const appended = failing(() => store.append("s", [noted(1, "unsure")]))
    await seen
    await proxy.hold()
    expect(await lost).toMatchObject({
      code: "lost",
      unsure: true,
      message: expect.stringContaining("may or may not have the last entries"),
    })
    await appended
    await proxy.pass()
    await proxy.cut()
    await vi.waitFor(() => store.open("s"), { timeout: 20_000, interval: 50 })
    expect(await store.load("s")).toEqual([...opening("s", 0), noted(1, "unsure")])
  })

  it("is looked for at its other addresses, and the work goes on there", async () => {
    const address = newAddress(server())
    const [first, second] = [await startProxy(server().port), await startProxy(server().port)]
    const both = through(address, first.port).replace(/(127\.0\.0\.1):(\d+)/, `$1:$2,$1:${second.port}`)
    const store = await withSession(both)
    await store.append("s", [noted(1)])
    await first.close()
    await vi.waitFor(() => store.append("s", [noted(2)]), { timeout: 20_000, interval: 50 })
    expect(await store.load("s")).toEqual([...opening("s", 0), noted(1), noted(2)])
    expect(store.lease("s")?.fence).toBe(1)
    const other = await storeAt(address)
    await other.post("s", { id: "p", command: 1 })
    await vi.waitFor(async () => expect(await store.posted("s")).toHaveLength(1), {
      timeout: 20_000,
      interval: 50,
    })
  })

  it("is waited for by a store that was opened before it, which then makes its tables", async () => {
    const address = newAddress(server())
    const proxy = await startProxy(server().port)
    await proxy.hold()
    const said: string[] = []
    const report = (line: string) => void said.push(line)
    const store = await storeAt(through(address, proxy.port), { waits: true, report })
    expect((await failing(() => store.list())).code).toBe("unavailable")
    expect(store.state()).toMatchObject({ version: 0 })
    await proxy.pass()
    await proxy.cut()
    await vi.waitFor(() => store.list(), { timeout: 20_000, interval: 50 })
    await store.create({ cwd: "/a" }, opening("s", 0))
    expect(store.state()).toMatchObject({ version: MIGRATIONS.length })
    expect(said).toEqual([
      expect.stringMatching(/cannot be reached: .* Nothing new is started/),
      expect.stringMatching(/can be reached again, after \d+ s/),
    ])
  })

  it("and was started again is used again", async () => {
    const address = newAddress(server())
    const store = await withSession(address)
    store.appendLater("s", [noted(1)])
    await server().stop()
    try {
      await expect(store.durable("s")).rejects.toMatchObject({ code: "unavailable" })
      expect((await failing(() => store.list())).code).toBe("unavailable")
      expect(store.holds("s")).toBe(true)
    } finally {
      await server().start()
    }
    await vi.waitFor(async () => await store.durable("s"), { timeout: 20_000, interval: 50 })
    await store.append("s", [noted(2)])
    expect(await store.load("s")).toHaveLength(3)
    expect(store.lease("s")?.fence).toBe(1)
  })
})

describe("the thread of the caller", () => {
  it("goes on while the database does not answer", async () => {
    const address = newAddress(server())
    const proxy = await startProxy(server().port)
    const store = await withSession(through(address, proxy.port))
    const other = await storeAt(address)
    await other.create({ cwd: "/b" }, opening("other", 0))
    store.keep("hash", "text")
    await store.durable("s")
    await proxy.hold()
    let ticks = 0
    const ticking = setInterval(() => ticks++, 10)
    onTestFinished(() => clearInterval(ticking))
    let answered = 0
    const asked = [
      ...[
        store.list(),
        store.latest("/a"),
        store.about("s"),
        store.usage("s", 0),
        store.describe("s", { title: "Title" }),
      ],
      ...[store.load("s"), store.loadFrom("s", 0), store.holder("other"), store.waiting([""])],
      ...[store.post("s", { id: "p", command: 1 }), store.posted("s"), store.outcome("s", "p")],
      ...[store.setAsking("s", ["May I?"]), store.exportJsonl("s"), store.lost()],
      ...[store.create({ cwd: "/c" }, opening("new", 0)), failing(() => store.open("other"))],
      ...[store.append("s", [noted(1)]), store.content("hash")],
      store.carryOut("s", "early", () => ({ is: "done" })),
    ].map(async (answer) => {
      await answer
      answered++
    })
    await new Promise((resolve) => setTimeout(resolve, 3_000))
    expect(answered).toBe(0)
    // 300 if the machine has nothing else to do.
    expect(ticks).toBeGreaterThan(100)
    await proxy.pass()
    await Promise.all(asked)
    expect((await other.holder("s"))?.asking).toEqual(["May I?"])
    await store.carryOut("s", "p", () => ({ is: "done" }))
    await store.release("s")
    await store.repair("s")
    expect(await store.delete("s")).toEqual(["s"])
  })

  it("takes a session once, although it is asked for twice in the same breath", async () => {
    const address = newAddress(server())
    const store = await withSession(address)
    await store.release("s")
    const [first, second] = await Promise.allSettled([store.open("s"), store.open("s")])
    expect(first.status).toBe("fulfilled")
    expect(second).toMatchObject({ status: "rejected", reason: { code: "locked" } })
    await store.append("s", [noted(1)])
    expect(store.lease("s")?.fence).toBe(2)
  })

  it("is not told that something was written which came while the session was given back", async () => {
    const store = await withSession(newAddress(server()))
    store.appendLater("s", [noted(1)])
    const released = store.release("s")
    // Now the first entry is on its way.
    await new Promise(setImmediate)
    const late = failing(() => store.append("s", [noted(2)]))
    await released
    expect(await late).toMatchObject({ code: "lost" })
    expect((await failing(() => store.durable("s"))).code).toBe("not-open")
    expect(await store.load("s")).toEqual([...opening("s", 0), noted(1)])
  })

  it("tells of questions in the order in which they were put", async () => {
    const address = newAddress(server())
    const store = await withSession(address)
    const other = await storeAt(address)
    const told = [["one"], ["one", "two"], ["two"], []].map((asking) => store.setAsking("s", asking))
    await Promise.all(told)
    expect((await other.holder("s"))?.asking).toEqual([])
  })
})

describe("posts are heard of", () => {
  /** Posts from another store, and waits until this one has heard of it. */
  async function hears(store: Store, address: string): Promise<void> {
    expect(await store.posted("s")).toEqual([])
    const told = new Promise<void>((resolve) => store.onPosted(resolve))
    await (await storeAt(address)).post("s", { id: "p", command: 1 })
    await told
    await vi.waitFor(async () => expect(await store.posted("s")).toHaveLength(1), {
      timeout: 20_000,
      interval: 20,
    })
  }

  it("by notifications where they work", async () => {
    const address = newAddress(server())
    const store = await withSession(address)
    await vi.waitFor(() => expect(store.state().hearing).toBe("notifications"))
    await hears(store, address)
  })

  it.each([
    ["they are switched off", () => "none", "switched off"],
    ["LISTEN is refused", () => "postgres://127.0.0.1:1/x", "ECONNREFUSED"],
    // Behind a pooler in transaction mode LISTEN succeeds, and what was listened for never comes: as in another database.
    [
      "they never arrive",
      () => newAddress(server()).replace("/postgres?", "/template1?"),
      "notifications do not arrive",
    ],
  ])("by polling where %s", async (_, listen, why) => {
    const address = newAddress(server(), `&listen=${encodeURIComponent(listen())}`)
    const store = await withSession(address)
    await vi.waitFor(
      () => expect(store.state()).toMatchObject({ hearing: "polling", why: expect.stringContaining(why) }),
      {
        timeout: 20_000,
      },
    )
    await hears(store, address)
    const changed = new Promise<void>((resolve) => store.onChange(resolve))
    await (await storeAt(address)).describe("s", { title: "Another" })
    await changed
  })

  it("again after the connection that hears of them broke", async () => {
    const address = newAddress(server())
    const proxy = await startProxy(server().port)
    const listening = encodeURIComponent(through(address, proxy.port))
    const store = await withSession(`${address}&listen=${listening}`)
    await vi.waitFor(() => expect(store.state().hearing).toBe("notifications"))
    await proxy.cut()
    await vi.waitFor(() => expect(store.state().hearing).toBe("polling"))
    await vi.waitFor(() => expect(store.state().hearing).toBe("notifications"), { timeout: 20_000 })
    await hears(store, address)
  })

  it("without asking the database at every boundary", async () => {
    const address = newAddress(server())
    const proxy = await startProxy(server().port)
    const store = await withSession(through(address, proxy.port))
    await vi.waitFor(() => expect(store.state().hearing).toBe("notifications"))
    await vi.waitFor(async () => expect(await store.posted("s")).toEqual([]))
    await proxy.hold()
    for (let i = 0; i < 1_000; i++) expect(await store.posted("s")).toEqual([])
    await proxy.pass()
  })
})

describe("the schema", () => {
  it.each(MIGRATIONS.map((_, version) => version))(
    "is brought up to date from version %d",
    async (version) => {
      const address = newAddress(server())
      const schema = schemaOf(address)
      await server().query(`CREATE SCHEMA ${schema}`)
      if (version > 0) {
        await server().query(
          `CREATE TABLE ${schema}.migrations (version integer PRIMARY KEY, min_reader integer NOT NULL, at timestamptz DEFAULT now())`,
        )
        for (const [i, { sql, minReader }] of MIGRATIONS.slice(0, version).entries()) {
          await server().query(sql(schema))
          await server().query(`INSERT INTO ${schema}.migrations VALUES ($1, $2)`, [i + 1, minReader])
        }
      }
      const store = await withSession(address)
      expect(store.state().version).toBe(MIGRATIONS.length)
      expect(await store.load("s")).toHaveLength(1)
    },
  )

  it("is made once, however many processes want it at the same time", async () => {
    const folder = temporary()
    const address = newAddress(server())
    const opener = program(
      folder,
      `const store = await openStore(process.argv[2]); writeSync(1, "version " + store.state().version + "\\n"); store.close()`,
    )
    const openers = Array.from({ length: 5 }, () => run(opener, address))
    for (const { line } of openers) expect(await line()).toBe(`version ${MIGRATIONS.length}`)
    const rows = await server().query(`SELECT version FROM ${schemaOf(address)}.migrations`)
    expect(rows).toHaveLength(MIGRATIONS.length)
  })

  it("of a newer Sotto is used if that says so, and else refused and left alone", async () => {
    const address = newAddress(server())
    const first = await withSession(address)
    const table = `${schemaOf(address)}.migrations`
    await server().query(`INSERT INTO ${table} (version, min_reader) VALUES (98, 1)`)
    await server().query(`ALTER TABLE ${schemaOf(address)}.sessions ADD COLUMN colour text`)
    expect(await (await storeAt(address)).load("s")).toHaveLength(1)
    await first.append("s", [noted(1)])
    await server().query(`INSERT INTO ${table} (version, min_reader) VALUES (99, 99)`)
    expect(await failing(() => openStore(address))).toMatchObject({
      code: "newer",
      message: expect.stringMatching(/newer Sotto \(version 99.*Use a newer Sotto\. Nothing was changed/),
    })
  })

  it("that a user may not make is refused with what to run", async () => {
    const address = newAddress(server())
    const name = `u_${schemaOf(address)}`
    await server().query(`CREATE ROLE ${name} LOGIN PASSWORD 'hunter2'`)
    const url = new URL(address)
    url.username = name
    url.password = "hunter2"
    const error = await failing(() => openStore(url.href))
    expect(error.message).toMatch(/may not change the schema.*sotto store migrate.*CREATE SCHEMA/)
    expect(error.message).not.toContain("hunter2")
    // Whoever owns the schema needs no more.
    await server().query(`CREATE SCHEMA ${schemaOf(address)} AUTHORIZATION ${name}`)
    expect(await (await withSession(url.href)).load("s")).toHaveLength(1)
  })
})

describe("an open store", () => {
  it("keeps no process alive, and shows its password nowhere", async () => {
    const address = newAddress(server())
    const opened = run(
      program(
        temporary(),
        `
        const store = await openStore(process.argv[2])
        await store.create({ cwd: "/w" }, [{ type: "opened", version: 1, id: "x", agent: "build", model: { id: "m" }, seq: 0, at: 0 }])
        store.appendLater("x", [{ type: "cancelled", id: "m", seq: 1, at: 0 }])
        store.durable("x").then(async () => writeSync(1, store.path + " " + (await store.load("x")).length + "\\n"))
        `,
      ),
      address,
    )
    expect(await opened.line()).toMatch(/^postgres:\/\/sotto@127\.0\.0\.1:\d+\/postgres\?schema=\w+ 2$/)
    await opened.ended
    expect(opened.child.exitCode).toBe(0)
  })
})
