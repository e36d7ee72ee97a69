// Runs inside the folder of a peer, on a Node and an AI SDK of its own: `node run-ai-sdk.js URL LOG [refused]`.
import { createAnthropic } from "@ai-sdk/anthropic"
import { createSession } from "@sotto/core"
import { prepareStep } from "@sotto/core/ai-sdk"
import { stepCountIs, streamText, tool } from "ai"
import { z } from "zod"
import { openAgent } from "../../ai-sdk/agent.js"

const [url = "", log = "", how] = process.argv.slice(2)
const MODEL = "claude-opus-5-5"
const model = createAnthropic({ baseURL: `${url}/v1`, apiKey: "any" })(MODEL)
const input = { description: "Reads a file.", inputSchema: z.object({ path: z.string() }) }

/** A turn with a message in mid-turn: on this model it comes with a system message. */
async function steered() {
  const agent = openAgent({
    model,
    log,
    tools: (session) => ({
      read: tool({
        ...input,
        execute: async () => {
          session.say("Keep the old heading.", { id: "steer" })
          return "# Old"
        },
      }),
    }),
  })
  agent.session.say("Mend the title.")
  await agent.run()
  return { phase: agent.session.phase, steer: agent.session.receipt("steer"), view: agent.session.view() }
}

/** A turn whose run is aborted while its second tool runs, and the turn after it. `allow`: system messages. */
async function aborted(hooks: "all" | "of version 6", allow = true) {
  const session = createSession({
    agents: [{ name: "build" }],
    model: { id: MODEL, dialect: "ai-sdk" },
    now: () => Date.now(),
    newId: () => crypto.randomUUID(),
  })
  const run = async (controller: AbortController) => {
    const step = prepareStep(session)
    const errors: string[] = []
    const more = hooks === "all" ? { onLanguageModelCallEnd: step.onLanguageModelCallEnd } : {}
    const result = streamText({
      model,
      prompt: "(replaced)",
      ...(allow && { allowSystemInMessages: true }),
      tools: {
        read: tool({
          ...input,
          execute: async ({ path }) => {
            if (path === "steer.md") session.say("Be quick.")
            if (path !== "never.md") return "# Old"
            setTimeout(() => controller.abort(), 50)
            return new Promise<string>(() => {})
          },
        }),
      },
      prepareStep: step,
      onStepFinish: step.onStepFinish,
      onChunk: step.onChunk,
      onAbort: step.onAbort,
      stopWhen: stepCountIs(5),
      abortSignal: controller.signal,
      onError: ({ error }) =>
        void errors.push(error instanceof Error ? `${error.name}: ${error.message}` : ""),
      ...more,
    })
    await result.consumeStream()
    return errors
  }
  session.say(allow ? "Read what never ends." : "Read and be steered.")
  const errors = await run(new AbortController())
  const after = { phase: session.phase, view: session.view() }
  if (!allow) return { ...after, errors }
  session.say("Go on.")
  await run(new AbortController())
  return { ...after, errors, end: { phase: session.phase, view: session.view() } }
}

const told =
  how === "refused"
    ? await aborted("all", false)
    : {
        node: process.version,
        steered: await steered(),
        six: await aborted("of version 6"),
        all: await aborted("all"),
      }
console.log(JSON.stringify(told))
// The tool that never ends would keep nothing alive, but a connection may.
process.exit(0)
