import { describe, expect, it } from "vitest"
import { createMender } from "../src/index.js"
import type { Body } from "./support/history.js"
import {
  assistant,
  calling,
  claude,
  heldAll,
  reminder,
  request,
  result,
  send,
  sendAll,
  TOOLS,
  tool,
  user,
  words,
} from "./support/mending.js"

const PLAN = reminder(`Plan mode ACTIVE. Look, and change nothing. ${words(7, 90)}`)
const BUILD = reminder(`Your operational mode has changed from plan to build. ${words(8, 90)}`)
const [u1, u2, u3] = [words(1), words(2), words(3)]

/** The texts of the last message, in order. */
function tail({ json }: { readonly json: Body }): readonly string[] {
  const list = (json.messages ?? json.input ?? json.contents) as { content?: unknown; parts?: unknown }[]
  const texts = (value: unknown): readonly string[] => {
    if (typeof value === "string") return [value]
    if (Array.isArray(value)) return value.flatMap(texts)
    const { text, content, parts } = (value ?? {}) as Record<string, unknown>
    return texts(text ?? content ?? parts ?? [])
  }
  return texts(list.at(-1))
}

describe("what known harnesses do, held", () => {
  const modes = [
    claude([user(u1, PLAN)]),
    claude([user(u1, PLAN), calling("a"), result("a", "out")]),
    claude([user(u1), calling("a"), result("a", "out"), assistant("Planned."), user(u2, BUILD)]),
    claude([
      user(u1),
      calling("a"),
      result("a", "out"),
      assistant("Planned."),
      user(u2),
      assistant("Built."),
      user(u3, BUILD),
    ]),
  ]

  it("opencode: a plan's reminder that is gone is withdrawn before the next instruction", () => {
    const [, , third] = heldAll(modes)
    expect(tail(third as { json: Body })).toEqual([
      reminder(`The reminder above that begins "${PLAN.slice(18, 78)}…" is withdrawn: it no longer holds.`),
      u2,
      BUILD,
    ])
  })

  it("opencode: a reminder that moves on to the newest message is not sent again", () => {
    const last = heldAll(modes).at(-1)
    expect(tail(last as { json: Body })).toEqual([
      u3,
      reminder(`The reminder above that begins "${BUILD.slice(18, 78)}…" still holds, as if it stood here.`),
    ])
    expect(last?.mends.map(({ policy }) => policy)).not.toContain("mute")
    expect(last?.mends.find(({ withheld }) => withheld?.startsWith("<system-reminder>"))?.path).toBe(
      "messages[6].content[1]",
    )
  })

  it("a short reminder that moves on is simply repeated", () => {
    const todo = reminder("Todo list: one open.")
    const [, second] = heldAll([
      claude([user(u1, todo)]),
      claude([user(u1), assistant("Yes."), user(u2, todo)]),
    ])
    expect(tail(second as { json: Body })).toEqual([u2, todo])
  })

  const system = (date: string, rules: string) =>
    `You are an agent.\n${words(9, 200)}\n<env>\n  Today's date: ${date}\n</env>\nInstructions from: /p/AGENTS.md\n${rules}\n${words(11, 200)}`

  it("opencode: AGENTS.md is rewritten, and only the changed line is told", () => {
    const [first, second] = heldAll([
      claude([user(u1)], { system: system("Mon Nov 16 2026", "Use tabs.") }),
      claude([user(u1), assistant("Yes."), user(u2)], { system: system("Mon Nov 16 2026", "Use spaces.") }),
    ])
    expect(second?.json.system).toBe(first?.json.system)
    const [told] = tail(second as { json: Body })
    expect(told).toContain("\n-Use tabs.\n+Use spaces.\n")
    expect(told?.length).toBeLessThan(5_000)
  })

  it("at midnight the date is told by a system message where the model takes one", () => {
    const at = (date: string, ...messages: readonly unknown[]) =>
      claude(messages, { model: "claude-opus-5", system: system(date, "Use tabs.") })
    const [, second] = heldAll([
      at("Mon Nov 16 2026", user(u1)),
      at("Tue Nov 17 2026", user(u1), calling("a"), result("a", "out")),
      at("Tue Nov 17 2026", user(u1), calling("a"), result("a", "out"), calling("b"), result("b", "out")),
    ])
    const messages = second?.json.messages as { role: string; content: { text: string }[] }[]
    expect(messages.at(-1)?.role).toBe("system")
    expect(messages.at(-1)?.content[0]?.text).toContain("+  Today's date: Tue Nov 17 2026")
  })

  it("on other models it is told inside the last tool result, never after one", () => {
    const [, second] = heldAll([
      claude([user(u1)], { system: system("Mon Nov 16 2026", "Use tabs.") }),
      claude([user(u1), calling("a"), result("a", "out")], {
        system: system("Tue Nov 17 2026", "Use tabs."),
      }),
    ])
    const messages = second?.json.messages as { content: { type: string; content: { text: string }[] }[] }[]
    const [only, ...others] = messages.at(-1)?.content ?? []
    expect(others).toEqual([])
    expect(only?.content.map(({ text }) => text.slice(0, 17))).toEqual(["out", "<system-reminder>"])
  })

  it("Claude Code: context and todo list stand in the newest user message of every request", () => {
    const context = reminder(`# claudeMd\nContents of CLAUDE.md: ${words(12, 400)}`)
    const todo = (n: number) => reminder(`Your todo list has changed: ${n} of 9 are done. ${words(13, 80)}`)
    const billing = (n: number) => [
      { type: "text", text: `x-anthropic-billing-header: cc_version=2.1.${n}; cch=${n}f00ba` },
      { type: "text", text: "You are an agent." },
    ]
    const turns = Array.from({ length: 5 }, (_, n) => {
      const before = Array.from({ length: n }, (_, i) => [
        calling(`c${i}`),
        result(`c${i}`, words(20 + i)),
      ]).flat()
      const last = before.pop() as ReturnType<typeof result> | undefined
      const newest = last ?? user(u1)
      const messages = [
        ...(last === undefined ? [] : [user(u1)]),
        ...before,
        { ...newest, content: [...newest.content, ...user(context, todo(n)).content] },
      ]
      return claude(messages, { system: billing(n) })
    })
    const all = sendAll(turns, { hold: true })
    const systems = all.map(({ json }) => JSON.stringify(json.system))
    expect(new Set(systems).size).toBe(1)
    const lengths = all.map(({ body }) => body.split(words(12, 400)).length - 1)
    expect(lengths).toEqual([1, 1, 1, 1, 1])
    // Nothing speaks of the billing header, which is not meant for the model.
    expect(all.at(-1)?.body).not.toContain("3f00ba")
    expect(all.at(-1)?.body.match(/is withdrawn: it no longer holds/g)).toHaveLength(4)
    expect(all.map(({ fellBack }) => fellBack)).toEqual(all.map(() => undefined))
  })

  const gemini = (results: readonly string[]) => ({
    systemInstruction: { parts: [{ text: "You are an agent." }] },
    contents: [
      { role: "user", parts: [{ text: u1 }] },
      ...results.flatMap((output, i) => [
        { role: "model", parts: [{ functionCall: { id: `c${i}`, name: "read", args: { path: "a" } } }] },
        { role: "user", parts: [{ functionResponse: { id: `c${i}`, name: "read", response: { output } } }] },
      ]),
    ],
    tools: [
      { functionDeclarations: [{ name: "read", description: "Reads.", parameters: { type: "OBJECT" } }] },
    ],
  })
  const long = (i: number) => words(40 + i, 300)
  const masked = "<tool_output_masked>\nSaved to /tmp/out.txt\n</tool_output_masked>"

  it("gemini-cli: a masked result goes out as it was first sent if results are held too", () => {
    const all = heldResults([gemini([long(1)]), gemini([masked, long(2)]), gemini([masked, masked, long(3)])])
    expect(all.at(-1)).toContain(long(1))
    expect(all.at(-1)).toContain(long(2))
  })

  function heldResults(bodies: readonly unknown[]): readonly string[] {
    return sendAll(bodies, { hold: "results" }, "gemini").map(({ body }) => body)
  }

  it("gemini-cli: otherwise it stays masked, and everything else is still held", () => {
    const dated = (body: ReturnType<typeof gemini>, date: string) => ({
      ...body,
      systemInstruction: { parts: [{ text: `You are an agent.\nToday's date is ${date}.` }] },
    })
    const all = sendAll(
      [
        dated(gemini([long(1)]), "2026-11-16"),
        dated(gemini([long(1), long(2)]), "2026-11-17"),
        dated(gemini([masked, long(2), long(3)]), "2026-11-17"),
      ],
      { hold: true },
      "gemini",
    )
    const last = all.at(-1)
    expect(last?.body).not.toContain(long(1))
    expect(JSON.stringify(last?.json.systemInstruction)).toContain("2026-11-16")
    expect(last?.body.match(/2026-11-17/g)).toHaveLength(1)
  })
})

