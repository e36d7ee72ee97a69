import { type ContentBlock, RequestError } from "@agentclientprotocol/sdk"
import { type MessageOptions, readMessageOptions } from "./methods.js"

/** `_session/steering`: an extension that several agents and editors share, for what is said into a running turn. */
export interface SteeringRequest {
  readonly sessionId: string
  readonly prompt: readonly ContentBlock[]
  readonly whenIdle: "start-a-turn" | "ask-for-prompt"
  readonly options: MessageOptions
}

type Fields = Readonly<Record<string, unknown>>

export function readSteering(params: unknown): SteeringRequest {
  const { sessionId, prompt, _meta } = fields(params)
  if (typeof sessionId !== "string") throw wrong("sessionId is missing")
  if (!Array.isArray(prompt) || !prompt.every(isBlock)) throw wrong("prompt must be content blocks")
  const idle = fields(fields(_meta).steering).idleBehavior
  const whenIdle = idle === "promptRequired" ? "ask-for-prompt" : "start-a-turn"
  return { sessionId, prompt, whenIdle, options: readMessageOptions(fields(_meta)) }
}

/** The SDK checks the blocks of its own methods only. */
function isBlock(value: unknown): value is ContentBlock {
  const { type, text, data, mimeType, uri, name, resource } = fields(value)
  switch (type) {
    case "text":
      return typeof text === "string"
    case "image":
    case "audio":
      return typeof data === "string" && typeof mimeType === "string"
    case "resource_link":
      return typeof uri === "string" && typeof name === "string"
    case "resource": {
      const { uri, text, blob } = fields(resource)
      return typeof uri === "string" && (typeof text === "string" || typeof blob === "string")
    }
    default:
      return false
  }
}

function fields(value: unknown): Fields {
  return value !== null && typeof value === "object" ? (value as Fields) : {}
}

function wrong(what: string): RequestError {
  return RequestError.invalidParams(undefined, what)
}
