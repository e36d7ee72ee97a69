import type { Reply } from "@sotto/core"
import { expect, it } from "vitest"
import { breakIn } from "../src/step-news.js"

const replyWith = (reason?: string): Reply => ({
  parts: [],
  diagnostics: { message: "msg_1", tokens: 12, ...(reason !== undefined && { reason }) },
})

it.each(["messages_changed", "input_changed", "model_changed"])(
  "tells a miss that the provider names: %s",
  (reason) => {
    expect(breakIn(replyWith(reason))).toEqual({ reason, tokens: 12 })
  },
)

it.each([
  undefined,
  "pending",
  "unanswered",
  "unavailable",
  "previous_message_not_found",
  "comparison_response_not_found",
])("tells nothing where the provider names no miss: %s", (reason) => {
  expect(breakIn(replyWith(reason))).toBeUndefined()
})
