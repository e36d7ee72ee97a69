import { join } from "node:path"
import { deferred } from "./deferred.js"
import { writeJson } from "./files.js"
import type { Launch, Peer, Place } from "./peer.js"
import { start } from "./process.js"

interface Line {
  readonly type: string
  readonly command?: string
}

export const pi: Peer = {
  name: "pi",
  version: "0.73.1",
  released: "2026-07-17",
  line: "`@mariozechner/pi-coding-agent`, an abandoned name: pi goes on as `@earendil-works/pi-coding-agent`",
  package: "@mariozechner/pi-coding-agent",
  rulesFile: "AGENTS.md",

  read: (path) => ({ name: "read", input: { path } }),

  prepare({ home, url }) {
    const model = { id: "claude-opus-5-5", contextWindow: 1_000_000, maxTokens: 32_000 }
    const scripted = { baseUrl: url, api: "anthropic-messages", apiKey: "none", models: [model] }
    writeJson(join(home, ".pi/agent/models.json"), { providers: { scripted } })
  },

  once: (place, prompt) => launch(place, ["--mode", "json", "-p", prompt]),

  toolMark(line) {
    const { type } = line as Line
    if (type === "tool_execution_start") return "begin"
    return type === "tool_execution_end" ? "end" : undefined
  },

  async talk(place) {
    let turn = deferred<void>()
    let steered = deferred<void>()
    const running = start(launch(place, ["--mode", "rpc"]), place, (line) => {
      const { type, command } = line as Line
      if (type === "agent_end") turn.resolve()
      if (type === "response" && command === "steer") steered.resolve()
    })
    running.closed.then(() => turn.reject(new Error(`it ended: ${running.complaint()}`)))
    return {
      pid: running.pid,
      prompt(message) {
        turn = deferred()
        running.write({ type: "prompt", message })
        return turn.promise
      },
      steer(message) {
        steered = deferred()
        running.write({ type: "steer", message })
        return steered.promise
      },
      close: () => running.end(),
    }
  },
}

function launch({ installed }: Place, args: readonly string[]): Launch {
  const program = join(installed, "node_modules/@mariozechner/pi-coding-agent/dist/cli.js")
  return {
    command: process.execPath,
    args: [program, "--provider", "scripted", "--model", "claude-opus-5-5", ...args],
    env: { PI_OFFLINE: "1", PI_TELEMETRY: "0", PI_SKIP_VERSION_CHECK: "1" },
  }
}
