"use strict"
// CommonJS, because Node starts it a tenth faster than a module.
const { existsSync } = require("node:fs")
const { join } = require("node:path")
const { setFlagsFromString } = require("node:v8")

/**
 * How V8 is set for a short life, measured in bench/README.md. All before the bundle is loaded: V8 takes compiled code only
 * if it was kept under the same flags.
 */
const SHORT_LIFE = [
  // The space for new objects stays small: to let it grow is 10 MB of memory after 300 steps, and no time gained.
  "--semi-space-growth-factor=1",
  // Optimised code pays in long sessions. V8 waits longer for it than it would, and a second at least.
  "--interrupt-budget=600000",
  "--no-opt",
]
/** Commands that live long and serve many. */
const SERVERS = ["serve", "proxy"]
const OPTIMISED_AFTER_MS = 1_000

const args = process.argv.slice(2)
// Who asks for the version waits for no more than Node itself.
if (args[0] === "--version" || args[0] === "-v") console.log(require("../package.json").version)
else start()

function start() {
  // The reader of our output may stop reading: `sotto rules | head` has not failed. Commands that run a conversation end it
  // first (src/exit.ts).
  process.stdout.on("error", (error) => {
    if (error.code === "EPIPE") process.exit(0)
    throw error
  })
  SHORT_LIFE.forEach(setFlagsFromString)
  // The whole command in a few files where it was bundled (npm run build); else as it was compiled.
  const bundled = join(__dirname, "../dist/bundle/main.cjs")
  if (!existsSync(bundled)) import("../dist/main.js").then(run)
  else run(require("./compiled.js").load(bundled, args[0] === "run", restoreFlags))
}

/** Runs the command. */
function run({ main }) {
  // V8 waits for a function to have run often before it learns how it is used. A turn runs most of them some dozens of
  // times, and is over by then: what it learns from the start makes a step a fifth faster (bench/README.md).
  setFlagsFromString("--no-lazy-feedback-allocation")
  if (SERVERS.includes(args[0])) serveFlags()
  else setTimeout(() => setFlagsFromString("--opt"), OPTIMISED_AFTER_MS).unref()
  main(args).then((code) => {
    process.exitCode = code
  })
}

function serveFlags() {
  setFlagsFromString("--opt")
  setFlagsFromString("--semi-space-growth-factor=2")
}

/** Sets V8 as it was when the bundle was loaded. */
function restoreFlags() {
  SHORT_LIFE.forEach(setFlagsFromString)
  setFlagsFromString("--lazy-feedback-allocation")
}
