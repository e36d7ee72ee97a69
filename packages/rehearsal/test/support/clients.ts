import { createAnthropic } from "@ai-sdk/anthropic"
import { createOpenAI } from "@ai-sdk/openai"
import Anthropic from "@anthropic-ai/sdk"
import { FunctionCallingConfigMode, GoogleGenAI } from "@google/genai"
import type { Request } from "@sotto/core"
import * as aiSdk from "@sotto/core/ai-sdk"
import * as anthropic from "@sotto/core/anthropic"
import * as gemini from "@sotto/core/gemini"
import * as openai from "@sotto/core/openai"
import * as openaiChat from "@sotto/core/openai-chat"
import { jsonSchema, type LanguageModel, streamText, type ToolSet, tool } from "ai"
import OpenAI, { APIError } from "openai"
import type { Client } from "./turn.js"

/** The official SDKs, as anybody would use them, streaming. Retries are the harness's business. */

export function anthropicSdk(url: string): Client {
  const client = new Anthropic({ apiKey: "rehearsal", baseURL: url, maxRetries: 0 })
  return {
    async send(request) {
      return anthropic.decode(await client.messages.stream(anthropic.encode(request)).finalMessage())
    },
    refused: (error) => (error instanceof Anthropic.APIError ? anthropic.refusedCarrier(error) : undefined),
  }
}

export function openaiSdk(url: string): Client {
  const client = new OpenAI({ apiKey: "rehearsal", baseURL: `${url}/v1`, maxRetries: 0 })
  return {
    async send(request) {
      const decoder = openai.decoder()
      const body: OpenAI.Responses.ResponseCreateParamsStreaming = {
        ...openai.encode(request),
        stream: true,
      }
      for await (const event of await client.responses.create(body)) decoder.push(event)
      return decoder.end()
    },
    refused: (error) => (error instanceof APIError ? openai.refusedCarrier(error) : undefined),
  }
}

export function openaiChatSdk(url: string): Client {
  const client = new OpenAI({ apiKey: "rehearsal", baseURL: `${url}/v1`, maxRetries: 0 })
  return {
    async send(request) {
      const decoder = openaiChat.decoder()
      const body: OpenAI.ChatCompletionCreateParamsStreaming = {
        ...openaiChat.encode(request, { stream: true }),
        stream: true,
      }
      for await (const chunk of await client.chat.completions.create(body)) decoder.push(chunk)
      return decoder.end()
    },
    refused: (error) => (error instanceof APIError ? openaiChat.refusedCarrier(error) : undefined),
  }
}

export function geminiSdk(url: string): Client {
  const client = new GoogleGenAI({ apiKey: "rehearsal", httpOptions: { baseUrl: url } })
  return {
    async send(request) {
      const { contents, toolConfig, ...config } = gemini.encode(request)
      const decoder = gemini.decoder()
      const stream = await client.models.generateContentStream({
        model: gemini.modelName(request),
        contents,
        config: {
          ...config,
          ...(toolConfig && {
            toolConfig: { functionCallingConfig: { mode: FunctionCallingConfigMode.NONE } },
          }),
        },
      })
      for await (const chunk of stream) decoder.push(chunk)
      return decoder.end()
    },
  }
}

export function aiSdkAnthropic(url: string): Client {
  const provider = createAnthropic({ apiKey: "rehearsal", baseURL: `${url}/v1` })
  return aiSdkClient((id) => provider(id))
}

export function aiSdkOpenai(url: string): Client {
  const provider = createOpenAI({ apiKey: "rehearsal", baseURL: `${url}/v1` })
  return aiSdkClient((id) => provider.responses(id))
}

const MARKER = { anthropic: { cacheControl: { type: "ephemeral" } } }

function aiSdkClient(model: (id: string) => LanguageModel): Client {
  return {
    async send(request) {
      const { system, messages, toolChoice } = aiSdk.encode(request)
      const result = streamText({
        model: model(request.pins.model),
        system: { role: "system", content: system, providerOptions: MARKER },
        messages,
        // Only the harness's own words stand there.
        allowSystemInMessages: true,
        toolChoice,
        tools: toolsOf(request),
        maxRetries: 0,
        onError: ({ error }) => {
          throw error
        },
      })
      const [step] = await result.steps
      return aiSdk.decode(step)
    },
  }
}

function toolsOf(request: Request): ToolSet {
  return Object.fromEntries(
    request.pins.tools.map(({ name, description, inputSchema }) => [
      name,
      tool({ description, inputSchema: jsonSchema(inputSchema) }),
    ]),
  )
}
