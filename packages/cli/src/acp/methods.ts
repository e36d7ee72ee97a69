import { RequestError } from "@agentclientprotocol/sdk"
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

/** What an editor is told of the extensions when it shakes hands. */
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