describe("tools", () => {
  const turn = (tools: readonly unknown[], n: number) =>
    claude([user(u1), ...Array.from({ length: n }, (_, i) => [assistant(`${i}`), user(words(i))]).flat()], {
      tools,
    })

  it("are held in their order, and a changed description is told once", () => {
    const described = [tool("bash", "Runs a command.\nAsk first."), tool("read")]
    const [first, second, third] = heldAll([turn(TOOLS, 0), turn(described, 1), turn(described, 2)])
    expect(second?.json.tools).toEqual(first?.json.tools)
    expect(second?.body).toContain('The description of the tool \\"bash\\" changed.')
    expect(third?.body.match(/The description of the tool/g)).toHaveLength(1)
  })

  it.each([
    ["a tool is added", [...TOOLS, tool("edit")]],
    ["a tool is removed", [tool("read")]],
    ["a schema changes", [tool("read"), tool("bash", "Runs bash.", { required: ["path"] })]],
  ])("go through when %s", (_, tools) => {
    const [, second] = sendAll([turn(TOOLS, 0), turn(tools, 1)], { hold: true })
    expect(second?.body).toBe(JSON.stringify(turn(tools, 1)))
    expect(second?.mends).toEqual([])
  })
})

describe("what is not understood", () => {
  const history = [user(u1, PLAN), assistant("a"), user(u2), assistant("b"), user(u3)]
  const begun = () => {
    const mender = createMender({ hold: true })
    send(mender, claude(history.slice(0, 1)))
    const held = send(mender, claude([user(u1), ...history.slice(1)]))
    expect(held.body).toContain("is withdrawn")
    return mender
  }

  it.each([
    ["a summary", claude([user(`Summary of the conversation so far: ${u1}`), user("Go on.")])],
    ["a step back", claude([user(u1), assistant("a"), user("Something else, please.")])],
    [
      "an edited message",
      claude([
        user(u1),
        assistant("a"),
        user(words(99)),
        assistant("b"),
        user(u3),
        assistant("c"),
        user("x"),
      ]),
    ],
    [
      "another system prompt",
      claude([user(u1), ...history.slice(1), assistant("c"), user("x")], { system: "You are a pirate." }),
    ],
    [
      "another model",
      claude([user(u1), ...history.slice(1), assistant("c"), user("x")], { model: "claude-sonnet-5" }),
    ],
  ])("goes through as it is: %s", (_, body) => {
    const { body: sent, mends } = send(begun(), body)
    expect(sent).toBe(JSON.stringify(body))
    expect(mends).toEqual([])
  })

  it("starts the thread anew: what follows is held again", () => {
    const mender = begun()
    const other = { system: "You are a pirate.\nToday's date: 2026-11-16" }
    const more = [user(u1), ...history.slice(1), assistant("c"), user("x")]
    send(mender, claude(more, other))
    const next = send(
      mender,
      claude([...more, assistant("d"), user("y")], { system: "You are a pirate.\nToday's date: 2026-11-17" }),
    )
    expect(next.json.system).toBe(other.system)
  })

  it("is no reason to fail: whatever comes goes out", () => {
    const mender = createMender({ hold: true, mute: ["x"], throttle: { y: 2 }, breakpoints: true })
    const bodies = [
      "",
      "{",
      "null",
      "[]",
      "{}",
      '{"messages":[]}',
      '{"messages":[1,null,"x"]}',
      '{"messages":[{}],"messages":[{}]}',
      '{"messages":"x","system":7,"tools":{}}',
    ]
    for (const body of bodies)
      for (const dialect of ["anthropic", "openai", "openai-chat", "gemini"] as const)
        expect(mender.mend(request(body, dialect))).toEqual({ body, mends: [] })
  })
})

