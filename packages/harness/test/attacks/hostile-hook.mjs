// A hook that prints what the test wrote for it: a file of JSON with {"out": [piece, …], "err": [piece, …], "exit": 0}.
// A piece is a text, or [text, times]. `linger` keeps it alive; `leaves` starts a process that prints after its end.
import { spawn } from "node:child_process"
import { readFileSync, writeSync } from "node:fs"

const {
  out = [],
  err = [],
  exit = 0,
  linger,
  leaves,
  latin1,
} = JSON.parse(readFileSync(process.argv[2], "utf8"))

for (const [to, pieces] of [
  [1, out],
  [2, err],
])
  for (const piece of pieces) {
    const [text, times] = typeof piece === "string" ? [piece, 1] : piece
    const bytes = Buffer.from(text.repeat(times), latin1 ? "latin1" : "utf8")
    for (let at = 0; at < bytes.length; ) at += writeSync(to, bytes.subarray(at, at + 60_000))
  }
if (leaves) spawn("sh", ["-c", "sleep 2; echo late"], { stdio: "inherit", detached: true }).unref()
if (linger) {
  process.on("SIGTERM", () => undefined)
  setInterval(() => undefined, 60_000)
} else process.exitCode = exit
