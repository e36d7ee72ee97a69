// Runs inside the folder of a peer, on a Node and an OpenAI SDK of its own: `node run-openai.js URL FOLDER`.
import { join } from "node:path"
import OpenAI from "openai"
import { openAgent } from "../../openai/agent.js"

const [url = "", folder = ""] = process.argv.slice(2)
const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: "any", maxRetries: 0 })

/** A turn with a tool and a message in mid-turn, on one of OpenAI's two APIs. */
async function turn(api: "responses" | "chat") {
  const agent = openAgent({
    client,
    api,
    model: "gpt-5.6",
    log: join(folder, `${api}.jsonl`),
    tools: {
      read: {
        description: "Reads a file.",
        inputSchema: { type: "object", properties: { path: { type: "string" } } },
        run: async () => {
          agent.session.say("Keep the old heading.", { id: "steer" })
          return "# Old"
        },
      },
    },
  })
  agent.session.say("Mend the title.")
  await agent.run()
  return { phase: agent.session.phase, steer: agent.session.receipt("steer"), view: agent.session.view() }
}

console.log(
  JSON.stringify({ node: process.version, responses: await turn("responses"), chat: await turn("chat") }),
)
process.exit(0)
