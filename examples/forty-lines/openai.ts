import { readFile } from "node:fs/promises"
import { createInterface } from "node:readline"
import { createSession } from "@sotto/core"
import { drive } from "@sotto/core/drive"
import * as openai from "@sotto/core/openai"
import OpenAI from "openai"

const client = new OpenAI()
const session = createSession({
  agents: [{ name: "agent" }],
  model: { id: "gpt-5.6", dialect: "openai" },
  tools: [{ name: "read", description: "Reads a file: { path }.", inputSchema: { type: "object" } }],
  now: Date.now,
  newId: () => crypto.randomUUID(),
})
let [interrupt, isWorking] = [new AbortController(), false]
process.on("SIGINT", () => interrupt.abort("the user pressed Ctrl+C"))

async function work(): Promise<void> {
  isWorking = true
  do {
    interrupt = new AbortController()
    const { reason } = await drive(session, {
      dialect: openai,
      send: (body, { signal }) => client.responses.create({ ...body, stream: true }, { signal }),
      tools: { read: (input) => readFile((input as { path: string }).path, "utf8") },
      signal: interrupt.signal,
      onDelta: (delta) => delta.type === "text" && process.stdout.write(delta.text),
    })
    console.log(`\n[${reason}]`)
  } while (session.phase === "ready")
  isWorking = false
}

for await (const line of createInterface({ input: process.stdin })) {
  session.say(line, { delivery: line.startsWith("!") ? "now" : "next-step" })
  if (!isWorking) void work()
}
