import { join } from "node:path"
import { arch, platform } from "node:process"
import { deferred } from "./deferred.js"
import { writeJson } from "./files.js"
import type { Launch, Peer, Place } from "./peer.js"
import { start } from "./process.js"

const MODEL = "claude-opus-5-5"

interface ToolLine {
  readonly type: string
  readonly part?: { readonly state?: { readonly time?: { readonly start: number; readonly end: number } } }
}

export const opencode: Peer = {
  name: "opencode",
  version: "1.18.33",
  released: "2026-09-28",
  line: "opencode 1, not 2",
  package: "opencode-ai",
  rulesFile: "AGENTS.md",
  modes: ["build", "plan"],

  read: (path, cwd) => ({ name: "read", input: { filePath: join(cwd, path) } }),

  prepare({ home, url }) {
    const model = { name: "scripted", tool_call: true, limit: { context: 1_000_000, output: 32_000 } }
    const anthropic = { options: { baseURL: `${url}/v1`, apiKey: "none" }, models: { [MODEL]: model } }
    writeJson(join(home, ".config/opencode/opencode.json"), {
      autoupdate: false,
      share: "disabled",
      permission: "allow",
      provider: { anthropic },
    })
  },

  once: (place, prompt) =>
    launch(place, ["run", "--format", "json", "--model", `anthropic/${MODEL}`, prompt]),

  toolMark(line) {
    const { type, part } = line as ToolLine
    const time = type === "tool_use" ? part?.state?.time : undefined
    return time && { took: time.end - time.start }
  },

  async talk(place) {
    const listens = deferred<string>()
    const running = start(launch(place, ["serve", "--port", "0"]), place, (line) => {
      const [, address] = /listening on (http:\S+)/.exec(String(line)) ?? []
      if (address !== undefined) listens.resolve(address)
    })
    running.closed.then(() => listens.reject(new Error(`it ended: ${running.complaint()}`)))
    try {
      const base = await listens.promise
      const { id } = (await (await post(`${base}/session`, {})).json()) as { readonly id: string }
      const body = (text: string, mode = "build") => ({
        agent: mode,
        model: { providerID: "anthropic", modelID: MODEL },
        parts: [{ type: "text", text }],
      })
      return {
        pid: running.pid,
        async prompt(text, mode) {
          // The answer comes when the turn is over.
          await (await post(`${base}/session/${id}/message`, body(text, mode))).text()
        },
        async steer(text) {
          await post(`${base}/session/${id}/prompt_async`, body(text))
        },
        async close() {
          running.kill() // A server that is asked to end takes its time.
          await running.closed
        },
      }
    } catch (error) {
      running.kill()
      throw error
    }
  },
}

async function post(url: string, body: object): Promise<Response> {
  const headers = { "content-type": "application/json" }
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`its server answered ${response.status}: ${await response.text()}`)
  return response
}

/** The program itself, which the package's install script would put in the command's place. */
function launch({ installed }: Place, args: readonly string[]): Launch {
  return {
    command: join(installed, `node_modules/opencode-${platform}-${arch}/bin/opencode`),
    args,
    env: {
      OPENCODE_DISABLE_AUTOUPDATE: "1",
      OPENCODE_DISABLE_MODELS_FETCH: "1",
      OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
      OPENCODE_DISABLE_SHARE: "1",
    },
  }
}
