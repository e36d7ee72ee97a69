import { describe, expect, it } from "vitest"
import { check, type Report } from "../src/index.js"
import { type Body, bodiesOf, callsOf, MODELS, ordinary } from "./support/history.js"
import { clone, conversation, message } from "./support/paths.js"

/** The same history as another agent would have it: another task, another system prompt. */
function subagent(bodies: readonly Body[], name: string): readonly Body[] {
  return bodies.map((body) =>
    JSON.parse(
      JSON.stringify(body)
        .replaceAll(/word(\d)/g, `${name}$1`)
        .replaceAll("call_", `call_${name}_`)
        .replaceAll(
          "You are an engineer",
          `You are ${name}, who looks things up and reports, and is an engineer`,
        ),
    ),
  )
}

/** Takes turns between the lists, by chance that is the same every time. */
function interleaved<T>(lists: readonly (readonly T[])[]): readonly T[] {
  const queues = lists.map((list) => [...list])
  const all: T[] = []
  for (let seed = 7; queues.some(({ length }) => length > 0); seed = (seed * 16_807) % 2_147_483_647) {
    const one = queues[seed % queues.length]?.shift()
    if (one !== undefined) all.push(one)
  }
  return all
}

const sizes = ({ threads }: Report) => threads.map(({ calls }) => calls)
const breaks = ({ threads }: Report) => threads.flatMap((thread) => thread.breaks)

describe.each(MODELS)("the threads of %s (%s)", (dialect, model) => {
  const bodies = bodiesOf(ordinary(dialect, model, 6))
  const read = (list: readonly unknown[]) => check(callsOf(list, { model }))
  const last = bodies.at(-1) ?? {}
  const added = (body: Body, ...messages: readonly unknown[]) => {
    const copy = clone(body)
    ;(conversation(copy) as unknown[]).push(...messages)
    return copy
  }

  it("keep ten subagents apart that work at the same time", () => {
    const names = Array.from({ length: 10 }, (_, i) => `agent${"abcdefghij"[i]}`)
    const report = read(interleaved([bodies, ...names.map((name) => subagent(bodies, name))]))
    expect(sizes(report)).toEqual(Array.from({ length: 11 }, () => 6))
    expect(breaks(report)).toEqual([])
  })

  it("name the thread that a subagent was started from", () => {
    const [first, second, ...rest] = bodies
    const report = read([first, second, ...subagent(bodies, "scout").slice(0, 3), ...rest])
    expect(report.threads).toMatchObject([
      { id: "1", purpose: "main", calls: 6 },
      { id: "2", purpose: "subagent", parent: "1", calls: 3 },
    ])
    expect(report.threads[0]).not.toHaveProperty("parent")
  })

  it("count a retry, and find no break in it", () => {
    const report = read(bodies.flatMap((body) => [body, body]))
    expect(sizes(report)).toEqual([12])
    expect(breaks(report)).toEqual([])
  })

  it("are two if a conversation forks and both sides go on", () => {
    const fork = added(bodies[3] ?? {}, message(dialect, "assistant", "Let me think aloud."))
    const further = added(fork, message(dialect, "user", "Go on."))
    const report = read([...bodies.slice(0, 5), fork, last, further])
    expect(sizes(report)).toEqual([6, 2])
    expect(report.threads[1]).toMatchObject({ parent: "1" })
    expect(breaks(report)).toEqual([])
  })

  it("are one if the user goes back and says something else: nothing has to be written again", () => {
    const back = added(
      bodies[2] ?? {},
      message(dialect, "assistant", "So be it."),
      message(dialect, "user", "Do X."),
    )
    const report = read([...bodies, back, added(back, message(dialect, "assistant", "Done."))])
    expect(sizes(report)).toEqual([8])
    expect(breaks(report)).toEqual([])
  })

  it("keep a request for a summary apart from the conversation that goes on", () => {
    const ask = "Summarise the conversation so far in detail, so that another model can continue the work."
    const report = read([
      ...bodies.slice(0, 4),
      added(bodies[3] ?? {}, message(dialect, "user", ask)),
      ...bodies.slice(4),
    ])
    expect(report.threads).toMatchObject([
      { purpose: "main", calls: 6, breaks: [] },
      { purpose: "summary", calls: 1, parent: "1" },
    ])
  })

  it("keep a user's question for a summary in the conversation", () => {
    const ask = "Please summarise the conversation so far."
    const asked = added(last, message(dialect, "user", ask))
    const report = read([...bodies, asked, added(asked, message(dialect, "assistant", "We did a lot."))])
    expect(sizes(report)).toEqual([8])
  })

  it("go on after a compaction, which is a note and no warning", () => {
    const compacted = clone(last)
    const list = conversation(compacted) as unknown[]
    const from = ["system", "developer"].includes((list[0] as { role: string }).role) ? 1 : 0
    list.splice(
      from,
      list.length - from,
      message(
        dialect,
        "user",
        "This session is continued from a previous conversation. Summary: all is well.",
      ),
    )
    const report = read([...bodies, compacted, added(compacted, message(dialect, "assistant", "Good."))])
    expect(sizes(report)).toEqual([8])
    expect(breaks(report)).toMatchObject([{ call: 7, cause: "compacted" }])
    expect(report.findings).toContainEqual(expect.objectContaining({ id: "compacted", severity: "note" }))
  })
})

