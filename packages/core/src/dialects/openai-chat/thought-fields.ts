/** Where compatible servers put reasoning: DeepSeek's field, and OpenRouter's. Some send both with the same text. */
export const REASONING_FIELDS = ["reasoning_content", "reasoning"] as const
