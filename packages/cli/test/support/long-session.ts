import { join } from "node:path"
import { createSession } from "@sotto/core"
import { openStore } from "@sotto/harness"

const MODEL = "anthropic/claude-opus-5-5"

/** Stores a session of so many steps, without a model. */
export async function longSession(home: string, steps: number): Promise<string> {
  let now = 1_000
  const session = createSession({
    agents: [{ name: "build", mode: "primary" }],
    model: { id: MODEL },
    tools: [{ name: "read", description: "Reads.", inputSchema: { type: "object" } }],
    now: () => now++,
    newId: () => "long",
  })
  session.say("Read all of it.")
  for (let n = 1; n <= steps; n++) {
    const next = session.next()
    if (next.is !== "request") throw new Error(`expected a request, got ${next.is}`)
    const call = { type: "tool-call", id: `c${n}`, name: "read", input: { path: `${n}.txt` } } as const
    session.reply(
      next.request.id,
      n < steps ? { parts: [call] } : { parts: [{ type: "text", text: "Read." }] },
    )
    if (n < steps) session.result(`c${n}`, [{ type: "text", text: `The words of ${n}.` }])
  }
  const store = await openStore(join(home, "sessions.db"))
  await store.create({ cwd: home }, session.log.slice(0, 1))
  store.append("long", session.log.slice(1))
  await store.close()
  return "long"
}
