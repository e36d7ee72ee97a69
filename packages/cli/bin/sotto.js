#!/usr/bin/env node
import { existsSync } from "node:fs"
import { setFlagsFromString } from "node:v8"

// Older versions would stop at a missing function, somewhere. This file has nothing in it that they do not know.
const [major, minor] = process.versions.node.split(".").map(Number)
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(
    `sotto needs Node 20.19 or newer, and this is ${process.versions.node}. Install a newer one (nodejs.org), or switch to one: nvm install 22`,
  )
  process.exit(1)
}

// The whole command in a few files where it was bundled (npm run build); else as it was compiled.
const bundled = new URL("../dist/bundle/main.js", import.meta.url)
const { main } = await import(existsSync(bundled) ? bundled.href : "../dist/main.js")

// V8 waits for a function to have run often before it learns how it is used. A turn runs most of them some dozens of
// times, and is over by then: what it learns from the start makes a step a fifth faster (bench/README.md).
setFlagsFromString("--no-lazy-feedback-allocation")

// Whoever reads us may stop reading: `sotto rules | head` is no failure. Commands that run a conversation end it first
// (src/exit.ts).
process.stdout.on("error", (error) => {
  if (error.code === "EPIPE") process.exit(0)
  throw error
})

process.exitCode = await main(process.argv.slice(2))
