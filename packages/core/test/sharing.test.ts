import { createSession, type Request } from "@sotto/core"
import * as anthropic from "@sotto/core/anthropic"
import * as gemini from "@sotto/core/gemini"
import * as openai from "@sotto/core/openai"
import * as openaiChat from "@sotto/core/openai-chat"
import fc from "fast-check"
import { expect, it } from "vitest"
import { history, optionsFor, Run } from "./support/history.js"
import { options } from "./support/session.js"

const DIALECTS = { anthropic, openai, "openai-chat": openaiChat, gemini }

it.each(Object.entries(DIALECTS))(
  "a body of %s that shares its messages is the body, whatever the history",
  (_, { encode, encodeShared }) => {
    const check = (one: Request) =>
      expect(JSON.stringify(encodeShared(one))).toBe(JSON.stringify(encode(one)))
    fc.assert(
      fc.property(history, ({ setup, commands }) => {
        const run = new Run(setup, createSession(optionsFor(setup)))
        // Both when a request is made and when the session has gone on.
        run.onRequest = check
        for (const one of commands) run.do(one)
        for (const one of run.requests) check(one)
      }),
      { seed: 7, numRuns: 60 },
    )
  },
)

it.each(Object.entries(DIALECTS))(
  "bodies of %s in one epoch have the same objects",
  (_, { encodeShared }) => {
    const session = createSession(options({ model: { id: "gpt-5.6" } }))
    session.say("Hello")
    const bodies = [1, 2, 3, 4].map((step) => {
      const next = session.next()
      if (next.is !== "request") throw new Error(next.is)
      const body: object = encodeShared(next.request)
      session.reply(next.request.id, { parts: [{ type: "text", text: `Answer ${step}` }] })
      session.say(`Question ${step}`)
      return body
    })
    const items = (body: object | undefined): readonly unknown[] =>
      Object.values(body ?? {}).find((value) => JSON.stringify(value ?? "").includes("Answer 1")) as unknown[]
    const [third, fourth] = [items(bodies[2]), items(bodies[3])]
    const answer = third.find((item) => JSON.stringify(item).includes("Answer 1"))
    expect(answer).toBeDefined()
    expect(fourth).toContain(answer)
  },
)

/** Changes every object and list of a body, as a caller may. */
function spoil(value: unknown): void {
  if (value === null || typeof value !== "object") return
  Object.values(value).forEach(spoil)
  if (Array.isArray(value)) value.length = 0
  else Object.assign(value, { type: "spoilt" })
}

it.each(Object.entries(DIALECTS))(
  "a body of %s may be changed: neither later bodies nor the session's log hear of it",
  (name, { encode, encodeBytes }) => {
    const models = { anthropic: "claude-opus-5-5", gemini: "gemini-3-pro" } as Readonly<
      Record<string, string>
    >
    const session = createSession(options({ model: { id: models[name] ?? "gpt-5.6" } }))
    session.say("Hello")
    for (let step = 0; step < 4; step++) {
      const next = session.next()
      if (next.is !== "request") throw new Error(next.is)
      const log = JSON.stringify(session.log)
      spoil(encode(next.request))
      expect(JSON.stringify(session.log)).toBe(log)
      expect(JSON.stringify(encode(next.request))).toBe(
        Buffer.concat([...encodeBytes(next.request)]).toString(),
      )
      const [id, input] = [`c${step}`, { path: ["a", { deep: true }] }]
      session.reply(next.request.id, { parts: [{ type: "tool-call", id, name: "read", input }] })
      session.result(id, "ok")
    }
  },
)
