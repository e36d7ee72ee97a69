import { defineRule, type Session, type SessionOptions } from "@sotto/core"
import * as aiSdk from "@sotto/core/ai-sdk"
import * as anthropic from "@sotto/core/anthropic"
import * as gemini from "@sotto/core/gemini"
import * as openai from "@sotto/core/openai"
import * as openaiChat from "@sotto/core/openai-chat"
import { describe, expect, it } from "vitest"
import { calls, exchange, request, says, start } from "./support/session.js"

/** Half of a surrogate pair, between words that show where it went. */
const HALF = "broken\ud83d here"
const png = { type: "image", mediaType: "image/png", data: "AAAA" } as const
const broken = { type: "object", properties: { [HALF]: { description: HALF } } }

const ruled = (form: object): Partial<SessionOptions> => ({
  rules: [defineRule({ kind: "mine", decide: () => [{ forms: [form as never] }] })],
})

type Entrance = readonly [options: Partial<SessionOptions>, enter: (session: Session) => unknown]

/** Every place where somebody's text becomes part of a request. */
const ENTRANCES: Readonly<Record<string, Entrance>> = {
  "a prompt": [{}, (s) => s.say(HALF)],
  "a message mid-turn": [{}, (s) => [exchange(s, calls("c1")), s.result("c1", "ok"), s.say(HALF)]],
  "a channel's name": [
    {},
    (s) => s.say("x", { origin: { kind: "channel", server: HALF }, delivery: "passive" }),
  ],
  "a system text": [{}, (s) => s.say("x", { system: HALF })],
  "a media's name": [{}, (s) => s.say([{ ...png, mediaType: "image/tiff", name: HALF }])],
  "a result": [{}, (s) => [exchange(s, calls("c1")), s.result("c1", HALF)]],
  "a reply": [{}, (s) => [exchange(s, says(HALF)), s.say("go on")]],
  "a call": [{}, (s) => call(s, "read", { [HALF]: [HALF] })],
  "a called name": [{}, (s) => call(s, HALF, {})],
  "signed reasoning": [
    {},
    (s) => [
      exchange(s, {
        parts: [
          { type: "reasoning", text: HALF, signature: "s" },
          { type: "text", text: "x" },
        ],
      }),
      s.say("go on"),
    ],
  ],
  "a provider's own block": [
    {},
    (s) => [
      exchange(s, {
        parts: [
          {
            type: "text",
            text: "x",
            verbatim: { dialect: "anthropic", block: { type: "text", text: HALF } },
          },
        ],
      }),
      s.say("go on"),
    ],
  ],
  "a signal": [{}, (s) => s.note({ type: "critical", text: HALF })],
  "a fact": [{}, (s) => s.observe("date", HALF)],
  instructions: [{}, (s) => s.observe(`instructions:${HALF}`, HALF)],
  "an environment": [{}, (s) => s.observe("environment", { [HALF]: HALF })],
  skills: [{}, (s) => s.observe("skills", [{ name: HALF, description: HALF }])],
  "a summary": [{}, (s) => [exchange(s, says("ok")), s.compact(HALF), s.say("go on")]],
  "an imported transcript": [
    {},
    (s) => [
      s.abort(),
      s.cancel("m"),
      s.importMessages([
        { id: "u", role: "user", parts: [{ type: "text", text: HALF }] },
        { id: "a", role: "assistant", parts: [{ type: "text", text: HALF }] },
      ]),
      s.say("go on"),
    ],
  ],
  tools: [{ tools: [{ name: "read", description: HALF, inputSchema: broken }] }, () => {}],
  "tools that are offered later": [
    {},
    (s) => s.offerTools([{ name: "read", description: HALF, inputSchema: broken }]),
  ],
  "an agent's prompt": [{ agents: [{ name: "a", prompt: HALF }] }, () => {}],
  "a native agent's prompt": [{ agents: [{ name: "a", prompt: HALF, native: true }] }, () => {}],
  "a rule's line": [ruled({ line: HALF }), () => {}],
  "a rule's body": [ruled({ line: "x", body: { text: HALF, source: HALF, trust: "untrusted" } }), () => {}],
  "a rule's attributes": [
    ruled({ line: "x", body: { text: "x", source: "x", trust: "untrusted", attributes: { path: HALF } } }),
    () => {},
  ],
  "the user's own words for a frame": [
    { reminders: { queued_command: { text: HALF } } },
    (s) => [exchange(s, calls("c1")), s.result("c1", "ok"), s.say("more")],
  ],
}

function call(session: Session, name: string, input: { readonly [key: string]: string[] }): void {
  exchange(session, { parts: [{ type: "tool-call", id: HALF, name, input }] })
  const next = session.next()
  if (next.is === "waiting") for (const { id } of next.calls) session.result(id, "ok")
}

const DIALECTS = { anthropic, openai, openaiChat, gemini, aiSdk }
const MODELS = ["claude-sonnet-4-5", "claude-opus-5-5", "gpt-5.6", "gemini-3-pro"]
const HALVES = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]|\\ud[89a-f]/i

describe.each(MODELS)("half of a surrogate pair, for %s, in", (id) => {
  it.each(Object.entries(ENTRANCES))("%s", (_, [options, enter]) => {
    const session = start({ ...options, model: { id } })
    session.say("Go", { id: "m" })
    enter(session)
    const sent = request(session)
    for (const { encode } of Object.values(DIALECTS)) expect(JSON.stringify(encode(sent))).not.toMatch(HALVES)
    expect(JSON.stringify([sent.pins, sent.messages])).toContain("broken\ufffd here")
    const repaired = session.ledger().reduce((sum, row) => sum + (row.neutralised ?? 0), 0)
    expect(repaired).toBeGreaterThan(0)
  })
})

describe("the validators", () => {
  it.each(Object.entries(DIALECTS))("know that %s refuses it", (_, { encode, validate }) => {
    const session = start()
    session.say("whole")
    const body = JSON.stringify(encode(request(session)))
    const about = (text: string) =>
      validate(JSON.parse(text)).filter(({ message }) => /JSON|surrogate/.test(message))
    expect(about(body)).toEqual([])
    expect(about(body.replace("whole", "hal\\ud83df"))).toMatchObject([{ severity: "error" }])
  })
})
