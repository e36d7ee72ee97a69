"use strict"
// CommonJS, because Node starts it a tenth faster than a module.
const { existsSync } = require("node:fs")
const { join } = require("node:path")

const args = process.argv.slice(2)
// Whoever asks for the version waits for no more than Node itself.
if (args[0] === "--version" || args[0] === "-v") console.log(require("../package.json").version)
else start()

function start() {
  // Whoever reads us may stop reading: `sotto rules | head` is no failure. Commands that run a conversation end it first
  // (src/exit.ts).
  process.stdout.on("error", (error) => {
    if (error.code === "EPIPE") process.exit(0)
    throw error
  })
  // The whole command in a few files where it was bundled (npm run build); else as it was compiled.
  const bundled = join(__dirname, "../dist/bundle/main.cjs")
  if (existsSync(bundled)) run(require("./compiled.js").load(bundled, args[0]))
  else import("../dist/main.js").then(run)
}

/** Runs the command. */
function run({ main }) {
  // V8 waits for a function to have run often before it learns how it is used. A turn runs most of them some dozens of
  // times, and is over by then: what it learns from the start makes a step a fifth faster (bench/README.md).
  require("node:v8").setFlagsFromString("--no-lazy-feedback-allocation")
  main(args).then((code) => {
    process.exitCode = code
  })
}
