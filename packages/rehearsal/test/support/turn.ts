import {
  type Agent,
  type Carrier,
  createSession,
  type Reply,
  type Request,
  type Session,
  type ToolDefinition,
} from "@sotto/core"
import type { Script, ScriptStep } from "../../src/index.js"

/** One way to reach a model: a dialect to write and read with, and an SDK to send with. */
export interface Client {
  send(request: Request): Promise<Reply>
  /** The carrier that an error of the SDK says is refused. */
  refused?(error: unknown): Carrier | undefined
}

export const STEPS = 20
export const MID_TURN = "Also mention the licence."
const AGENTS: readonly Agent[] = [
  { name: "plan", mode: "primary", steps: STEPS },
  { name: "build", mode: "primary", steps: STEPS },
]

/** Large enough for every provider's cache: some take nothing below 4,096 tokens. */
const INSTRUCTIONS = "Every file of this project is read before it is judged. ".repeat(400)
const OUTPUT = "A line of a file that somebody wrote long ago.\n".repeat(40)

const TOOLS: readonly ToolDefinition[] = ["read", "bash"].map((name) => ({
  name,
  description: `The tool ${name}.`,
  inputSchema: { type: "object", properties: { path: { type: "string" } } },
}))

/** Nineteen files are read, and the last step, which may call nothing, sums up. */
export function twentySteps(first: Partial<ScriptStep> = {}): Script {
  const steps = Array.from({ length: STEPS }, (_, i): ScriptStep => {
    const n = i + 1
    const path = `src/file-${n}.ts`
    return {
      reasoning: `File ${n} comes next.`,
      text: n === STEPS ? "All files are read." : `I read file ${n}.`,
      // The last call is in the script, and must not be made.
      calls: [{ name: "read", input: { path } }],
      expect: expectationsAt(n),
      ...(n === 1 && first),
    }
  })
  return { steps }
}

function expectationsAt(n: number): NonNullable<ScriptStep["expect"]> {
  const choice = { tool_choice: n === STEPS ? "none" : "auto" } as const
  switch (n) {
    case 1:
      return [choice, { told: "Read everything", tools: ["bash", "read"] }, { notTold: MID_TURN }]
    case 9:
      return [choice, { told: MID_TURN }, { reminder: "while you were working" }]
    case 13:
      return [choice, { reminder: "from plan to build" }, { notTold: MID_TURN }]
    case STEPS:
      return [choice, { reminder: "last step" }, { notTold: MID_TURN }]
    default:
      return [choice, { notTold: MID_TURN }, { notTold: "mode changed" }, { notTold: "last step" }]
  }
}

export function openSession(model: string, tools: readonly ToolDefinition[] = TOOLS): Session {
  let ids = 0
  const session = createSession({
    agents: AGENTS,
    agent: "plan",
    model: { id: model },
    tools,
    now: () => 0,
    newId: () => `session-${ids++}`,
  })
  session.observe("instructions:AGENTS.md", INSTRUCTIONS)
  session.say("Read everything, please.")
  return session
}

/** What happens while a step works, by its number. */
export type Happenings = Readonly<Record<number, (session: Session) => void>>

/** A word from the user while step 8 works, and another mode while step 12 does. */
const THE_TURN: Happenings = {
  8: (session) => session.say(MID_TURN, { id: "mid-turn" }),
  12: (session) => session.switchAgent("build"),
}

/** Runs the session's turn to its end. */
export async function runTurn(
  session: Session,
  client: Client,
  during: Happenings = THE_TURN,
): Promise<void> {
  for (let next = session.next(); next.is !== "idle"; next = session.next()) {
    if (next.is === "waiting") {
      for (const call of next.calls) session.result(call.id, `${JSON.stringify(call.input)}\n${OUTPUT}`)
      continue
    }
    const { request } = next
    try {
      session.reply(request.id, await client.send(request))
    } catch (error) {
      const carrier = client.refused?.(error)
      if (carrier === undefined) throw error
      session.refuseCarrier(carrier)
      continue
    }
    during[request.step]?.(session)
  }
}
