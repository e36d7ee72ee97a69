import { type ContentBlock, RequestError } from "@agentclientprotocol/sdk"
import {
  CommandError,
  type CommandName,
  type CommandOf,
  commandSchema,
  readCommandOf,
  SESSION_COMMANDS,
  type SessionCommand,
} from "@sotto/harness"

/** What a prompt says of its message beside its blocks, under `sotto` of its `_meta`. */
export type MessageOptions = Pick<CommandOf<"say">, "delivery" | "id" | "system" | "hidden">

/** The blocks are the words, and an editor speaks for the user. */
const NOT_IN_META = ["text", "parts", "origin"]

/** The commands that are extension methods. A prompt is how an editor says something. */
export const METHODS = (Object.keys(SESSION_COMMANDS) as CommandName[]).filter((type) => type !== "say")

export function methodOf(type: CommandName): string {
  return `_sotto/${type}`
}

export function advertised(): object {
  return {
    commands: METHODS.map((type) => ({
      method: methodOf(type),
      description: SESSION_COMMANDS[type].summary,
      params: commandSchema(type),
    })),
    prompt: commandSchema("say", NOT_IN_META),
  }
}

/** Reads the params of an extension method: a session's id, and the fields of the command. */
export function readMethod(
  type: CommandName,
  params: unknown,
): { readonly sessionId: string; readonly command: SessionCommand } {
  const { sessionId, _meta, ...given } = (params ?? {}) as Readonly<Record<string, unknown>>
  if (typeof sessionId !== "string") throw RequestError.invalidParams(undefined, "sessionId is missing")
  return { sessionId, command: clearly(() => readCommandOf(type, given)) }
}

export function readMessageOptions(
  meta: Readonly<Record<string, unknown>> | null | undefined,
): MessageOptions {
  const given = meta?.sotto
  if (given === undefined || given === null) return {}
  const { type: _, ...options } = clearly(() => readCommandOf("say", given, NOT_IN_META))
  return options
}

function clearly<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    throw RequestError.invalidParams(undefined, error.message)
  }
}

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

/** Checks a block ourselves: the SDK checks only those of its own methods. */
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
