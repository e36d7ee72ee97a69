import type { ThinkLevel } from "../../vocabulary/model-settings.js"
import type { ThinkingConfig } from "./body.js"

const LEVELS = {
  off: "MINIMAL",
  low: "LOW",
  medium: "MEDIUM",
  high: "HIGH",
  max: "HIGH",
} as const satisfies Readonly<Record<ThinkLevel, ThinkingConfig["thinkingLevel"]>>

const BUDGETS: Readonly<Record<ThinkLevel, number>> = {
  off: 0,
  low: 2_048,
  medium: 8_192,
  high: 16_384,
  max: 32_768,
}

/**
 * Says how much a model of this generation thinks; undefined for models that do not. Source: "Thinking" of the API's
 * guide.
 */
export function thinkingConfigOf(level: ThinkLevel | undefined, model: string): ThinkingConfig | undefined {
  const found = /gemini-(\d+)(?:\.(\d+))?-?([a-z]*)(-lite)?/i.exec(model)
  if (level === undefined || found === null) return undefined
  const [, major = "", minor = "0", name = ""] = found
  const release = Number(major) * 100 + Number(minor)
  const isPro = name.toLowerCase() === "pro"
  if (release >= 300) {
    const wanted = LEVELS[level]
    // Pro cannot but think; the first of them knows two levels.
    if (isPro && wanted === "MINIMAL") return { thinkingLevel: "LOW" }
    return { thinkingLevel: isPro && release === 300 && wanted === "MEDIUM" ? "HIGH" : wanted }
  }
  if (release !== 205) return undefined
  return { thinkingBudget: isPro ? Math.max(128, BUDGETS[level]) : Math.min(24_576, BUDGETS[level]) }
}
