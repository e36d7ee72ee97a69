import { join } from "node:path"
import type { Problem } from "@sotto/core"
import * as anthropic from "@sotto/core/anthropic"
import * as gemini from "@sotto/core/gemini"
import * as openai from "@sotto/core/openai"
import * as openaiChat from "@sotto/core/openai-chat"
import { cacheModel } from "@sotto/core/testing"
import { beforeAll, describe, expect, it } from "vitest"
import { examplesOf } from "./support/type-corpus.js"

/**
 * Bodies made from the official SDKs' types: every field, every tool and every block that they document. Alone in a body,
 * many of them break a rule about how things belong together (an output without its call); none of them may be called
 * unknown, too much or of the wrong type.
 */
const SOURCE = `
import type { MessageCreateParamsNonStreaming } from "@anthropic-ai/sdk/resources/beta/messages"
import type { ResponseCreateParamsNonStreaming } from "openai/resources/responses/responses"
import type { ChatCompletionCreateParamsNonStreaming } from "openai/resources/chat/completions"
import type { Content, GenerationConfig, SafetySetting, Tool, ToolConfig } from "@google/genai"
export type Anthropic = Omit<MessageCreateParamsNonStreaming, "betas">
export type Responses = ResponseCreateParamsNonStreaming
export type Chat = ChatCompletionCreateParamsNonStreaming
export interface Gemini {
  contents: Content[]
  tools?: Tool[]
  toolConfig?: ToolConfig
  generationConfig?: GenerationConfig
  systemInstruction?: Content
  safetySettings?: SafetySetting[]
  cachedContent?: string
}
`

/**
 * How each API says that it does not know something. OpenAI's types let the assistant say what only users may, and the
 * API is known to refuse that.
 */
const UNKNOWN =
  /Extra inputs|Input tag|does not match any|Unknown (parameter|name)|Unrecognized|Invalid type: |Invalid value: '(?!input_)/

const APIS = [
  ["Anthropic", anthropic.validate, { model: "claude-sonnet-4-5" }, 5_000],
  ["Responses", openai.validate, { model: "gpt-5.6" }, 1_000],
  ["Chat", openaiChat.validate, { model: "gpt-5.6" }, 200],
  ["Gemini", gemini.validate, {}, 500],
] as const

describe("bodies made from the official SDKs' types", () => {
  let examples: ReturnType<typeof examplesOf>

  beforeAll(() => {
    examples = examplesOf(join(import.meta.dirname, "made-for-the-corpus.ts"), SOURCE)
  }, 240_000)

  it.each(APIS)("%s: nothing in them is unknown", (name, validate, fixed, least) => {
    const bodies = examples[name] ?? []
    expect(bodies.length).toBeGreaterThan(least)
    const unknown = bodies.flatMap((body) =>
      validate({ ...body, ...fixed }).flatMap((problem: Problem) =>
        UNKNOWN.test(problem.message) ? [`${problem.message}: ${JSON.stringify(body)}`] : [],
      ),
    )
    expect(unknown.slice(0, 5)).toEqual([])
  })

  it.each([
    ["Anthropic", "anthropic"],
    ["Responses", "openai"],
    ["Chat", "openai-chat"],
    ["Gemini", "gemini"],
  ] as const)("%s: the cache's model reads each of them", (name, dialect) => {
    for (const body of examples[name] ?? []) {
      const first = cacheModel(dialect, { minimum: 1 })
      first.request(body)
      const again = first.request(body)
      expect(again.missed).toBe(0)
      expect(again.total).toBe(cacheModel(dialect).request(body).total)
    }
  })
})
