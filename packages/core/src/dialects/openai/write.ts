import { Fingerprint } from "../../text/fingerprint.js"
import { inputObject, wireId } from "../../vocabulary/fields.js"
import type { ToolCallPart } from "../../vocabulary/message.js"
import type { ModelSettings } from "../../vocabulary/model-settings.js"
import type { Request } from "../../vocabulary/request.js"
import type { ToolDefinition } from "../../vocabulary/tool.js"
import type { MediaBlock } from "../../vocabulary/wire-message.js"
import { type EncodeOptions, withOptions } from "../dialect.js"
import { objectSchema } from "../json-schema.js"

/** What both of OpenAI's APIs want written the same way. */

export const LONGEST_CALL_ID = { responses: 64, chat: 40 } as const
export const LONGEST_NAME = 64
export const LONGEST_CACHE_KEY = 64

/** Gives the fields that both APIs have behind the conversation. */
export function parametersOf({ pins, toolChoice }: Request, options: EncodeOptions, asking: object) {
  const { stream, extra } = options
  return {
    ...(stream !== undefined && { stream }),
    ...withOptions(asking, pins.options, "reasoning"),
    // Tools stay defined byte for byte; only calling them is forbidden.
    ...(toolChoice === "none" && pins.tools.length > 0 && { tool_choice: "none" }),
    ...extra,
  }
}

/** Says how words are chosen, if the model lets others choose. */
export function samplingOf({ temperature, topP }: ModelSettings, isTaken: boolean) {
  if (!isTaken) return {}
  return { ...(temperature !== undefined && { temperature }), ...(topP !== undefined && { top_p: topP }) }
}

/** Shortens a text to what the API takes; a fingerprint tells cut texts apart. */
export function shortened(text: string, longest: number): string {
  if (text.length <= longest) return text
  const print = new Fingerprint().add(text).toString()
  return `${text.slice(0, longest - print.length - 1)}_${print}`
}

export function callIdOf(id: string, longest: number): string {
  return shortened(id, longest)
}

/** Encodes a call. Another provider's model may have called what OpenAI would not let it call. */
export function calledFunction({ name, input }: ToolCallPart): { name: string; arguments: string } {
  return {
    name: shortened(wireId(name), LONGEST_NAME) || "unnamed",
    arguments: JSON.stringify(inputObject(input)),
  }
}

/** Gives a tool's schema. An object without properties is refused unless it says that it has none. */
export function schemaOf(tool: Pick<ToolDefinition, "inputSchema">) {
  // Both APIs refuse these at the top.
  const { enum: _, not: __, ...schema } = objectSchema(tool.inputSchema)
  return { properties: {}, ...schema, type: "object" } as const
}

/** Neither API has a field for it. */
export const FAILED = "[this call failed]"

export function dataUrl({ mediaType, data }: MediaBlock): string {
  return `data:${mediaType};base64,${data}`
}

/** Names a file: one without a name is refused. */
export function fileName({ name }: MediaBlock): string {
  return name ?? "document.pdf"
}
