import { createAnthropic } from "@ai-sdk/anthropic"
import Anthropic from "@anthropic-ai/sdk"
import { GoogleGenAI } from "@google/genai"
import { tool as langchainTool } from "@langchain/core/tools"
import { ChatOpenAI } from "@langchain/openai"
import type { Session } from "@sotto/core"
import { tool } from "ai"
import OpenAI from "openai"
import { z } from "zod"
import { openAgent as openAiSdk } from "../ai-sdk/agent.js"
import { openAgent as openAnthropic } from "../anthropic/agent.js"
import { openAgent as openGoogle } from "../google-genai/agent.js"
import { openAgent as openLangGraph } from "../langgraph/agent.js"
import { openAgent as openOpenAI } from "../openai/agent.js"
import { readText, writeText } from "./files.js"

interface Opening {
  readonly model: string
  readonly log: string
  readonly onText: (text: string) => void
}

interface Agent {
  readonly session: Session<"build" | "plan">
  /** Works until nothing is left to do, or until the signal interrupts. */
  run(signal?: AbortSignal): Promise<unknown>
}

/** An integration that can be talked to: the variable that has its key, a model, and how it is opened. */
export interface Integration {
  readonly key: string
  readonly model: string
  open(opening: Opening): Agent
}

const PATH = z.object({ path: z.string() })
const FILE = z.object({ path: z.string(), text: z.string() })
const TEXT = { type: "string" }
const READ = "Reads a file of this directory."
const WRITE = "Writes a file of this directory."

const tools = {
  read: {
    description: READ,
    inputSchema: { type: "object", properties: { path: TEXT }, required: ["path"] },
    safeToRepeat: true,
    run: (input: unknown) => readText(PATH.parse(input).path),
  },
  write: {
    description: WRITE,
    inputSchema: { type: "object", properties: { path: TEXT, text: TEXT }, required: ["path", "text"] },
    changes: true,
    run: (input: unknown) => writeText(FILE.parse(input)),
  },
}

function mayChange({ agent }: Session): void {
  if (agent === "plan") throw new Error("Plan mode changes nothing.")
}

/** The SDKs find their keys in the environment, and the addresses of their providers too where they look for them. */
export const INTEGRATIONS: Readonly<Record<string, Integration>> = {
  anthropic: {
    key: "ANTHROPIC_API_KEY",
    model: "claude-opus-5-5",
    open: (given) => openAnthropic({ ...given, client: new Anthropic(), tools }),
  },
  openai: {
    key: "OPENAI_API_KEY",
    model: "gpt-5.6",
    open: (given) => openOpenAI({ ...given, client: new OpenAI(), api: "responses", tools }),
  },
  "openai-chat": {
    key: "OPENAI_API_KEY",
    model: "gpt-5.6",
    open: (given) => openOpenAI({ ...given, client: new OpenAI(), api: "chat", tools }),
  },
  "google-genai": {
    key: "GEMINI_API_KEY",
    model: "gemini-3.8-flash",
    open: (given) => openGoogle({ ...given, client: new GoogleGenAI({}), tools }),
  },
  "ai-sdk": {
    key: "ANTHROPIC_API_KEY",
    model: "claude-opus-5-5",
    open({ model, ...given }) {
      const { ANTHROPIC_BASE_URL = "https://api.anthropic.com" } = process.env
      return openAiSdk({
        ...given,
        model: createAnthropic({ baseURL: `${ANTHROPIC_BASE_URL}/v1` })(model),
        tools: (session) => ({
          read: tool({ description: READ, inputSchema: PATH, execute: ({ path }) => readText(path) }),
          write: tool({
            description: WRITE,
            inputSchema: FILE,
            execute: (file) => {
              mayChange(session)
              return writeText(file)
            },
          }),
        }),
      })
    },
  },
  langgraph: {
    key: "OPENAI_API_KEY",
    model: "gpt-5.6",
    open: ({ model, ...given }) =>
      openLangGraph({
        ...given,
        model: new ChatOpenAI({ model }),
        tools: (session) => [
          langchainTool(({ path }) => readText(path), { name: "read", description: READ, schema: PATH }),
          langchainTool(
            (file) => {
              mayChange(session)
              return writeText(file)
            },
            { name: "write", description: WRITE, schema: FILE },
          ),
        ],
      }),
  },
}
