import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { deferred } from "./deferred.js"
import { writeJson } from "./files.js"
import type { Launch, Peer, Place } from "./peer.js"
import { start } from "./process.js"

const CLI = fileURLToPath(new URL("../../../packages/cli/", import.meta.url))
const { version } = JSON.parse(readFileSync(join(CLI, "package.json"), "utf8")) as {
  readonly version: string
}

const CLOCK = fileURLToPath(new URL("./tool-clock.cjs", import.meta.url))

export const MODEL = "anthropic/claude-opus-5-5"

interface Line {
  readonly type: string
  readonly id?: string
}

export const sotto: Peer = {
  name: "sotto",
  version,
  line: "this repository",
  rulesFile: "AGENTS.md",
  modes: ["build", "plan"],

  read: (path) => ({ name: "read", input: { path } }),

  prepare({ home }) {
    // As the others are told: the results of a scenario fill a smaller window, and to compact is to change what was sent.
    // So is to drop old results when that pays: `npm run bench -- cost` measures that.
    writeJson(join(home, "sotto/sotto.json"), {
      economy: "off",
      models: { [MODEL]: { contextWindow: 1_000_000 } },
    })
  },

  once(place, prompt) {
    const { command, args, env } = launch(place, ["--output", "jsonl", prompt])
    return { command, args: ["--require", CLOCK, ...args], env: { ...env, TOOL_TIMES: timesIn(place) } }
  },

  // Not from its output: a result is shown once it is on disk with the next step, and what lies between the two lines is
  // mostly its own work.
  toolTimes: (place) => JSON.parse(readFileSync(timesIn(place), "utf8")) as number[],

  async talk(place) {
    let turn = deferred<void>()
    const accepted = new Map<string, () => void>()
    let count = 0
    const running = start(launch(place, ["--input", "jsonl", "--output", "jsonl"]), place, (line) => {
      const { type, id = "" } = line as Line
      if (type === "turn-end") turn.resolve()
      if (type === "queued") accepted.get(id)?.()
    })
    running.closed.then(() => turn.reject(new Error(`it ended: ${running.complaint()}`)))
    const say = (text: string) => {
      const id = `bench-${++count}`
      running.write({ type: "say", text, id })
      return id
    }
    return {
      pid: running.pid,
      prompt(text, mode) {
        turn = deferred()
        if (mode !== undefined) running.write({ type: "agent", name: mode })
        say(text)
        return turn.promise
      },
      async steer(text) {
        const queued = deferred<void>()
        accepted.set(say(text), queued.resolve)
        await queued.promise
      },
      close: () => running.end(),
    }
  },
}

function timesIn({ home }: Place): string {
  return join(home, "tool-times.json")
}

function launch({ home, url }: Place, args: readonly string[]): Launch {
  return {
    command: process.execPath,
    args: [join(CLI, "bin/sotto.js"), "run", "--model", MODEL, ...args],
    env: { SOTTO_HOME: join(home, "sotto"), ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "none" },
  }
}
