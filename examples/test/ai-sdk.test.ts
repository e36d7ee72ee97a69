import { createAnthropic } from "@ai-sdk/anthropic"
import { tool } from "ai"
import { describe, expect, it } from "vitest"
import { z } from "zod"
import { openAgent } from "../ai-sdk/agent.js"
import { expectKeptPrefix, type Open, playStory } from "./support/story.js"

const open =
  (model: string): Open =>
  ({ url, log, deeds }) =>
    openAgent({
      model: createAnthropic({ baseURL: `${url}/v1`, apiKey: "any" })(model),
      log,
      tools: (session) => ({
        read: tool({
          description: "Reads a file.",
          inputSchema: z.object({ path: z.string() }),
          execute: ({ path }) => deeds.read(path),
        }),
        write: tool({
          description: "Writes a file.",
          inputSchema: z.object({ path: z.string(), text: z.string() }),
          execute: ({ path, text }) => {
            if (session.agent === "plan") throw new Error("Plan mode changes nothing.")
            return deeds.write(path, text)
          },
        }),
      }),
    })

describe.each([
  ["takes system messages", "claude-opus-5-5"],
  ["does not", "claude-sonnet-5"],
])("the AI SDK's loop, with a model that %s", (_, model) => {
  it("plays the story, and changes nothing that was sent", async () => {
    // The SDK tells of a step once its tools are done: what ends in between is asked for and run again.
    const requests = await playStory(open(model), "run again")
    expect(requests).toHaveLength(9)
    expect(requests[6]?.body).toEqual(requests[5]?.body)
    expectKeptPrefix(requests)
  })
})