describe("threads", () => {
  const line = (agent: string, n: number, date: string) =>
    claude(
      [
        user(`${agent}: ${words(agent.length)}`),
        ...Array.from({ length: n }, (_, i) => [
          assistant(`${agent} ${i} ${words(i)}`),
          user(`${agent} ${words(50 + i)}`),
        ]).flat(),
      ],
      { system: `You are ${agent}.\nToday's date: ${date}` },
    )

  it("are kept apart when they are interleaved", () => {
    const mender = createMender({ hold: true })
    for (let n = 0; n < 4; n++)
      for (const agent of ["the main agent", "a subagent", "another one"]) {
        const sent = send(mender, line(agent, n, `2026-11-1${n}`))
        expect(sent.json.system).toBe(`You are ${agent}.\nToday's date: 2026-11-10`)
        for (const other of ["the main agent", "a subagent", "another one"])
          expect(sent.body.includes(`You are ${other}.`)).toBe(other === agent)
      }
  })

  it("a request that is sent again has the same bytes, also after others", () => {
    const mender = createMender({ hold: true })
    send(mender, line("main", 0, "2026-11-16"))
    const first = send(mender, line("main", 1, "2026-11-17"))
    expect(send(mender, line("main", 1, "2026-11-17"))).toEqual(first)
    send(mender, line("another", 0, "2026-11-17"))
    expect(send(mender, line("main", 1, "2026-11-17")).body).toBe(first.body)
  })

  it("a question beside the conversation has the same bytes before it, and the conversation goes on", () => {
    const mender = createMender({ hold: true })
    send(mender, line("main", 1, "2026-11-16"))
    const held = send(mender, line("main", 2, "2026-11-17"))
    const aside = line("main", 2, "2026-11-18")
    const asked = {
      ...aside,
      messages: [
        ...(aside.messages as unknown[]),
        assistant("Done."),
        user("Summarize the conversation so far in a detailed summary."),
      ],
    }
    const sent = send(mender, asked)
    const before = held.json.messages as unknown[]
    expect((sent.json.messages as unknown[]).slice(0, before.length)).toEqual(before)
    // What changed since the conversation's newest request is told in the question, and only there.
    expect(JSON.stringify((sent.json.messages as unknown[]).at(-1))).toMatch(
      /2026-11-18[\s\S]*Summarize|Summarize[\s\S]*2026-11-18/,
    )
    const next = send(mender, line("main", 3, "2026-11-17"))
    expect((next.json.messages as unknown[]).slice(0, before.length)).toEqual(before)
    expect(next.body).not.toContain("Summarize")
  })
})

