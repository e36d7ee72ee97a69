#!/usr/bin/env node
// The whole command in a few files where it was bundled (npm run build); else as it was compiled.
const bundled = new URL("../dist/bundle/main.js", import.meta.url)
const { existsSync } = await import("node:fs")
const { main } = await import(existsSync(bundled) ? bundled.href : "../dist/main.js")

// Whoever reads us may stop reading: `sotto rules | head` is no failure.
process.stdout.on("error", (error) => {
  if (error.code === "EPIPE") process.exit(0)
  throw error
})

process.exitCode = await main(process.argv.slice(2))
