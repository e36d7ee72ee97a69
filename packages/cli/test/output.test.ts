import { describe, expect, it } from "vitest"
import { bodiesOf, conversationOf } from "./support/bodies.js"
import { benchWith, finished, reaching, serverWith, talk } from "./support/sotto.js"

const MODEL = ["--model", "anthropic/claude-opus-5-5"]

/** The fields of every event, those that may be missing after a question mark. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  session: ["id"],
  step: ["n"],
  text: ["text"],
  reasoning: ["text"],
  "tool-call": ["id", "name", "input"],
  "tool-result": ["id", "output", "error?"],
  queued: ["id"],
  delivered: ["id", "step"],
  cancelled: ["id"],
  reminder: ["kind", "step", "carrier", "tokens", "text"],
  ask: [
    "id",
    "kind",
    "call?",
    "agent?",
    "tool?",
    "permission?",
    "target?",
    "detail?",
    "always?",
    "accesses?",
    "question?",
    "options?",
  ],
  agent: ["name"],
  rebase: ["reason"],
  usage: ["purpose", "session?", "input", "output", "cacheRead", "cacheWrite", "account"],
  interrupted: [],
  "turn-end": ["reason", "steps", "account"],
  error: ["message"],
}

describe.concurrent("--output jsonl", () => {
  it("has every type of event, with its fields and no others", async () => {
    const server = await serverWith([
      {
        reasoning: "Where to begin?",
        text: "I look.",
        calls: [
          { name: "read", input: { path: "missing.txt" } },
          { name: "bash", input: { command: "cat gate" } },
        ],
      },
      { text: "I write.", calls: [{ name: "write", input: { path: "a.txt", content: "a" } }] },
      { text: "Done." },
      { text: "Too slow.", delay: 60_000 },
      { text: "Planned." },
    ])
    const bench = benchWith()
    const gate = bench.gate()
    const run = talk(bench, server, ...MODEL, "Begin.")
    await run.wait({ type: "tool-call", name: "bash" })
    run.say("By the way.", { id: "mid" })
    run.say("Never.", { id: "never" })
    run.send({ type: "cancel", id: "never" })
    run.send("nonsense")
    await run.wait({ type: "error" })
    await gate.open()
    const { id } = await run.wait({ type: "ask" })
    run.send({ type: "answer", id, answer: "deny" })
    await run.wait({ type: "turn-end" })
    run.say("Go on.")
    await run.wait({ type: "step", n: 1 }, 2)
    run.send({ type: "abort" })
    await run.wait({ type: "turn-end" }, 2)
    run.send({ type: "agent", name: "plan" })
    run.send({ type: "model", model: "openai/gpt-5.6" })
    run.say("Plan it.")
    await run.wait({ type: "turn-end" }, 3)
    const { code, out, err } = await run.end()
    expect({ code, err }).toEqual({ code: 0, err: "" })

    expect(out.trim().split("\n")).toHaveLength(run.events.length)
    for (const event of run.events) {
      const { type, ...fields } = event
      const known = FIELDS[type] ?? []
      const required = known.filter((name) => !name.endsWith("?"))
      expect(Object.keys(fields), type).toEqual(expect.arrayContaining(required))
      expect(
        known.map((name) => name.replace("?", "")),
        type,
      ).toEqual(expect.arrayContaining(Object.keys(fields)))
    }
    const types = new Set(run.events.map(({ type }) => type))
    expect([...types].sort()).toEqual(Object.keys(FIELDS).sort())

    // Calls go by the provider's ids.
    const calls = run.all({ type: "tool-call" }).map((call) => call.id)
    expect(run.all({ type: "tool-result" }).map((result) => result.id)).toEqual(calls)
    for (const call of calls) expect(conversationOf(bodiesOf(server)[2])).toContain(call)
    expect(run.events[0]?.type).toBe("session")
    expect(run.events.at(-1)?.type).toBe("turn-end")
  })

  it("puts the events of a step in order", async () => {
    const server = await serverWith([
      { text: "I look.", calls: [{ name: "glob", input: { pattern: "*" } }] },
      { text: "Done." },
    ])
    const args = ["run", "Begin.", ...MODEL, "--output", "jsonl"]
    const { out } = await finished(benchWith(), args, reaching(server.url))
    const types = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).type)
    const squeezed = types.filter((type, i) => type !== types[i - 1])
    const step = ["text", "usage"]
    expect(squeezed).toEqual([
      ...["session", "queued", "step", "delivered", ...step],
      ...["tool-call", "tool-result", "step", ...step, "turn-end"],
    ])
  })

  it("stops at --max-steps, with tools forbidden and the model told", async () => {
    const look = { text: "I look.", calls: [{ name: "glob", input: { pattern: "*" } }] }
    const server = await serverWith([look, look, { text: "This is what is left." }])
    const run = talk(benchWith(), server, ...MODEL, "--max-steps", "3", "Begin.")
    expect(await run.wait({ type: "turn-end" })).toMatchObject({
      ...{ reason: "max-steps", steps: 3 },
      account: run.all({ type: "usage" }).at(-1)?.account,
    })
    expect((await run.end()).code).toBe(3)
    expect(run.all({ type: "reminder", kind: "max_steps" })).toMatchObject([{ step: 3 }])
    expect(bodiesOf(server).map(({ tool_choice }) => tool_choice)).toMatchObject([
      ...[undefined, undefined],
      { type: "none" },
    ])
  })
})

describe.concurrent("--input jsonl", () => {
  it("tells of every line that is no command by its number, and goes on", async () => {
    const server = await serverWith([{ text: "Still here." }])
    const run = talk(benchWith(), server, ...MODEL)
    const lines: readonly (readonly [string, RegExp])[] = [
      ["{", /not JSON/],
      ["[]", /not an object/],
      ["null", /not an object/],
      ['"say"', /not an object/],
      ['{"type":"sing"}', /unknown type "sing"/],
      ['{"text":"no type"}', /unknown type/],
      ['{"type":"say"}', /"say" needs "text"/],
      ['{"type":"say","text":7}', /"say" needs "text"/],
      ['{"type":"say","text":" "}', /"text" is empty/],
      ['{"type":"say","text":"x","delivery":"soon"}', /"delivery" is one of/],
      ['{"type":"say","text":"x","origin":"martian"}', /"origin"/],
      ['{"type":"say","text":"x","origin":{"kind":"channel"}}', /"server"/],
      ['{"type":"say","text":"x","origin":null}', /"origin"/],
      ['{"type":"say","text":"x","id":1}', /"id"/],
      ['{"type":"agent"}', /"agent" needs "name"/],
      ['{"type":"model"}', /"model" needs "model"/],
      ['{"type":"answer","id":"a"}', /"answer" needs "answer"/],
      ['{"type":"answer","id":"a","answer":"yes"}', /nobody asked "a"/],
      ['{"type":"edit","id":"m"}', /"m" is not queued/],
      ['{"type":"cancel","id":"m"}', /"m" is not queued/],
      ['{"type":"say","text":"x","delivry":"now"}', /unknown field "delivry".*nothing was done.*delivery/],
      ['{"type":"say","text":"x","origin":{"kind":"human","server":"ci"}}', /unknown field "server".*human/],
      ['{"type":"say","text":"x","hidden":"yes"}', /"hidden" is true or false/],
      ['{"type":"agent","name":"plan","model":"x"}', /unknown field "model".*"agent" has the fields name/],
      ['{"type":"model","model":"rehearsal/tour","name":"x"}', /unknown field "name"/],
      ['{"type":"compact","fokus":"x"}', /unknown field "fokus"/],
      ['{"type":"rewind","id":"m","files":"yes"}', /"files" is true or false/],
      ['{"type":"auto","on":true,"for":"ever"}', /unknown field "for"/],
      ['{"type":"remind","text":"x","kind":"x"}', /unknown field "kind"/],
    ]
    for (const [line] of lines) run.send(line)
    run.send("")
    run.send("   ")
    run.send('{"type":"abort","reason":"a stop is obeyed whatever else its line says"}')
    run.say("Are you there?", { id: "there" })
    await run.wait({ type: "turn-end" })
    expect((await run.end()).code).toBe(0)
    const errors = run.all({ type: "error" }).map(({ message }) => message)
    for (const [i, [, what]] of lines.entries()) {
      expect(errors[i]).toMatch(new RegExp(`^line ${i + 1}: `))
      expect(errors[i]).toMatch(what)
    }
    expect(errors).toHaveLength(lines.length)
    expect(run.text()).toBe("Still here.")
    expect(server.requests).toHaveLength(1)
  })

  it("takes lines in pieces, with CRLF, and the last without an end", async () => {
    const server = await serverWith([{ text: "One." }, { text: "Two." }])
    const run = talk(benchWith(), server, ...MODEL)
    run.write('{"type":"say","te')
    run.write('xt":"Grüße, 世界 🎭"}\r\n')
    await run.wait({ type: "turn-end" })
    run.write('{"type":"say","text":"The last."}')
    expect((await run.end()).code).toBe(0)
    expect(conversationOf(bodiesOf(server)[0])).toContain("Grüße, 世界 🎭")
    expect(run.text()).toBe("One.Two.")
  })

  it("ends with nothing to do when stdin is closed at once", async () => {
    const server = await serverWith([{ text: "Never." }])
    const run = talk(benchWith(), server, ...MODEL)
    expect((await run.end()).code).toBe(0)
    expect(server.requests).toHaveLength(0)
  })
})
