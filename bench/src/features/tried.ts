import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Call } from "../model/api.js"
import { codex } from "../peers/codex.js"
import { writeJson, writeText } from "../peers/files.js"
import { gemini } from "../peers/gemini.js"
import { opencode } from "../peers/opencode.js"
import type { Launch, Peer, Place } from "../peers/peer.js"
import { pi } from "../peers/pi.js"

/** A peer, the call by which it runs a command, and how its last session is continued with one more prompt. */
export interface Tried {
  readonly peer: Peer
  shell(command: string): Call
  /** The call by which it writes a file, where a script can make it. */
  write?(path: string, content: string): Call
  resume(place: Place, prompt: string): Launch
  /** Writes its settings as a user has them who set nothing about permissions, with an MCP server if one is named. */
  usual?(place: Place, server?: readonly string[]): void
}

const OPENCODE = ".config/opencode/opencode.json"
const GEMINI = ".gemini/settings.json"

export const TRIED: readonly Tried[] = [
  {
    peer: opencode,
    shell: (command) => ({ name: "bash", input: { command, description: "Runs it" } }),
    write: (filePath, content) => ({ name: "write", input: { filePath, content } }),
    resume: (place, prompt) => after("run", ["--continue"], opencode.once(place, prompt)),
    usual(place, server) {
      opencode.prepare(place)
      const { permission: _, ...config } = readConfig(place, OPENCODE)
      const mcp = server && { notes: { type: "local", command: server } }
      writeJson(join(place.home, OPENCODE), { ...config, ...(mcp && { mcp }) })
    },
  },
  {
    peer: pi,
    shell: (command) => ({ name: "bash", input: { command } }),
    resume: (place, prompt) => after("claude-opus-5-5", ["--continue"], pi.once(place, prompt)),
  },
  {
    peer: codex,
    shell: (cmd) => ({ name: "exec_command", input: { cmd, login: false } }),
    resume: (place, prompt) => after("exec", ["resume", "--last"], codex.once(place, prompt)),
    usual(place, server) {
      codex.prepare(place)
      const path = join(place.home, ".codex/config.toml")
      const config = readFileSync(path, "utf8")
        .replace(/^approval_policy .*$/m, "")
        .replace(/^sandbox_mode .*$/m, 'sandbox_mode = "workspace-write"')
      const [command, ...args] = server ?? []
      const mcp = `[mcp_servers.notes]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\n`
      writeText(path, command === undefined ? config : `${config}\n${mcp}`)
    },
  },
  {
    peer: gemini,
    shell: (command) => ({ name: "run_shell_command", input: { command } }),
    write: (file_path, content) => ({ name: "write_file", input: { file_path, content } }),
    resume: (place, prompt) => after("--skip-trust", ["--resume", "latest"], gemini.once(place, prompt)),
    usual(place, server) {
      gemini.prepare(place)
      const [command, ...args] = server ?? []
      const mcpServers = command === undefined ? {} : { notes: { command, args } }
      writeJson(join(place.home, GEMINI), { ...readConfig(place, GEMINI), mcpServers })
    },
  },
]

function readConfig({ home }: Place, path: string): Record<string, unknown> {
  return JSON.parse(readFileSync(join(home, path), "utf8")) as Record<string, unknown>
}

/** The same command line with more words after one of its words. */
function after(word: string, more: readonly string[], launch: Launch): Launch {
  const at = launch.args.indexOf(word) + 1
  return { ...launch, args: [...launch.args.slice(0, at), ...more, ...launch.args.slice(at)] }
}
