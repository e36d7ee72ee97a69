import { readFile } from "node:fs/promises"
import { createInterface } from "node:readline"
import Anthropic from "@anthropic-ai/sdk"
import { createSession } from "@sotto/core"
import * as anthropic from "@sotto/core/anthropic"
import { drive } from "@sotto/core/drive"

const client = new Anthropic()
const session = createSession({
  agents: [{ name: "agent" }],
  model: { id: "claude-opus-5-5", dialect: "anthropic" },
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
      dialect: anthropic,
      send: (body, { signal }) => client.messages.create({ ...body, stream: true }, { signal }),
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
