import type { Reply } from "@sotto/core"
import * as anthropic from "@sotto/core/anthropic"
import * as gemini from "@sotto/core/gemini"
import * as openai from "@sotto/core/openai"
import * as openaiChat from "@sotto/core/openai-chat"
import type { HttpDialectName } from "../../src/index.js"
import { eventsIn } from "./http.js"

const DIALECTS = { anthropic, openai, "openai-chat": openaiChat, gemini }

export function decodeWhole(dialect: HttpDialectName, response: unknown): Reply {
  return DIALECTS[dialect].decode(response)
}

export function decodeStream(dialect: HttpDialectName, text: string): Reply {
  const decoder = DIALECTS[dialect].decoder()
  for (const { data } of eventsIn(text)) decoder.push(data)
  return decoder.end()
}
