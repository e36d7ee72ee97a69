import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { SOTTO } from "../terminal/pty.js"

const UPSTREAM = fileURLToPath(new URL("./upstream.js", import.meta.url))

const children = new Set<ChildProcess>()
process.on("exit", () => children.forEach((child) => child.kill("SIGKILL")))

export interface Started {
  readonly url: string
  readonly pid: number
  /** Asks it to end, and waits for that. Returns what it said on standard error. */
  close(): Promise<string>
}

/** The real `sotto proxy`, in a process of its own, in front of a server that plays all providers. */
export function startProxy(upstream: string, home: string, args: readonly string[] = []): Promise<Started> {
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: home,
    SOTTO_HOME: home,
    ANTHROPIC_BASE_URL: upstream,
    OPENAI_BASE_URL: `${upstream}/v1`,
    GOOGLE_GEMINI_BASE_URL: upstream,
  }
  const child = spawn(process.execPath, [SOTTO, "proxy", ...args], {
    env,
    stdio: ["ignore", "ignore", "pipe"],
  })
  return listening(child, /listening on (http:\S+)[\s\S]*Ctrl\+C ends/)
}

/** A server that answers at once, or with a stream at the speed that is asked for. */
export function startUpstream(): Promise<Started> {
  const child = spawn(process.execPath, [UPSTREAM], { stdio: ["ignore", "ignore", "pipe"] })
  return listening(child, /listening on (http:\S+)/)
}

async function listening(child: ChildProcess, pattern: RegExp): Promise<Started> {
  let said = ""
  const ended = once(child, "close")
  children.add(child)
  child.once("close", () => children.delete(child))
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      // Of thousands of calls only the end is of use.
      said = (said + text).slice(-20_000)
      const [, found] = pattern.exec(said) ?? []
      if (found !== undefined) resolve(found)
    })
    ended.then(() => reject(new Error(`it ended: ${said}`)), reject)
  })
  return {
    url,
    pid: child.pid ?? 0,
    async close() {
      child.kill("SIGINT")
      await ended
      return said
    },
  }
}
