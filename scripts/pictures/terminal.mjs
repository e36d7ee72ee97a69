import { createRequire } from "node:module"
import { join } from "node:path"
import { root } from "../process.mjs"

// The pseudo-terminal and the screen that the command's own tests use.
const ofTheCommand = createRequire(join(root, "packages/cli/package.json"))
const { spawn } = ofTheCommand("@lydell/node-pty")
const { Terminal } = ofTheCommand("@xterm/headless")

/** The real command in a terminal that somebody looks at. */
export function openTerminal({ cwd, env, args = [], columns = 92, rows = 30 }) {
  const command = [join(root, "packages/cli/bin/sotto.js"), ...args]
  const pty = spawn(process.execPath, command, { cwd, cols: columns, rows, env })
  const screen = new Terminal({ cols: columns, rows, allowProposedApi: true })
  const watchers = new Set()
  let isCursorShown = true
  pty.onData((data) => {
    const [shown, hidden] = [data.lastIndexOf("\u001b[?25h"), data.lastIndexOf("\u001b[?25l")]
    if (shown !== hidden) isCursorShown = shown > hidden
    screen.write(data, () => {
      for (const look of watchers) look()
    })
  })
  const text = () =>
    Array.from({ length: rows }, (_, y) => rowAt(screen, y)?.translateToString(true) ?? "").join("\n")
  return {
    screen,
    isCursorShown: () => isCursorShown,
    type: (keys) => pty.write(keys),
    close: () => pty.kill("SIGKILL"),
    /** Waits until it is on the screen. */
    see: (wanted) =>
      new Promise((resolve, reject) => {
        const late = setTimeout(() => reject(new Error(`never saw ${wanted}:\n${text()}`)), 60_000)
        const look = () => {
          if (!(wanted instanceof RegExp ? wanted.test(text()) : text().includes(wanted))) return
          clearTimeout(late)
          watchers.delete(look)
          resolve()
        }
        watchers.add(look)
        look()
      }),
  }
}

export function rowAt({ buffer: { active } }, y) {
  return active.getLine(active.baseY + y)
}
