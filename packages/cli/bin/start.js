"use strict"
// CommonJS, because Node starts it a tenth faster than a module.
const { existsSync } = require("node:fs")
const { join } = require("node:path")
const { setFlagsFromString } = require("node:v8")

// The space for new objects stays small: 10 MB less memory after 300 steps, for a step that may take a tenth longer.
const SMALL = "--semi-space-growth-factor=1"
// Optimised code pays in long sessions. V8 waits longer for it than it would, and a second at least.
const LATER = "--interrupt-budget=600000"
const NOT_YET = "--no-opt"
// The parser of shell commands is WebAssembly. Compiled twice it would be faster than it need be, and no process ends before
// V8 has finished the second compilation: 0.2 s after a question about a command, seconds where the machine is busy.
const PARSED_SOON = "--liftoff-only"

/**
 * How V8 is set for a short life (bench/README.md), by Node's version: V8 complains of a flag that it does not know. All
 * before the bundle is loaded, because V8 takes compiled code only if it was kept under the same flags.
 */
const SHORT_LIFE =
  { 20: [SMALL, LATER, NOT_YET, PARSED_SOON], 22: [SMALL, NOT_YET, PARSED_SOON] }[
    parseInt(process.versions.node, 10)
  ] ?? []
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
  if (SERVERS.includes(args[0])) setForServers()
  else setTimeout(() => setFlagsFromString("--opt"), OPTIMISED_AFTER_MS).unref()
  // As Node does for a module: a command that waits for nothing any more, and is not through, has not succeeded.
  const tellStuck = () => {
    process.exitCode ??= 13
  }
  process.once("exit", tellStuck)
  main(args).then((code) => {
    process.off("exit", tellStuck)
    process.exitCode = code
    // What is left, such as a connection that is kept for the next request, does not hold up the end.
    written(process.stdout, () => written(process.stderr, () => process.exit()))
  })
}

/** Calls back once everything that was written to a stream is out. */
function written(stream, done) {
  if (stream.writableLength === 0 || stream.destroyed) done()
  else stream.write("", () => done())
}

function setForServers() {
  setFlagsFromString("--opt")
  if (!SHORT_LIFE.includes(SMALL)) return
  setFlagsFromString("--semi-space-growth-factor=2")
}

/** Sets V8 as it was when the bundle was loaded. */
function restoreFlags() {
  SHORT_LIFE.forEach(setFlagsFromString)
  setFlagsFromString("--lazy-feedback-allocation")
}
