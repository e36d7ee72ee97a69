import { spawn } from "node:child_process"
import { constants } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

export const root = dirname(dirname(fileURLToPath(import.meta.url)))

export const bin = (name) => join(root, "node_modules", ".bin", name)

/** Runs a program in the foreground and ends this process the way that program ended. */
export async function become(command, args) {
  const { code, signal } = await run(command, args, { stdio: "inherit" })
  if (signal !== null) await endBy(signal)
  process.exit(code)
}

/** Runs a program out of sight and keeps what it printed. */
export async function capture(command, args) {
  const { code, signal, output } = await run(command, args, { stdio: ["ignore", "pipe", "pipe"] })
  if (received !== undefined) await endBy(received)
  return { ok: code === 0, code: code ?? 128 + constants.signals[signal], output }
}

/**
 * Runs a program behind a one-line message. If it fails, its output is shown and this process ends.
 * @param about how long it takes, such as "half a minute", if that is long
 */
export async function quietly(message, command, args, { about } = {}) {
  const start = performance.now()
  const line = progressLine(about === undefined ? message : `${message} (about ${about})`, start)
  const { ok, code, output } = await capture(command, args)
  line.end(ok ? `done in ${seconds(start)}\n` : `failed\n${output}`)
  if (!ok) process.exit(code)
}

/** Shows a message, with the time that has passed where the terminal can draw a line anew. */
function progressLine(message, start) {
  const { stderr } = process
  stderr.write(`${message}… `)
  if (!stderr.isTTY || process.env.TERM === "dumb") return { end: (text) => stderr.write(text) }
  // In a window narrower than the line, what wraps could not be drawn anew.
  const again = (text) => stderr.write(`\r\u001b[2K${message}… ${text}`)
  const timer = setInterval(() => {
    const passed = `${Math.floor((performance.now() - start) / 1000)} s`
    if (message.length + passed.length + 3 < stderr.columns) again(passed)
  }, 1000)
  return {
    end: (text) => {
      clearInterval(timer)
      again(text)
    },
  }
}

export const seconds = (start) => `${((performance.now() - start) / 1000).toFixed(1)} s`

// vitest colours its output even when that goes to a file.
const plain = !process.stdout.isTTY && process.env.FORCE_COLOR === undefined

let received

function run(command, args, { stdio }) {
  const env = plain ? { ...process.env, NO_COLOR: "1" } : process.env
  const child = spawn(command, args, { cwd: root, env, stdio })
  let output = ""
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text) => {
      output += text
    })
  }
  const pass = (signal) => {
    received = signal
    // A terminal already sends Ctrl-C to the whole group: the child would see it twice.
    if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal)
  }
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"]
  for (const signal of signals) process.on(signal, pass)

  return new Promise((resolve, reject) => {
    child.once("error", reject)
    child.once("close", (code, signal) => {
      for (const signal of signals) process.off(signal, pass)
      resolve({ code, signal, output })
    })
  })
}

function endBy(signal) {
  process.removeAllListeners(signal)
  process.kill(process.pid, signal)
  return new Promise(() => {})
}
