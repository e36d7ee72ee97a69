import { existsSync } from "node:fs"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type Events, type Serving, serving } from "./support/server.js"
import { type Bench, benchWith, reaching, serverWith, talk } from "./support/sotto.js"

const MODEL = "anthropic/claude-opus-5-5"
const wait = { name: "bash", input: { command: "cat gate" } }

/** A terminal that has a session open, and a server on the same store. */
async function shared(bench: Bench, steps: Parameters<typeof serverWith>[0]) {
  const model = await serverWith(steps)
  const terminal = talk(bench, model, "--model", MODEL, "Begin.")
  const { id } = await terminal.wait({ type: "session" })
  const server = await serving(bench, reaching(model.url))
  return { model, terminal, id, server, at: (path: string) => `/sessions/${id}${path}` }
}

describe.concurrent("a session that a terminal has open", () => {
  it("is watched and steered by two clients, and all agree", async () => {
    const bench = benchWith()
    const gate = bench.gate()
    const { terminal, server, id, at } = await shared(bench, [
      { text: "I ask.", calls: [{ name: "bash", input: { command: "python3 -c 1" } }] },
      { text: "I wait.", calls: [wait] },
      { text: "Heard." },
      { text: "And after." },
    ])
    const { user, api } = server
    const readers = [user.events(at("/events?from=0")), user.events(at("/events?from=0"))] as const
    const [reader] = readers

    // The terminal's question is answered by one of the others.
    const ask = await reader.wait("ask")
    expect(ask).toMatchObject({ kind: "permission", tool: "bash" })
    expect(await api.getSession(id)).toMatchObject({ state: "asking", questions: [{ id: ask.id }] })
    await expect(api.answer(id, { id: "ask-1", answer: "allow" })).rejects.toMatchObject({ status: 404 })
    expect(await api.answer(id, { id: String(ask.id), answer: "allow" })).toEqual({ done: true })
    await terminal.wait({ type: "tool-result" })

    // What they say joins the step under way, with a receipt; what they take back is never said.
    await terminal.wait({ type: "tool-call" }, 2)
    const said = await api.say(id, { text: "From the page.", id: "p1" })
    expect(said).toMatchObject({ id: "p1", state: "queued", seq: expect.any(Number) })
    expect(await api.say(id, { text: "From the page.", id: "p1" })).toMatchObject(said)
    await api.say(id, { text: "Afterwards.", id: "p2", delivery: "after-turn" })
    await api.say(id, { text: "Never.", id: "p3", delivery: "after-turn" })
    expect(await api.cancel(id, "p3")).toMatchObject({ state: "cancelled" })
    await expect(api.agent(id, { name: "nobody" })).rejects.toMatchObject({ status: 400 })
    expect(await api.agent(id, { name: "plan" })).toEqual({ done: true })
    terminal.say("From the terminal.", { id: "t1" })
    await terminal.wait({ type: "queued", id: "t1" })
    await gate.open()
    await terminal.wait({ type: "turn-end" }, 2)
    expect(
      terminal
        .all({ type: "delivered" })
        .map(({ id }) => id)
        .slice(1),
    ).toEqual(["p1", "t1", "p2"])
    expect(terminal.all({ type: "cancelled" }).map(({ id }) => id)).toEqual(["p3"])

    for (const one of readers) await one.wait("turn-end", 2)
    expect(readers[0].numbered.map(({ event }) => event)).toEqual(
      readers[1].numbered.map(({ event }) => event),
    )
    for (const type of ["step", "delivered", "cancelled", "tool-call", "tool-result", "agent"] as const)
      expect(reader.all(type)).toEqual(terminal.all({ type }))
    // What the tree has cost is not in the log: readers of a log are told that by the session's activity.
    const ends = terminal.all({ type: "turn-end" }).map(({ account: _, ...end }) => end)
    expect(reader.all("turn-end")).toEqual(ends)
    expect(
      reader
        .all("text")
        .map(({ text }) => text)
        .join(""),
    ).toBe(terminal.text())

    // When the terminal has left, the server goes on with the session.
    await terminal.end()
    expect(await api.getSession(id)).toMatchObject({ state: "idle", agent: "plan" })
  })

  it("is aborted from the page exactly once", async () => {
    const bench = benchWith()
    bench.gate()
    const { terminal, server, at } = await shared(bench, [
      { text: "I wait.", calls: [wait] },
      { text: "Never." },
    ])
    await terminal.wait({ type: "tool-call" })
    expect(await server.user.post(at("/abort"))).toMatchObject({ status: 200 })
    await terminal.wait({ type: "turn-end", reason: "interrupted" })
    expect((await terminal.end()).code).toBe(0)
    expect(terminal.all({ type: "interrupted" })).toHaveLength(1)
  })

  it("is taken over with what was posted, when the terminal is killed", async () => {
    const bench = benchWith()
    bench.gate()
    const { terminal, server, at } = await shared(bench, [
      { text: "I wait.", calls: [wait] },
      { text: "Heard." },
    ])
    await terminal.wait({ type: "tool-call" })
    // It is stopped, so that it cannot take what is posted, and then killed.
    terminal.signal("SIGSTOP")
    const posted = server.user.post(at("/say"), { text: "Did you hear?", id: "p1" })
    const events = server.user.events(at("/events?from=0"))
    await events.wait("step")
    terminal.signal("SIGKILL")
    await terminal.ended
    expect(await posted).toMatchObject({ status: 200, json: { id: "p1" } })
    await events.wait("turn-end")
    expect(
      events
        .all("delivered")
        .map(({ id }) => id)
        .slice(1),
    ).toEqual(["p1"])
    expect(events.all("queued").filter(({ id }) => id === "p1")).toHaveLength(1)
  })
})

