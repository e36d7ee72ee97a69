import { join } from "node:path"
import type { Answer } from "../model/api.js"
import { writeText } from "../peers/files.js"
import { type Ground, LARGE_FILES, large, RULES, small } from "../peers/ground.js"
import type { Dialogue, Peer } from "../peers/peer.js"

/** What a peer goes through while its requests are recorded. */
export interface Scenario {
  readonly name: string
  /** Answers the n-th request of a conversation of so many steps. */
  answer(n: number, steps: number, peer: Peer, ground: Ground): Answer
  act(dialogue: Dialogue, peer: Peer, ground: Ground): Promise<void>
}

const NEW_RULES = "Be brief. From now on, name the file in every answer.\n"
const THAT_IS_ALL: Answer = { text: "That is all." }

/** Steps that read notes, in so many prompts. */
const inPrompts =
  (prompts: number): Scenario["answer"] =>
  (n, steps, peer, { cwd }) =>
    n % Math.ceil(steps / prompts) === 0 ? THAT_IS_ALL : { call: peer.read(small(n), cwd) }

/** All steps but the last in one prompt, and a second one. */
export const plain: Scenario = {
  name: "plain",
  answer: (n, steps, peer, { cwd }) => (n < steps ? { call: peer.read(small(n), cwd) } : THAT_IS_ALL),
  async act(dialogue) {
    await dialogue.prompt("Read the notes.")
    await dialogue.prompt("Thank you. Anything else?")
  },
}

/** The second mode, then twice the first, then the second again, with steps in each. */
export const modes: Scenario = {
  name: "modes",
  answer: inPrompts(4),
  async act(dialogue, { modes: [build, plan] = ["", ""] }) {
    await dialogue.prompt("Plan how to sort the notes.", plan)
    await dialogue.prompt("Go ahead.", build)
    await dialogue.prompt("Now the rest.", build)
    await dialogue.prompt("Plan the next round.", plan)
  },
}

/** The file of rules is rewritten between two prompts. */
export const rules: Scenario = {
  name: "rules",
  answer: inPrompts(2),
  async act(dialogue, { rulesFile }, { cwd }) {
    const path = join(cwd, rulesFile)
    try {
      await dialogue.prompt("Read some notes.")
      writeText(path, NEW_RULES)
      await dialogue.prompt("Read some more.")
    } finally {
      writeText(path, RULES)
    }
  },
}

/** Results of 33 kB each, until the peer does something about them. */
export const results: Scenario = {
  name: "results",
  answer: (n, steps, peer, { cwd }) =>
    n < steps ? { call: peer.read(large(((n - 1) % LARGE_FILES) + 1), cwd) } : THAT_IS_ALL,
  async act(dialogue) {
    await dialogue.prompt("Read the large files.")
    await dialogue.prompt("What was in the first one?")
  },
}
