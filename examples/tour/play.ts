import {
  createSession,
  estimateTokens,
  type LedgerRow,
  type Message,
  type Request,
  standardRules,
  type WireMessage,
} from "@sotto/core"
import { AGENTS, NAMES, PROMPT, type Scene, TOOLS } from "./script.js"

/** One request of the turn, as it was when it went out. */
export interface Moment {
  readonly step: number
  readonly agent: string
  readonly model: string
  readonly last: boolean
  /** What happened since the request before. */
  readonly meanwhile: readonly string[]
  /** What is new for the user since then. */
  readonly seen: readonly Message[]
  /** What is new for the model. */
  readonly told: readonly WireMessage[]
  /** What stands before the conversation, in a few words. */
  readonly pinned: string
  readonly ledger: readonly LedgerRow[]
  /** The whole request in pieces, written out at that moment: later ones are compared with it. */
  readonly sent: readonly string[]
}

export interface Played {
  readonly moments: readonly Moment[]
  /** What the user sees last, when the model has been told everything. */
  readonly end: readonly Message[]
}

/** Plays a script on a real session. Only the model and the tools are made up. */
export function play(model: string, script: readonly Scene[]): Played {
  let ids = 0
  const session = createSession({
    agents: AGENTS,
    model: { id: model },
    tools: TOOLS,
    rules: standardRules({ tools: NAMES }),
    now: () => 0,
    newId: () => `tour-${ids++}`,
  })
  const moments: Moment[] = []
  let shown = 0
  const news = (): readonly Message[] => {
    const view = session.view()
    const fresh = view.slice(shown)
    shown = view.length
    return fresh
  }

  session.say(PROMPT)
  let meanwhile: readonly string[] = ["The user asks for something."]
  for (const scene of script) {
    const next = session.next()
    if (next.is !== "request") throw new Error(`The script has a reply too many: the session is ${next.is}.`)
    const { request } = next
    moments.push({
      step: request.step,
      agent: request.agent,
      model,
      last: request.toolChoice === "none",
      meanwhile,
      seen: news(),
      told: [...request.messages].slice(request.previous),
      pinned: pinnedWords(request),
      ledger: session.ledger(request.step),
      sent: piecesOf(request),
    })
    session.reply(request.id, scene.reply)
    for (const { happen } of scene.meanwhile) happen(session)
    for (const [id, output] of Object.entries(scene.outputs)) session.result(id, output)
    meanwhile = scene.meanwhile.map(({ what }) => what)
  }
  const end = news()
  const { is } = session.next()
  if (is !== "idle") throw new Error(`The script ends too early: the session has a ${is} left.`)
  return { moments, end }
}

function pinnedWords({ pins }: Request): string {
  return `system prompt of ${estimateTokens(pins.system)} tokens, ${pins.tools.length} tools`
}

function piecesOf(request: Request): readonly string[] {
  const { system, tools } = request.pins
  return [system, JSON.stringify(tools), ...[...request.messages].map((message) => JSON.stringify(message))]
}

/**
 * How many bytes of what one request sent are not the same in the next: in every piece, from the first byte that
 * differs to its end. Each of them would be paid for again.
 */
export function changedBytes(requests: readonly (readonly string[])[]): number {
  return requests.slice(1).reduce((sum, later, i) => sum + changedBetween(requests[i] ?? [], later), 0)
}

function changedBetween(earlier: readonly string[], later: readonly string[]): number {
  return earlier.reduce((sum, piece, i) => {
    if (piece === later[i]) return sum
    const before = Buffer.from(piece)
    const after = Buffer.from(later[i] ?? "")
    const same = before.findIndex((byte, at) => byte !== after[at])
    return sum + before.length - (same < 0 ? before.length : same)
  }, 0)
}