describe.concurrent("a command of any kind", () => {
  const write = { calls: [{ name: "write", input: { path: "new.txt", content: "new\n" } }] }

  it("reaches the terminal that has the session open, and then the stored session", async () => {
    const bench = benchWith()
    const { model, terminal, server, id } = await shared(bench, [
      { text: "One." },
      write,
      ...[{ text: "Written." }, { text: "Three." }],
    ])
    const { api } = server
    await terminal.wait({ type: "turn-end" })
    expect(await api.auto(id, { on: true })).toEqual({ done: true })
    const parts = [
      { type: "text", text: "Not for the model.", ignored: true },
      { type: "text", text: "Write it." },
    ] as const
    await api.say(id, { parts, id: "p1", system: "Be brief." })
    await terminal.wait({ type: "turn-end" }, 2)
    const sent = JSON.stringify(model.requests.at(-1)?.body)
    for (const text of ["Write it.", "Be brief."]) expect(sent).toContain(text)
    expect(sent).not.toContain("Not for the model.")
    expect(existsSync(bench.path("new.txt"))).toBe(true)

    const stopped = api.task(id, { id: "bash-1", do: "stop" })
    await expect(stopped).rejects.toMatchObject({ status: 404, code: "unknown-task" })
    await expect(api.rewind(id, { to: "p9" })).rejects.toMatchObject({ status: 404, code: "unknown-prompt" })
    await expect(api.style(id, { name: "baroque" })).rejects.toMatchObject({ status: 400 })
    expect(await api.rewind(id, { to: "p1", files: true })).toMatchObject({
      done: true,
      restored: [{ path: "new.txt" }],
      conflicts: [],
    })
    expect(existsSync(bench.path("new.txt"))).toBe(false)

    // Nobody has it open any more: the server opens it.
    expect((await terminal.end()).code).toBe(0)
    expect(await api.style(id, { name: "concise" })).toEqual({ done: true })
    expect(await api.remind(id, { text: "The deadline is noon." })).toEqual({ done: true })
    expect(await api.compact(id)).toEqual({ done: true })
    const { entries } = await api.getLog(id)
    expect(entries.filter(({ type }) => type === "rewound")).toHaveLength(1)
    expect(entries.some((one) => one.type === "observed" && one.key === "output_style")).toBe(true)
  })

  it("that goes back is carried out once, also if the terminal is killed before it could", async () => {
    const bench = benchWith()
    bench.gate()
    const { terminal, server, id, at } = await shared(bench, [
      { text: "One." },
      { text: "I wait.", calls: [wait] },
      { text: "Never." },
    ])
    await terminal.wait({ type: "turn-end" })
    terminal.say("Wait.", { id: "m2" })
    await terminal.wait({ type: "tool-call" })
    terminal.signal("SIGSTOP")
    const posted = server.api.rewind(id, { to: "m2" })
    const events = server.user.events(at("/events?from=0"))
    await events.wait("step")
    terminal.signal("SIGKILL")
    await terminal.ended
    expect(await posted).toMatchObject({ done: true })
    const { entries } = await server.api.getLog(id)
    expect(entries.filter(({ type }) => type === "rewound")).toHaveLength(1)
  })
})

