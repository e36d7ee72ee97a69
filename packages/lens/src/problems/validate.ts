import type { Problem } from "@sotto/core"
import { validateSent as validateAnthropic } from "@sotto/core/anthropic"
import { validateSent as validateGemini } from "@sotto/core/gemini"
import { validate as validateOpenAI } from "@sotto/core/openai"
import { validate as validateChat } from "@sotto/core/openai-chat"
import type { Call, HttpDialectName } from "../call.js"

/** Lists what the provider's validator objects to. */
export function problemsOf(call: Call, dialect: HttpDialectName, model: string): readonly Problem[] {
  const { body } = call.sent ?? call
  switch (dialect) {
    case "anthropic":
      return validateAnthropic(body, call.betas === undefined ? {} : { betas: call.betas })
    case "openai":
      return validateOpenAI(body)
    case "openai-chat":
      return validateChat(body)
    case "gemini":
      return validateGemini(body, { model })
  }
}
