import { expect, it } from "vitest"
import { langGraph } from "./support/agents.js"
import { expectKeptPrefix, playStory } from "./support/story.js"

it("LangGraph's nodes play the story, and change nothing that was sent", async () => {
  const requests = await playStory(langGraph)
  expect(requests).toHaveLength(8)
  expect(new Set(requests.map(({ dialect }) => dialect))).toEqual(new Set(["openai-chat"]))
  expectKeptPrefix(requests)
})
