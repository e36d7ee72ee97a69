import { describe, expect, it } from "vitest"
import { aiSdk } from "./support/agents.js"
import { expectKeptPrefix, playStory } from "./support/story.js"

describe.each([
  ["takes system messages", "claude-opus-5-5"],
  ["does not", "claude-sonnet-5"],
])("the AI SDK's loop, with a model that %s", (_, model) => {
  it("plays the story, and changes nothing that was sent", async () => {
    // The SDK tells of a step once its tools are done: what ends in between is asked for and run again.
    const requests = await playStory(aiSdk(model), "run again")
    expect(requests).toHaveLength(9)
    expect(requests[6]?.body).toEqual(requests[5]?.body)
    expectKeptPrefix(requests)
  })
})
