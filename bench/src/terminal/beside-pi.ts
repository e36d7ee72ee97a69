import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { install, installedIn } from "../peers/install.js"
import { pi } from "../peers/pi.js"
import { seen, spawn } from "./pty.js"
import { busySlowly } from "./streaming.js"

/** Of one processor, what pi's terminal takes while text streams in slowly: the same server, the same size. */
export async function piSlowly(root: string, url: string): Promise<number> {
  const place = { installed: installedIn(root, pi), home: join(root, "pi"), cwd: join(root, "pi-work"), url }
  mkdirSync(place.cwd, { recursive: true })
  await install(pi, root)
  pi.prepare(place)
  // What it is started with for one prompt, without the prompt.
  const { command, args, env } = pi.once(place, "")
  const interactive = args.slice(0, args.indexOf("--mode"))
  const terminal = spawn(command, interactive, {
    cols: 100,
    rows: 40,
    cwd: place.cwd,
    env: { PATH: process.env.PATH, HOME: place.home, TERM: "xterm-256color", ...env },
  })
  try {
    await seen(terminal, "claude-opus-5-5", "")
    return await busySlowly(terminal)
  } finally {
    terminal.kill("SIGKILL")
  }
}
