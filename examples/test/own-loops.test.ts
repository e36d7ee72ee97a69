import Anthropic from "@anthropic-ai/sdk"
import { GoogleGenAI } from "@google/genai"
import OpenAI from "openai"
import { describe, expect, it } from "vitest"
import { openAgent as openAnthropic } from "../anthropic/agent.js"
import { openAgent as openGoogle } from "../google-genai/agent.js"
import { openAgent as openOpenAI } from "../openai/agent.js"
import { type Deeds, expectKeptPrefix, type Open, playStory } from "./support/story.js"

const tools = (deeds: Deeds) => ({
  read: {
    description: "Reads a file.",
    inputSchema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
    run: (input: unknown) => deeds.read((input as { path: string }).path),
  },
  write: {
    description: "Writes a file.",
    inputSchema: {
      type: "object",
      properties: { path: { type: "string" }, text: { type: "string" } },
      required: ["path", "text"],
    },
    changes: true,
    run: (input: unknown) => deeds.write((input as { path: string }).path, ""),
  },
})

const openai =
  (api: "responses" | "chat"): Open =>
  ({ url, log, deeds }) =>
    openOpenAI({
      client: new OpenAI({ baseURL: `${url}/v1`, apiKey: "any" }),
      api,
      model: "gpt-5.6",
      tools: tools(deeds),
      log,
    })

const AGENTS: Readonly<Record<string, Open>> = {
  "@anthropic-ai/sdk, a model that takes system messages": ({ url, log, deeds }) =>
    openAnthropic({
      client: new Anthropic({ baseURL: url, apiKey: "any" }),
      model: "claude-opus-5-5",
      tools: tools(deeds),
      log,
    }),
  "@anthropic-ai/sdk, a model that does not": ({ url, log, deeds }) =>
    openAnthropic({
      client: new Anthropic({ baseURL: url, apiKey: "any" }),
      model: "claude-sonnet-5",
      tools: tools(deeds),
      log,
    }),
  "openai, Responses": openai("responses"),
  "openai, Chat Completions": openai("chat"),
  "@google/genai": ({ url, log, deeds }) =>
    openGoogle({
      client: new GoogleGenAI({ apiKey: "any", httpOptions: { baseUrl: url } }),
      model: "gemini-3-pro",
      tools: tools(deeds),
      log,
    }),
}

describe.each(Object.entries(AGENTS))("a loop on %s", (_, open) => {
  it("plays the story, and changes nothing that was sent", async () => {
    const requests = await playStory(open)
    expect(requests).toHaveLength(8)
    expectKeptPrefix(requests)
  })
})
