import { spawnSync } from "node:child_process"
import { type Exchange, type Script, scriptedServer } from "../model/server.js"
import type { Ground } from "./ground.js"
import { peakMemoryOf } from "./memory.js"
import type { Dialogue, Peer } from "./peer.js"
import { start, within } from "./process.js"

const PATIENCE = 240_000

/** What was seen of a process from its start to its end. */
export interface Play {
  readonly exchanges: readonly Exchange[]
  /** Milliseconds from the start of the process to the arrival of its first request. */
  readonly toFirstRequest: number
  /** Bytes, at the arrival of the first request and of the last. */
  readonly coldMemory: number
  readonly peakMemory: number
  /** Milliseconds that each call took, as the peer tells it. */
  readonly toolTimes: readonly number[]
}

/** A prompt on the command line, so many requests, and the end. */
export async function playOnce(peer: Peer, ground: Ground, script: Script, requests: number): Promise<Play> {
  let pid = Number.NaN
  const memory: number[] = []
  const server = await scriptedServer((n, body) => {
    if (n === 1 || n === requests) memory.push(peakMemoryOf(pid))
    return script(n, body)
  })
  const place = { ...ground, url: server.url }
  const tools = toolClock(peer)
  try {
    peer.prepare(place)
    settleDisk()
    const started = performance.now()
    const running = start(peer.once(place, "Read the notes."), place, tools.see, "ignore")
    pid = running.pid
    const code = await within(PATIENCE, running.closed).finally(running.kill)
    const { exchanges } = server
    if (code !== 0 || exchanges.length !== requests) {
      const seen = `${exchanges.length} requests instead of ${requests}`
      throw new Error(`it ended with code ${code} after ${seen}: ${running.complaint()}`)
    }
    const [coldMemory = Number.NaN, peakMemory = coldMemory] = memory
    const toFirstRequest = (exchanges[0]?.arrived ?? Number.NaN) - started
    const toolTimes = peer.toolTimes?.(place) ?? tools.times
    return { exchanges, toFirstRequest, coldMemory, peakMemory, toolTimes }
  } finally {
    await server.close()
  }
}

/** What one leaves to be written is not for the next to wait for, if it makes sure that its own is. */
function settleDisk(): void {
  spawnSync("sync") // Where there is none, it is not done, for nobody.
}

/** A conversation; `script` is given the dialogue, to say something while it works. */
export async function playDialogue(
  peer: Peer,
  ground: Ground,
  script: (n: number, dialogue: Dialogue, body: Buffer) => ReturnType<Script>,
  lines: (dialogue: Dialogue) => Promise<void>,
  patience = PATIENCE,
): Promise<readonly Exchange[]> {
  let dialogue: Dialogue | undefined
  const server = await scriptedServer((n, body) => {
    if (dialogue === undefined) throw new Error("A request came before any prompt.")
    return script(n, dialogue, body)
  })
  const place = { ...ground, url: server.url }
  try {
    peer.prepare(place)
    dialogue = await within(PATIENCE, peer.talk(place))
    await within(patience, lines(dialogue))
    return server.exchanges
  } finally {
    await dialogue?.close()
    await server.close()
  }
}

/** Keeps the times between the marks that a peer's output sets. */
function toolClock(peer: Peer): { readonly times: readonly number[]; see(line: unknown): void } {
  const times: number[] = []
  let began = Number.NaN
  return {
    times,
    see(line) {
      const mark = typeof line === "string" ? undefined : peer.toolMark?.(line)
      if (mark === "begin") began = performance.now()
      else if (mark === "end") times.push(performance.now() - began)
      else if (mark !== undefined) times.push(mark.took)
    },
  }
}
