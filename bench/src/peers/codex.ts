import { join } from "node:path"
import { writeText } from "./files.js"
import type { Launch, Peer, Place } from "./peer.js"
import { startRpc } from "./rpc.js"

const MODEL = "gpt-5.5"

export const codex: Peer = {
  name: "codex",
  version: "0.166.0",
  released: "2026-10-29",
  line: "`@openai/codex`",
  package: "@openai/codex",
  rulesFile: "AGENTS.md",
  modes: ["default", "plan"],

  // It has no tool that reads, and its output does not tell how long a command took: timed is a tool that starts none.
  light: () => ({ name: "get_goal", input: {} }),
  read: (path) => ({ name: "exec_command", input: { cmd: `cat ${path}`, login: false } }),

  prepare: ({ home, url }) => writeText(join(home, ".codex/config.toml"), config(url)),

  once: (place, prompt) => launch(place, ["exec", "--json", "--skip-git-repo-check", prompt]),

  async talk(place) {
    const rpc = startRpc(launch(place, ["app-server"]), place, () => ({ decision: "accept" }))
    await rpc.call("initialize", {
      clientInfo: { name: "sotto-bench", title: "Sotto's benchmark", version: "0" },
      capabilities: { experimentalApi: true, requestAttestation: false },
    })
    rpc.tell("initialized")
    const { thread } = (await rpc.call("thread/start", { cwd: place.cwd })) as {
      readonly thread: { readonly id: string }
    }
    const input = (text: string) => ({
      threadId: thread.id,
      input: [{ type: "text", text, text_elements: [] }],
    })
    let turnId = ""
    return {
      pid: rpc.pid,
      async prompt(text, mode) {
        const over = rpc.told("turn/completed")
        const settings = { model: MODEL, reasoning_effort: null, developer_instructions: null }
        const collaboration = mode === undefined ? {} : { collaborationMode: { mode, settings } }
        const { turn } = (await rpc.call("turn/start", { ...input(text), ...collaboration })) as {
          readonly turn: { readonly id: string }
        }
        turnId = turn.id
        await over
      },
      async steer(text) {
        await rpc.call("turn/steer", { ...input(text), expectedTurnId: turnId })
      },
      close: () => rpc.end(),
    }
  },
}

/** The command as npm installs it, which is a small Node program that starts the real one. */
function launch({ installed }: Place, args: readonly string[]): Launch {
  return {
    command: process.execPath,
    args: [join(installed, "node_modules/@openai/codex/bin/codex.js"), ...args],
    env: { SCRIPTED_KEY: "none" },
  }
}

const config = (url: string) => `
model = "${MODEL}"
model_provider = "scripted"
model_context_window = 1000000
check_for_update_on_startup = false
approval_policy = "never"
sandbox_mode = "danger-full-access"

[analytics]
enabled = false

[model_providers.scripted]
name = "scripted"
base_url = "${url}/v1"
env_key = "SCRIPTED_KEY"
wire_api = "responses"
`
