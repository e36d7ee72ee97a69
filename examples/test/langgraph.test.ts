import { tool } from "@langchain/core/tools"
import { ChatOpenAI } from "@langchain/openai"
import { expect, it } from "vitest"
import { z } from "zod"
import { openAgent } from "../langgraph/agent.js"
import { expectKeptPrefix, type Open, playStory } from "./support/story.js"

const open: Open = ({ url, log, deeds }) =>
  openAgent({
    model: new ChatOpenAI({
      model: "gpt-5.6",
      apiKey: "any",
      configuration: { baseURL: `${url}/v1` },
    }),
    log,
    tools: (session) => [
      tool(({ path }) => deeds.read(path), {
        name: "read",
        description: "Reads a file.",
        schema: z.object({ path: z.string() }),
      }),
      tool(
        ({ path, text }) => {
          if (session.agent === "plan") throw new Error("Plan mode changes nothing.")
          return deeds.write(path, text)
        },
        {
          name: "write",
          description: "Writes a file.",
          schema: z.object({ path: z.string(), text: z.string() }),
        },
      ),
    ],
  })

it("LangGraph's nodes play the story, and change nothing that was sent", async () => {
  const requests = await playStory(open)
  expect(requests).toHaveLength(8)
  expect(new Set(requests.map(({ dialect }) => dialect))).toEqual(new Set(["openai-chat"]))
  expectKeptPrefix(requests)
})
