#!/usr/bin/env node
import { main } from "../dist/main.js"

// Whoever reads us may stop reading: `sotto rules | head` is no failure.
process.stdout.on("error", (error) => {
  if (error.code === "EPIPE") process.exit(0)
  throw error
})

process.exitCode = await main(process.argv.slice(2))
