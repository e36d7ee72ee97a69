import { join } from "node:path"
import type { Answer } from "../model/api.js"
import { writeText } from "../peers/files.js"
import { type Ground, LARGE_FILES, large, RULES, small } from "../peers/ground.js"
import type { Dialogue, Peer } from "../peers/peer.js"

const MEDIUM_FILES = 300
const MEDIUM = 8_000
const SHORT_FILES = 30
const SHORT = 400
const REWRITTEN = "Answer in rhyme from now on.\n"

/** What every agent goes through. */
export interface Scenario {
  readonly name: string
  /** Answers request n, counted from 1. */
  answer(n: number, peer: Peer, ground: Ground): Answer
  /** `pause`: the clock goes on by so many minutes. */
  act(dialogue: Dialogue, peer: Peer, ground: Ground, pause: (minutes: number) => void): Promise<void>
  readonly requests: number
}

const ALL: Answer = { text: "That is all." }
const medium = (n: number) => `medium/${n}.txt`
const short = (n: number) => `short/${n}.txt`

/** One prompt, and so many steps that read a file each. */
function reading(name: string, steps: number, file: (n: number) => string): Scenario {
  return {
    name,
    requests: steps + 1,
    answer: (n, peer, { cwd }) => (n <= steps ? { call: peer.read(file(n), cwd) } : ALL),
    act: (dialogue) => dialogue.prompt("Read the notes."),
  }
}

/** So many prompts with as many steps each, and something between them. */
function inTurns(
  name: string,
  turns: number,
  steps: number,
  file: (n: number) => string,
  act: Scenario["act"],
): Scenario {
  return {
    name,
    requests: turns * (steps + 1),
    answer: (n, peer, { cwd }) => (n % (steps + 1) === 0 ? ALL : { call: peer.read(file(n), cwd) }),
    act,
  }
}

const paused = (name: string, minutes: number): Scenario =>
  inTurns(name, 3, 15, medium, async (dialogue, _peer, _ground, pause) => {
    await dialogue.prompt("Read some notes.")
    pause(minutes)
    await dialogue.prompt("Read some more.")
    await dialogue.prompt("And the rest.")
  })

export const SCENARIOS: readonly Scenario[] = [
  reading("20 steps", 20, short),
  reading("25 × 33 kB", LARGE_FILES, large),
  reading("300 × 8 kB", MEDIUM_FILES, medium),
  // These two as in `npm run bench -- peers`: notes of two lines.
  inTurns("mode switches", 3, 5, small, async (dialogue, { modes }) => {
    for (const at of [0, 1, 0] as const) await dialogue.prompt("Read some notes.", modes?.[at])
  }),
  {
    ...reading("rules rewritten", 20, small),
    answer: (n, peer, { cwd }) => {
      if (n === 10) writeText(join(cwd, peer.rulesFile), REWRITTEN)
      return n <= 20 ? { call: peer.read(small(n), cwd) } : ALL
    },
    async act(dialogue, { rulesFile }, { cwd }) {
      try {
        await dialogue.prompt("Read the notes.")
      } finally {
        writeText(join(cwd, rulesFile), RULES)
      }
    },
  },
  paused("a pause of 10 minutes", 10),
  paused("a pause of 2 hours", 120),
]

/** Files of 0.4 and of 8 kB, beside those that every ground has. */
export function layNotes({ cwd }: Ground): void {
  for (let n = 1; n <= SHORT_FILES; n++) writeText(join(cwd, short(n)), textOf(n, SHORT))
  for (let n = 1; n <= MEDIUM_FILES; n++) writeText(join(cwd, medium(n)), textOf(n, MEDIUM))
}

function textOf(n: number, size: number): string {
  let lines = ""
  for (let line = 1; lines.length < size; line++)
    lines += `Line ${line} of note ${n}: ${"abcdefghij".repeat(4 + ((line * n) % 3))}\n`
  return lines.slice(0, size)
}
