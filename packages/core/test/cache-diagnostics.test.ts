import { decode, decoder } from "@sotto/core/anthropic"
import { describe, expect, it } from "vitest"
import { reopen, request, start } from "./support/session.js"

const message = (diagnostics?: unknown) => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  content: [{ type: "text", text: "Hi." }],
  stop_reason: "end_turn",
  usage: { input_tokens: 1, output_tokens: 1 },
  ...(diagnostics !== undefined && { diagnostics }),
})

/** The same as a stream: the API says it where the message starts. */
function streamed(diagnostics: unknown) {
  const stream = decoder()
  const events = [
    { type: "message_start", message: { ...message(diagnostics), content: [], stop_reason: null } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hi." } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 1 } },
    { type: "message_stop" },
  ]
  for (const event of events) stream.push(event)
  return stream.end()
}

describe("Anthropic's cache diagnostics", () => {
  it.each([
    ["not asked for", undefined, undefined],
    ["nothing changed", null, { message: "msg_1" }],
    ["still comparing", { cache_miss_reason: null }, { message: "msg_1", reason: "pending" }],
    [
      "something changed",
      { cache_miss_reason: { type: "system_changed", cache_missed_input_tokens: 12 } },
      { message: "msg_1", reason: "system_changed", tokens: 12 },
    ],
    [
      "the request before is forgotten",
      { cache_miss_reason: { type: "previous_message_not_found" } },
      { message: "msg_1", reason: "previous_message_not_found" },
    ],
    ["a shape of some later day", { cache_miss_reason: 7 }, { message: "msg_1" }],
  ])("%s", (_, sent, read) => {
    expect(decode(message(sent)).diagnostics).toEqual(read)
    expect(streamed(sent).diagnostics).toEqual(read)
  })

  it("are in the ledger, and the next request names the message, also after a stop", () => {
    const session = start()
    session.say("Hello")
    const first = request(session)
    expect(first).not.toHaveProperty("previousMessage")
    const diagnostics = { message: "msg_1", reason: "tools_changed", tokens: 40 }
    session.reply(first.id, { parts: [{ type: "text", text: "Hi." }], stop: "end", diagnostics })
    session.say("Again")
    const restored = reopen(session)
    for (const one of [session, restored]) {
      expect(one.ledger().find(({ kind }) => kind === "cache")).toEqual({
        turn: 1,
        step: 1,
        kind: "cache",
        outcome: "nothing",
        diagnostics,
      })
      expect(request(one).previousMessage).toBe("msg_1")
    }
  })
})