it("keeps identical requests apart that were under way at the same time", () => {
  const bodies = bodiesOf(ordinary("anthropic", "claude-sonnet-4-5", 3))
  const [first] = callsOf(bodies)
  if (first === undefined) throw new Error("no call")
  const report = check([
    { ...first, at: 1_000, ms: 500 },
    { ...first, at: 1_200, ms: 500 },
  ])
  expect(report.threads).toMatchObject([{ calls: 1 }, { calls: 1 }])
})

it("tells a call without tools beside the conversation from a subagent", () => {
  const [first, second, ...rest] = bodiesOf(ordinary("anthropic", "claude-sonnet-4-5", 4))
  const aside = {
    model: "claude-haiku-4-5",
    max_tokens: 9,
    messages: [{ role: "user", content: "Is this safe?" }],
  }
  const report = check(callsOf([first, second, aside, ...rest]))
  expect(report.threads).toMatchObject([{ purpose: "main" }, { purpose: "other", parent: "1", calls: 1 }])
})

it("takes a title for what it is", () => {
  const bodies = bodiesOf(ordinary("anthropic", "claude-sonnet-4-5", 3))
  const title = {
    model: "claude-haiku-4-5",
    max_tokens: 20,
    system: "Generate a short title for this conversation. Answer with the title only.",
    messages: (bodies[0] as { messages: unknown }).messages,
  }
  const report = check(callsOf([title, ...bodies]))
  expect(report.threads).toMatchObject([
    { purpose: "title", calls: 1, breaks: [] },
    { purpose: "main", calls: 3, breaks: [] },
  ])
})

it("leaves token counts out of the conversation they count", () => {
  const bodies = bodiesOf(ordinary("anthropic", "claude-sonnet-4-5", 3))
  const calls = callsOf(bodies).flatMap((call) => [{ ...call, path: "/v1/messages/count_tokens" }, call])
  const report = check(calls)
  expect(report.threads).toMatchObject([
    { purpose: "other", calls: 3, tokens: { sent: 0 } },
    { purpose: "main", calls: 3, breaks: [] },
  ])
})

it("follows a conversation that the provider keeps", () => {
  const first = { model: "gpt-5.6", instructions: "Be short.", input: "Hello" }
  const second = {
    model: "gpt-5.6",
    instructions: "Be short.",
    input: "And?",
    previous_response_id: "resp_1",
  }
  const [a, b] = callsOf([first, second])
  if (a === undefined || b === undefined) throw new Error("no call")
  const report = check([{ ...a, response: { status: 200, body: { id: "resp_1" } } }, b])
  expect(report.threads).toMatchObject([{ calls: 2, breaks: [] }])
})

