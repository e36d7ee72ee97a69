import { describe, expect, it } from "vitest"
import { OWN_LOOPS } from "./support/agents.js"
import { expectKeptPrefix, playStory } from "./support/story.js"

describe.each(Object.entries(OWN_LOOPS))("a loop on %s", (_, open) => {
  it("plays the story, and changes nothing that was sent", async () => {
    const requests = await playStory(open)
    expect(requests).toHaveLength(8)
    expectKeptPrefix(requests)
  })
})
