import { createSession, onCadence, type Request, type ToolDefinition } from "@sotto/core"
import * as anthropic from "@sotto/core/anthropic"
import * as gemini from "@sotto/core/gemini"
import * as openai from "@sotto/core/openai"
import * as chat from "@sotto/core/openai-chat"
import fc from "fast-check"
import type { Call, HttpDialectName } from "../../src/call.js"

export type Body = Record<string, unknown>

/** One step of work: what the user says first, if anything, and how many calls the model makes. */
interface Step {
  readonly prompt: boolean
  readonly image: boolean
  readonly calls: number
}

export interface Setup {
  readonly dialect: HttpDialectName
  readonly model: string
  readonly steps: readonly Step[]
}

/** Each dialect with a model whose reminders travel differently. */
export const MODELS: readonly (readonly [HttpDialectName, string])[] = [
  ["anthropic", "claude-sonnet-4-5"],
  ["anthropic", "claude-opus-5-5"],
  ["openai", "gpt-5.6"],
  ["openai-chat", "gpt-5.6"],
  ["openai-chat", "qwen3-coder"],
  ["gemini", "gemini-3-pro"],
]

const step = fc.record({ prompt: fc.boolean(), image: fc.boolean(), calls: fc.integer({ min: 1, max: 3 }) })

export const setup: fc.Arbitrary<Setup> = fc
  .record({ which: fc.constantFrom(...MODELS), steps: fc.array(step, { minLength: 4, maxLength: 10 }) })
  .map(({ which: [dialect, model], steps }) => ({ dialect, model, steps }))

/** A history in which everything occurs: prompts, an image, calls, results, reminders. */
export function ordinary(dialect: HttpDialectName, model: string, length = 6): Setup {
  const steps = Array.from({ length }, (_, i) => ({
    prompt: i % 3 === 2,
    image: i === 2,
    calls: 1 + (i % 2),
  }))
  return { dialect, model, steps }
}

const TOOLS: readonly ToolDefinition[] = ["bash", "edit", "glob", "grep", "read"].map((name) => ({
  name,
  description: `Runs ${name} on the files of the project and returns what it says.`,
  inputSchema: {
    type: "object",
    properties: { path: { type: "string" }, limit: { type: "number" } },
    required: ["path"],
  },
}))

const SYSTEM =
  "You are an engineer who works on the files of a project. You look before you change anything.\nSession started on 2026-11-16 at 09:15.\nRequest 17 of this session, id 3f2a9c1e-77aa-4b1c-9d7e-0a1b2c3d4e5f.\nAnswer in short sentences."

const words = (seed: number, count = 40) =>
  Array.from({ length: count }, (_, i) => `word${(seed * 7_919 + i * 104_729) % 9_973}`).join(" ")

/** The bodies that a session of Sotto's sends: an honest history of each dialect. */
export function bodiesOf({ dialect, model, steps }: Setup): readonly Body[] {
  let ids = 0
  let seed = 1
  const session = createSession({
    agents: [{ name: "build", mode: "primary", prompt: SYSTEM }],
    model: { id: dialect === "openai-chat" ? `openai-chat/${model}` : model },
    tools: TOOLS,
    rules: [
      onCadence({
        kind: "progress",
        every: { steps: 2 },
        say: ({ step }) => [
          { line: `The list of open work has ${step} entries; the first is ${words(step, 6)}.` },
        ],
      }),
    ],
    now: () => 0,
    newId: () => `id-${ids++}`,
  })
  session.say(`Please begin: ${words(seed++)}`)
  return steps.map((one, i) => {
    if (one.prompt && i > 0) session.say(parts(one, `And then ${words(seed++)}`, i))
    const next = session.next()
    if (next.is !== "request") throw new Error(`expected a request, got ${next.is}`)
    const calls = Array.from({ length: one.calls }, (_, j) => `call_${i}_${j}`)
    session.reply(next.request.id, {
      parts: [
        { type: "text", text: `I look at ${words(seed++, 12)}.` },
        ...calls.map((id) => ({
          type: "tool-call" as const,
          id,
          name: "read",
          input: { path: `src/${words(seed++, 1)}.ts`, limit: 20 },
        })),
      ],
      stop: "tool-calls",
    })
    for (const id of calls) session.result(id, `output: ${words(seed++, 120)}`)
    return withReasoning(encoded(next.request, dialect), dialect)
  })
}

/** Each image differs: if one is gone and the same comes again, no trace tells which of the two is left. */
function parts({ image }: Step, text: string, i: number) {
  if (!image) return text
  return [
    { type: "text" as const, text },
    { type: "image" as const, mediaType: "image/png", data: Buffer.from(`image ${i}`).toString("base64") },
  ]
}

function encoded(request: Request, dialect: HttpDialectName): Body {
  const body = (() => {
    switch (dialect) {
      case "anthropic":
        return anthropic.encode(request)
      case "openai":
        return openai.encode(request)
      case "openai-chat":
        return chat.encode(request)
      case "gemini":
        return gemini.encode(request)
    }
  })()
  return JSON.parse(JSON.stringify(body))
}

/** Thinking before every first call of a reply, as each API brings it. */
function withReasoning(body: Body, dialect: HttpDialectName): Body {
  const think = (i: number) => `thinking ${words(1_000 + i, 20)}`
  const lists = body as { messages?: Body[]; input?: Body[]; contents?: Body[] }
  switch (dialect) {
    case "anthropic":
      lists.messages?.forEach((message, i) => {
        if (message.role === "assistant")
          (message.content as unknown[]).unshift({
            type: "thinking",
            thinking: think(i),
            signature: `c2ln${i}`,
          })
      })
      return body
    case "openai-chat":
      lists.messages?.forEach((message, i) => {
        if (message.role === "assistant") message.reasoning_content = think(i)
      })
      return body
    case "openai":
      return {
        ...body,
        input: lists.input?.flatMap((item, i) =>
          item.role === "assistant"
            ? [{ type: "reasoning", id: `rs_${i}`, summary: [], encrypted_content: think(i) }, item]
            : [item],
        ),
      }
    case "gemini":
      lists.contents?.forEach((content, i) => {
        if (content.role === "model") (content.parts as unknown[]).unshift({ text: think(i), thought: true })
      })
      return body
  }
}

export function callsOf(bodies: readonly unknown[], more: Partial<Call> = {}): readonly Call[] {
  return bodies.map((body, i) => ({ source: "trace", number: i + 1, body, ...more }))
}