it("compares nothing with a call that the provider refused", () => {
  const bodies = bodiesOf(ordinary("anthropic", "claude-opus-5-5", 3))
  const [first, ...rest] = callsOf(bodies)
  if (first === undefined) throw new Error("no call")
  const refused = {
    ...first,
    body: { ...(first.body as Body), tool_choice: { type: "none" } },
    response: { status: 400 },
  }
  expect(breaks(check([refused, first, ...rest]))).toEqual([])
})

describe("conversations that are worded alike", () => {
  const call = (id: string, path: string) => [
    { role: "assistant", content: [{ type: "tool_use", id, name: "read", input: { path } }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: `This is ${path}.` }] },
  ]
  const body = (first: string, ...messages: readonly unknown[]) => ({
    model: "claude-sonnet-4-5",
    max_tokens: 10,
    messages: [{ role: "user", content: first }, ...messages],
  })

  it("are threads of their own if only a digit of the first message differs", () => {
    const session = (i: number) => {
      const first = `Please read the notes of day ${i} and say what is open.`
      return [body(first), body(first, ...call(`a${i}`, "notes.txt"))]
    }
    const report = check(callsOf(Array.from({ length: 22 }, (_, i) => session(i)).flat()))
    expect(sizes(report)).toEqual(Array.from({ length: 22 }, () => 2))
    expect(breaks(report)).toEqual([])
  })

  it("have no break if they begin and end alike and share no reply, as a window of the newest messages does", () => {
    const window = (from: number) =>
      body(
        "The task was: read the notes.",
        ...[0, 1, 2].flatMap((i) => call(`call_${from + i}`, `notes/${from + i}.txt`)),
        { role: "user", content: "Does this conversation go round in circles?" },
      )
    expect(breaks(check(callsOf([window(20), window(35), window(50)])))).toEqual([])
  })

  it("are one with a break if the first message changes and the replies stay", () => {
    const work = call("a1", "notes.txt")
    const report = check(
      callsOf([body("Read them.", ...work), body("Do another thing.", ...work, ...call("a2", "b"))]),
    )
    expect(sizes(report)).toEqual([2])
    expect(breaks(report)).toMatchObject([
      { call: 2, cause: "message-edited", segment: "messages.0.content.0" },
    ])
  })
})

it("takes a title for what it is that comes with the instructions of the conversation, before anything was answered", () => {
  const developer = (text: string) => message("openai", "developer", text)
  const codex = (key: string, ...said: readonly unknown[]) => ({
    model: "gpt-6-sol",
    prompt_cache_key: key,
    input: [
      { type: "additional_tools", role: "developer", tools: [{ type: "custom", name: "exec" }] },
      developer(`You are an agent. ${"Share the workspace. ".repeat(200)}`),
      ...said,
    ],
  })
  const hello = message("openai", "user", "Say hello to me")
  const report = check(
    callsOf([
      codex("a", developer("<skills>Several.</skills>"), developer("<mode>Alone.</mode>"), hello),
      codex(
        "b",
        developer("<permissions>Few.</permissions>"),
        developer("<mode>Alone.</mode>"),
        message("openai", "user", "Generate a concise, single-line task title of at most 36 characters."),
      ),
      codex(
        "a",
        developer("<skills>Several.</skills>"),
        developer("<mode>Alone.</mode>"),
        hello,
        message("openai", "assistant", "Hello."),
        message("openai", "user", "Once more."),
      ),
    ]),
  )
  expect(report.threads).toMatchObject([
    { purpose: "main", calls: 2, breaks: [] },
    { purpose: "title", calls: 1, breaks: [] },
  ])
})
