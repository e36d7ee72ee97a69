import type { HttpDialectName } from "../dialects/dialect.js"

export const MODELS = ["claude-opus-5-5", "claude-sonnet-5-5", "gpt-5.6", "gpt-5", "gemini-3.8-flash"]

const FAMILIES: Readonly<Record<HttpDialectName, RegExp>> = {
  anthropic: /^claude-/,
  openai: /^(gpt-|chatgpt|codex|o\d)/,
  "openai-chat": /^(gpt-|chatgpt|codex|o\d)/,
  gemini: /^(gemini|gemma|models\/gemini)-/,
}

/** Whether a provider would know a model of this name: one of those listed, or of its families. */
export function isOffered(id: string, dialect: HttpDialectName, listed: readonly string[] = MODELS): boolean {
  return listed.includes(id) || FAMILIES[dialect].test(id)
}