describe("a mended request that would be refused", () => {
  it("is not sent: the original goes out, and says why", () => {
    const at = (date: string, messages: readonly unknown[]) =>
      claude(messages, { model: "claude-opus-5", system: `You are an agent.\nToday's date: ${date}` })
    const mender = createMender({ hold: true })
    send(mender, at("2026-11-16", [user(u1)]))
    expect(send(mender, at("2026-11-17", [user(u1), assistant("a"), user(u2)])).body).toContain(
      '"role":"system"',
    )
    // The reply never came, and a user message may not follow a system message.
    const interrupted = at("2026-11-17", [user(u1), assistant("a"), user(u2), user(u3)])
    const sent = send(mender, interrupted)
    expect(sent.body).toBe(JSON.stringify(interrupted))
    expect(sent.fellBack).toContain("a system message must be last or precede an assistant turn")
  })

  it("goes out as the harness wrote it once the provider has refused it", () => {
    const mender = createMender({ hold: true })
    send(mender, claude([user(u1, PLAN)]))
    const next = claude([user(u1), assistant("a"), user(u2)])
    expect(send(mender, next).mends).not.toEqual([])
    mender.refused?.(request(next))
    expect(send(mender, next)).toMatchObject({ body: JSON.stringify(next), mends: [] })
    const later = claude([user(u1), assistant("a"), user(u2), assistant("b"), user(u3, PLAN)])
    expect(send(mender, later).body).toBe(JSON.stringify(later))
  })
})

describe("bytes", () => {
  it("keeps what it does not touch: numbers, escapes, white space and the order of keys", () => {
    const written = (date: string, more: string) =>
      `{ "stream":true, "max_tokens": 1e2,"metadata":{"user_id":"\\u0041","big":123456789012345678901234567890},\n "system":"You are an agent.\\nToday's date: ${date}","messages":[{"content" : "h\\u00e9","role":"user"}${more}], "model":"claude-sonnet-4-5" , "temperature":0.10 }`
    const mender = createMender({ hold: true })
    const first = written("2026-11-16", "")
    expect(mender.mend(request(first)).body).toBe(first)
    const reply =
      ',{"role":"assistant","content":"\\u00e9"},{"role":"user","content":[{"text":"a","type":"text"}]}'
    const { body } = mender.mend(request(written("2026-11-17", reply)))
    expect(body.startsWith(first.slice(0, first.indexOf("]")))).toBe(true)
    expect(body).toContain('{"role":"assistant","content":"\\u00e9"},')
    expect(body.endsWith('], "model":"claude-sonnet-4-5" , "temperature":0.10 }')).toBe(true)
  })

  it("moves cache markers with the harness, and never keeps old ones", () => {
    const marked = (message: { role: string; content: object[] }) => ({
      ...message,
      content: message.content.map((block, i) =>
        i === message.content.length - 1 ? { ...block, cache_control: { type: "ephemeral" } } : block,
      ),
    })
    const all = heldAll([
      claude([marked(user(u1, PLAN))]),
      claude([user(u1), assistant("a"), marked(user(u2))]),
      claude([user(u1), assistant("a"), user(u2), assistant("b"), marked(user(u3))]),
    ])
    for (const { json } of all) {
      const messages = json.messages as { content: unknown[] }[]
      expect(JSON.stringify(messages).match(/cache_control/g)).toHaveLength(1)
      expect(JSON.stringify(messages.at(-1)?.content.at(-1))).toContain("cache_control")
    }
  })
})
