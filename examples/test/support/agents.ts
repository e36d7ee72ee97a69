import { createAnthropic } from "@ai-sdk/anthropic"
import Anthropic from "@anthropic-ai/sdk"
import { GoogleGenAI } from "@google/genai"
import { tool as langchainTool } from "@langchain/core/tools"
import { ChatOpenAI } from "@langchain/openai"
import { tool } from "ai"
import OpenAI from "openai"
import { z } from "zod"
import { openAgent as openAiSdk } from "../../ai-sdk/agent.js"
import { openAgent as openAnthropic } from "../../anthropic/agent.js"
import { openAgent as openGoogle } from "../../google-genai/agent.js"
import { openAgent as openLangGraph } from "../../langgraph/agent.js"
import { openAgent as openOpenAI } from "../../openai/agent.js"
import type { Deeds, Open } from "./story.js"

const PATH = z.object({ path: z.string() })
const FILE = z.object({ path: z.string(), text: z.string() })
const TEXT = { type: "string" }

const tools = (deeds: Deeds) => ({
  read: {
    description: "Reads a file.",
    inputSchema: { type: "object", properties: { path: TEXT }, required: ["path"] },
    run: (input: unknown) => deeds.read(PATH.parse(input).path),
  },
  write: {
    description: "Writes a file.",
    inputSchema: { type: "object", properties: { path: TEXT, text: TEXT }, required: ["path", "text"] },
    changes: true,
    run: (input: unknown) => deeds.write(FILE.parse(input).path, ""),
  },
})

const mayChange = ({ agent }: { readonly agent: string }) => {
  if (agent === "plan") throw new Error("Plan mode changes nothing.")
}

const anthropic =
  (model: string): Open =>
  ({ url, deeds, ...given }) =>
    openAnthropic({
      client: new Anthropic({ baseURL: url, apiKey: "any" }),
      model,
      tools: tools(deeds),
      ...given,
    })

const openai =
  (api: "responses" | "chat"): Open =>
  ({ url, deeds, ...given }) =>
    openOpenAI({
      client: new OpenAI({ baseURL: `${url}/v1`, apiKey: "any" }),
      api,
      model: "gpt-5.6",
      tools: tools(deeds),
      ...given,
    })

/** The examples whose loop is `drive`. */
export const OWN_LOOPS: Readonly<Record<string, Open>> = {
  "@anthropic-ai/sdk, a model that takes system messages": anthropic("claude-opus-5-5"),
  "@anthropic-ai/sdk, a model that does not": anthropic("claude-sonnet-5"),
  "openai, Responses": openai("responses"),
  "openai, Chat Completions": openai("chat"),
  "@google/genai": ({ url, deeds, ...given }) =>
    openGoogle({
      client: new GoogleGenAI({ apiKey: "any", httpOptions: { baseUrl: url } }),
      model: "gemini-3-pro",
      tools: tools(deeds),
      ...given,
    }),
}

export const aiSdk =
  (model: string): Open =>
  ({ url, deeds, ...given }) =>
    openAiSdk({
      model: createAnthropic({ baseURL: `${url}/v1`, apiKey: "any" })(model),
      tools: (session) => ({
        read: tool({
          description: "Reads a file.",
          inputSchema: PATH,
          execute: ({ path }) => deeds.read(path),
        }),
        write: tool({
          description: "Writes a file.",
          inputSchema: FILE,
          execute: ({ path, text }) => {
            mayChange(session)
            return deeds.write(path, text)
          },
        }),
      }),
      ...given,
    })

export const langGraph: Open = ({ url, deeds, ...given }) =>
  openLangGraph({
    model: new ChatOpenAI({ model: "gpt-5.6", apiKey: "any", configuration: { baseURL: `${url}/v1` } }),
    tools: (session) => [
      langchainTool(({ path }) => deeds.read(path), {
        name: "read",
        description: "Reads a file.",
        schema: PATH,
      }),
      langchainTool(
        ({ path, text }) => {
          mayChange(session)
          return deeds.write(path, text)
        },
        { name: "write", description: "Writes a file.", schema: FILE },
      ),
    ],
    ...given,
  })
