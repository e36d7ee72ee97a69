import { join } from "node:path"
import { changedBytes } from "../changed.js"
import type { Exchange } from "../model/server.js"
import { writeText } from "./files.js"
import { type Ground, LARGE_FILES, large, RULES, small } from "./ground.js"
import type { Peer } from "./peer.js"
import { type Play, playDialogue, playOnce } from "./play.js"

const MESSAGE = "Also mention the licence."
const MESSAGE_AT = 8
const REWRITTEN = "Answer in rhyme from now on.\n"
const REWRITTEN_AT = 10
const STEPS = 20
const STEPS_IN_MODE = 5

/** How much of what was sent changed, and when the model was told of what happened meanwhile. */
export interface Told {
  readonly changed: number
  /** How many requests later the news stood in one; undefined: in none. */
  readonly after?: number | "takes none" | undefined
}

/** A prompt and so many steps, each a small file read: what is timed. */
export function steps(peer: Peer, ground: Ground, count: number): Promise<Play> {
  const read = reading(peer, ground, count, small)
  const light = peer.light?.()
  return playOnce(peer, ground, (n) => (light && n <= count ? { call: light } : read(n)), count + 1)
}

/** A prompt, 20 steps, a message at the eighth if it takes one, a second prompt. */
export async function turn(peer: Peer, ground: Ground): Promise<Told> {
  const read = reading(peer, ground, STEPS, small)
  let takesMessages = false
  const exchanges = await playDialogue(
    peer,
    ground,
    async (n, dialogue) => {
      if (n === MESSAGE_AT) await dialogue.steer?.(MESSAGE)
      return read(n)
    },
    async (dialogue) => {
      takesMessages = dialogue.steer !== undefined
      await dialogue.prompt("Read the notes.")
      await dialogue.prompt("Thank you.")
    },
  )
  expected(exchanges, STEPS + 2)
  const after = takesMessages ? toldAfter(exchanges, MESSAGE, MESSAGE_AT) : "takes none"
  return { changed: changedIn(exchanges), after }
}

/** A prompt in each mode and one in the first again, with five steps each. */
export async function modeSwitches(peer: Peer, ground: Ground): Promise<Told | undefined> {
  const { modes } = peer
  if (modes === undefined) return undefined
  const exchanges = await playDialogue(
    peer,
    ground,
    (n) =>
      n % (STEPS_IN_MODE + 1) === 0 ? { text: "That is all." } : { call: peer.read(small(n), ground.cwd) },
    async (dialogue) => {
      for (const mode of [modes[0], modes[1], modes[0]]) await dialogue.prompt("Read some notes.", mode)
    },
  )
  return { changed: changedIn(expected(exchanges, 3 * (STEPS_IN_MODE + 1))) }
}

/** The rules file is rewritten while the model thinks about its tenth step. */
export async function rulesRewritten(peer: Peer, ground: Ground): Promise<Told> {
  const path = join(ground.cwd, peer.rulesFile)
  const read = reading(peer, ground, STEPS, small)
  try {
    const { exchanges } = await playOnce(
      peer,
      ground,
      (n) => {
        if (n === REWRITTEN_AT) writeText(path, REWRITTEN)
        return read(n)
      },
      STEPS + 1,
    )
    return { changed: changedIn(exchanges), after: toldAfter(exchanges, REWRITTEN.trim(), REWRITTEN_AT) }
  } finally {
    writeText(path, RULES)
  }
}

/** 25 steps, each a file of 33 kB read. */
export async function largeResults(peer: Peer, ground: Ground): Promise<Told & { readonly sent: number }> {
  const script = reading(peer, ground, LARGE_FILES, large)
  const { exchanges } = await playOnce(peer, ground, script, LARGE_FILES + 1)
  return { changed: changedIn(exchanges), sent: exchanges.at(-1)?.body.length ?? 0 }
}

function reading(peer: Peer, { cwd }: Ground, count: number, file: (n: number) => string) {
  return (n: number) => (n <= count ? { call: peer.read(file(n), cwd) } : { text: "That is all." })
}

function expected(exchanges: readonly Exchange[], count: number): readonly Exchange[] {
  if (exchanges.length !== count) throw new Error(`it sent ${exchanges.length} requests instead of ${count}`)
  return exchanges
}

function changedIn(exchanges: readonly Exchange[]): number {
  return changedBytes(exchanges.map(({ body }) => JSON.parse(body.toString()) as unknown))
}

function toldAfter(exchanges: readonly Exchange[], news: string, at: number): number | undefined {
  const index = exchanges.findIndex(({ body }) => body.includes(news))
  return index === -1 ? undefined : index + 1 - at
}