describe.concurrent("a reader", () => {
  /** Reads everything with connections that break after so many events each. */
  async function withBreaks(
    { user }: Serving,
    path: string,
    breaks: readonly number[],
    isOver: (events: Events) => boolean,
  ) {
    const told: unknown[] = []
    let seq = 0
    for (const [i, count] of [...breaks, Number.POSITIVE_INFINITY].entries()) {
      // Both ways to go on: by the number in the address, and as a browser does.
      const events =
        i % 2 === 0 ? user.events(`${path}?from=${seq}`) : user.events(path, { "last-event-id": String(seq) })
      const enough = (one: Events) => one.numbered.length >= count || isOver(one)
      await events.until(enough)
      await events.close()
      const taken = events.numbered.slice(0, count)
      told.push(...taken)
      seq = taken.at(-1)?.seq ?? seq
      if (isOver(events) && events.numbered.length <= count) return told
    }
    return told
  }

  it("misses nothing and hears nothing twice, wherever its connection breaks", async () => {
    const calls = (i: number) => [
      { name: "bash", input: { command: `echo ${i}` } },
      { name: "glob", input: { pattern: "*" } },
    ]
    const model = await serverWith([
      ...Array.from({ length: 8 }, (_, i) => ({ text: `Step ${i}.`, reasoning: "Hm.", calls: calls(i) })),
      { text: "Done." },
    ])
    const bench = benchWith({ "a.txt": "a" })
    const server = await serving(bench, reaching(model.url))
    const isOver = (events: Events) => events.all("turn-end").length > 0
    // While the turn runs, with readers that come and go, and once more when all of it is in the log.
    const id = await server.user.open(bench.cwd, { model: MODEL })
    const path = `/sessions/${id}/events`
    const steady = server.user.events(`${path}?from=0`)
    const live = [
      [1, 2, 3, 1, 1, 5, 4],
      [7, 1, 9, 2],
      [2, 2, 2, 2, 2, 2, 2, 2, 2],
    ].map((breaks) => withBreaks(server, path, breaks, isOver))
    await server.user.post(`/sessions/${id}/say`, { text: "Begin." })
    await steady.wait("turn-end")
    const whole = steady.numbered
    expect(whole.length).toBeGreaterThan(40)
    for (const told of await Promise.all(live)) expect(told).toEqual(whole)
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 12 }), async (breaks) => {
        expect(await withBreaks(server, path, breaks, isOver)).toEqual(whole)
      }),
      { numRuns: 12, seed: 22 },
    )
  })

  it("hears of a turn that began before it came, also from the middle of its events", async () => {
    const model = await serverWith([{ text: "One.", calls: [wait] }, { text: "Two." }])
    const bench = benchWith()
    const gate = bench.gate()
    const { user } = await serving(bench, reaching(model.url))
    const id = await user.open(bench.cwd, { model: MODEL })
    await user.post(`/sessions/${id}/say`, { text: "Begin." })
    const first = user.events(`/sessions/${id}/events`)
    await first.wait("tool-call")
    await first.close()
    await gate.open()
    // "After the last that I have" and "from the one after it on" are the same.
    const rest = await Promise.all(
      [first.seq, first.seq + 1].map(async (from) => {
        const events = user.events(`/sessions/${id}/events?from=${from}`)
        await events.wait("turn-end")
        return events.numbered
      }),
    )
    expect(rest[0]).toEqual(rest[1])
    expect(rest[0]?.[0]?.event.type).toBe("tool-result")
  })
})
