/**
 * How providers, gateways and local servers say that a conversation is longer than the model takes. Each is the part of
 * the sentence that no other error has.
 */
const WORDINGS: readonly RegExp[] = [
  // Anthropic, and gateways to it.
  /prompt is too long/i,
  /input length and `?max_tokens`? exceed context limit/i,
  /input is too long for requested model/i,
  // OpenAI, vLLM, DeepSeek, OpenRouter and others that follow it.
  /context_length_exceeded/i,
  /maximum context length/i,
  /exceeds? (the|your|this model's) (maximum )?context (window|length|limit|size)/i,
  /context window (of this model|exceeds limit|is full)/i,
  /maximum prompt length is/i,
  /reduce the length of (the|your) (messages|prompt|input)/i,
  // Gemini.
  /input token count.*exceeds the maximum number of tokens/i,
  // llama.cpp, Ollama, LM Studio, text-generation-inference, Mistral, Copilot, Moonshot.
  /exceed_context_size/i,
  /exceeds the available context size/i,
  /exceeded max context length/i,
  /greater than the context length/i,
  /`inputs` tokens \+ `max_new_tokens` must be/i,
  /too large for model with \d+ maximum context length/i,
  /prompt token count of \d+ exceeds the limit/i,
  /exceeded model token limit/i,
  /model_context_window_exceeded/i,
]

/** True if this answer says that the conversation is too long. 413 says so by itself: the body is too large. */
export function saysOverflow(status: number | undefined, kind: string, message: string): boolean {
  if (status === 413) return true
  // Too many tokens a minute is another matter.
  if (status === 429) return false
  return WORDINGS.some((wording) => wording.test(kind) || wording.test(message))
}
