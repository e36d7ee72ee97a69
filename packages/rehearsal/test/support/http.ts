import { onTestFinished } from "vitest"
import {
  type HttpDialectName,
  type Rehearsal,
  type RehearsalOptions,
  startRehearsal,
} from "../../src/index.js"

/** A rehearsal for one test, closed at its end. */
export async function rehearsalFor(options: RehearsalOptions = {}): Promise<Rehearsal> {
  const rehearsal = await startRehearsal({ now: () => 1_800_000_000, ...options })
  onTestFinished(() => rehearsal.close())
  return rehearsal
}

export const DIALECTS: readonly HttpDialectName[] = ["anthropic", "openai", "openai-chat", "gemini"]

const MODELS = {
  anthropic: "claude-opus-5-5",
  openai: "gpt-5.6",
  "openai-chat": "gpt-5.6",
  gemini: "gemini-3-pro",
}

interface Ask {
  readonly words?: string
  readonly stream?: boolean
  readonly model?: string
  /** Names of tools to define. */
  readonly tools?: readonly string[]
  readonly mayCall?: boolean
}

/** The smallest request of each API: where it goes, and what it says. */
export function ask(
  dialect: HttpDialectName,
  options: Ask = {},
): { readonly path: string; readonly body: object } {
  const { words = "Hello", stream = false, model = MODELS[dialect], tools = [], mayCall = true } = options
  const schema = { type: "object", properties: { path: { type: "string" } }, required: ["path"] }
  const some = tools.length > 0
  switch (dialect) {
    case "anthropic":
      return {
        path: "/v1/messages",
        body: {
          model,
          max_tokens: 1_000,
          messages: [{ role: "user", content: words }],
          ...(some && { tools: tools.map((name) => ({ name, input_schema: schema })) }),
          ...(!mayCall && { tool_choice: { type: "none" } }),
          ...(stream && { stream }),
        },
      }
    case "openai":
      return {
        path: "/v1/responses",
        body: {
          model,
          input: [{ role: "user", content: words }],
          ...(some && { tools: tools.map((name) => ({ type: "function", name, parameters: schema })) }),
          ...(!mayCall && { tool_choice: "none" }),
          ...(stream && { stream }),
        },
      }
    case "openai-chat":
      return {
        path: "/v1/chat/completions",
        body: {
          model,
          messages: [{ role: "user", content: words }],
          ...(some && {
            tools: tools.map((name) => ({ type: "function", function: { name, parameters: schema } })),
          }),
          ...(!mayCall && { tool_choice: "none" }),
          ...(stream && { stream, stream_options: { include_usage: true } }),
        },
      }
    case "gemini":
      return {
        path: `/v1beta/models/${model}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
        body: {
          contents: [{ role: "user", parts: [{ text: words }] }],
          ...(some && {
            tools: [
              {
                functionDeclarations: tools.map((name) => ({
                  name,
                  description: name,
                  parametersJsonSchema: schema,
                })),
              },
            ],
          }),
          ...(!mayCall && { toolConfig: { functionCallingConfig: { mode: "NONE" } } }),
        },
      }
  }
}

export function post(
  rehearsal: Rehearsal,
  { path, body }: { readonly path: string; readonly body: unknown },
) {
  return fetch(`${rehearsal.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": "secret", authorization: "Bearer secret" },
    body: typeof body === "string" ? body : JSON.stringify(body),
  })
}

export interface SentEvent {
  readonly event?: string
  readonly data: Readonly<Record<string, unknown>> | "[DONE]"
}

/** The events of a whole stream. */
export function eventsIn(text: string): readonly SentEvent[] {
  return text
    .split("\n\n")
    .filter((block) => block.trim() !== "")
    .map((block) => {
      const field = (name: string) =>
        block
          .split("\n")
          .find((line) => line.startsWith(`${name}: `))
          ?.slice(name.length + 2)
      const event = field("event")
      const data = field("data") ?? ""
      return { ...(event !== undefined && { event }), data: data === "[DONE]" ? data : JSON.parse(data) }
    })
}

/** Consecutive equal names as one. */
export function squeezed(names: readonly (string | undefined)[]): readonly (string | undefined)[] {
  return names.filter((name, i) => name !== names[i - 1])
}
