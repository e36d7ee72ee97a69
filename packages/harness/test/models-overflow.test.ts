import { describe, expect, it } from "vitest"
import { saysOverflow } from "../src/models/overflow.js"

describe("a conversation that is too long", () => {
  it.each([
    "prompt is too long: 210000 tokens > 200000 maximum",
    "input length and `max_tokens` exceed context limit: 190000 + 16000 > 200000, decrease input length",
    "Input is too long for requested model.",
    "This model's maximum context length is 128000 tokens. However, you requested 190000 tokens.",
    "This endpoint's maximum context length is 32768 tokens.",
    "Your input exceeds the context window of this model. Please adjust your input and try again.",
    "This model's maximum prompt length is 131072 but the request contains 140000 tokens.",
    "Please reduce the length of the messages or completion.",
    "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
    "the request exceeds the available context size. try increasing the context size or enable context shift",
    "The number of tokens to keep from the initial prompt is greater than the context length.",
    "prompt too long; exceeded max context length by 12 tokens",
    "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
    "prompt token count of 130000 exceeds the limit of 128000",
    "Invalid request: Your request exceeded model token limit: 8192",
    "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens",
  ])("is recognised: %s", (message) => {
    expect(saysOverflow(400, "invalid_request_error", message)).toBe(true)
  })

  it("is recognised by its code, in mid-stream too, and by the status 413", () => {
    expect(saysOverflow(400, "context_length_exceeded", "No.")).toBe(true)
    expect(saysOverflow(400, "exceed_context_size_error", "No.")).toBe(true)
    expect(saysOverflow(undefined, "context_length_exceeded", "No.")).toBe(true)
    expect(saysOverflow(413, "http_413", "Request Entity Too Large")).toBe(true)
  })

  it.each([
    [400, "max_tokens: 900000 > 64000, which is the maximum allowed number of output tokens"],
    [400, "messages.3: tool_use ids were found without tool_result blocks"],
    [429, "Request too large: this model's maximum context length, tokens per minute"],
    [400, "image exceeds 5 MB maximum"],
    [401, "invalid x-api-key"],
  ])("is not any other error: %i %s", (status, message) => {
    expect(saysOverflow(status, "invalid_request_error", message)).toBe(false)
  })
})
