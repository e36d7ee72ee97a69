import { join } from "node:path"
import { writeJson } from "./files.js"
import type { Launch, Peer, Place } from "./peer.js"
import { startRpc } from "./rpc.js"

export const gemini: Peer = {
  name: "gemini-cli",
  version: "0.61.0",
  released: "2026-09-25",
  line: "`@google/gemini-cli`",
  package: "@google/gemini-cli",
  rulesFile: "GEMINI.md",
  modes: ["yolo", "plan"],

  read: (path) => ({ name: "read_file", input: { file_path: path } }),

  prepare({ home }) {
    writeJson(join(home, ".gemini/settings.json"), {
      general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      security: { auth: { selectedType: "gemini-api-key" } },
    })
  },

  once: (place, prompt) =>
    launch(place, ["--output-format", "stream-json", "--approval-mode", "yolo", "-p", prompt]),

  toolMark(line) {
    const { type } = line as { readonly type: string }
    if (type === "tool_use") return "begin"
    return type === "tool_result" ? "end" : undefined
  },

  // Over the Agent Client Protocol it takes no message while it works.
  async talk(place) {
    const allow = { outcome: { outcome: "selected", optionId: "proceed_once" } }
    const rpc = startRpc(launch(place, ["--acp"]), place, () => allow)
    await rpc.call("initialize", { protocolVersion: 1, clientCapabilities: {} })
    const { sessionId } = (await rpc.call("session/new", { cwd: place.cwd, mcpServers: [] })) as {
      readonly sessionId: string
    }
    const setMode = (modeId: string) => rpc.call("session/set_mode", { sessionId, modeId })
    await setMode("yolo")
    return {
      pid: rpc.pid,
      async prompt(text, mode) {
        if (mode !== undefined) await setMode(mode)
        await rpc.call("session/prompt", { sessionId, prompt: [{ type: "text", text }] })
      },
      close: () => rpc.end(),
    }
  },
}

function launch({ installed, url }: Place, args: readonly string[]): Launch {
  return {
    command: process.execPath,
    args: [
      join(installed, "node_modules/@google/gemini-cli/bundle/gemini.js"),
      "--skip-trust",
      "--model", // By name: a model that is to be chosen is asked for with a request of its own.
      "gemini-2.5-pro",
      ...args,
    ],
    env: { GEMINI_API_KEY: "none", GOOGLE_GEMINI_BASE_URL: url },
  }
}
