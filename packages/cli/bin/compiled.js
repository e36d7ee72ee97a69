"use strict"
// Keeps what V8 has compiled of the bundle, because compiling is the largest part of a start. Node's own way
// (module.enableCompileCache, from 22.1 on) keeps 27 kB of the bundle, the functions of its outermost level; this file keeps
// all that a run has called, 1.2 MB.
//
// What is kept is code that will run, so it lies in Sotto's own folder, which the sandbox hides from commands, and a file
// counts only if it is the user's own and no other user may write it. A file that is missing, stale or damaged is ignored,
// and no failure here is ever an error.
const fs = require("node:fs")
const Module = require("node:module")
const { homedir } = require("node:os")
const { dirname, isAbsolute, join, resolve } = require("node:path")

const folder = join(ownFolder(process.env), "compiled")

/** The length of a hash in hexadecimal digits. */
const HASH = 64

/**
 * Loads the bundle's main file. If `keeps`, what has been compiled of it by the end of the process is kept for the next start.
 * `restoreFlags` sets V8 as it is now: V8 takes compiled code only under the flags under which it was kept.
 */
function load(file, keeps, restoreFlags) {
  if (process.env.NODE_DISABLE_COMPILE_CACHE) return require(file)
  const source = fs.readFileSync(file, "utf8")
  // The first line is a comment with the hash of the rest (scripts/bundle.mjs). V8 itself compares only lengths.
  const hash = /^\/\*([0-9a-f]{64})\*\/\n/.exec(source)?.[1]
  if (hash === undefined) return require(file)
  const kept = join(folder, `${hash.slice(0, 16)}-${process.version}-${process.arch}`)
  const { script, exports } = run(file, source, read(kept))
  if (keeps && script.cachedDataRejected !== false)
    process.once("exit", (code) => {
      if (code !== 0) return
      restoreFlags()
      write(kept, script.createCachedData())
    })
  return exports
}

/** Runs a file's source as Node would run the file, from compiled code if V8 takes that. */
function run(file, source, cachedData) {
  const { Script } = require("node:vm")
  const script = new Script(source, { filename: file, cachedData })
  const module = new Module(file)
  module.filename = file
  module.paths = Module._nodeModulePaths(dirname(file))
  // The other files of the bundle require this one.
  require.cache[file] = module
  script.runInThisContext()(module.exports, Module.createRequire(file), module, file, dirname(file))
  module.loaded = true
  return { script, exports: module.exports }
}

/** Reads compiled code: undefined if there is none that is whole and the user's own. */
function read(path) {
  let file
  try {
    file = fs.openSync(path, fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0))
    const { uid, mode, size } = fs.fstatSync(file)
    const isOwn = process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0)
    if (!isOwn || size <= HASH) return undefined
    const content = Buffer.allocUnsafeSlow(size)
    if (fs.readSync(file, content, 0, size, 0) !== size) return undefined
    const data = content.subarray(HASH)
    return hashOf(data) === content.latin1Slice(0, HASH) ? data : undefined
  } catch {
    return undefined
  } finally {
    if (file !== undefined) fs.closeSync(file)
  }
}

/** Writes compiled code, and removes what older versions have left. Where it cannot be written, nothing is kept. */
function write(path, data) {
  const temporary = `${path}.${process.pid}`
  const hash = Buffer.from(hashOf(data), "latin1")
  try {
    // Without its parents: Sotto's folder is there after a run.
    if (!fs.existsSync(folder)) fs.mkdirSync(folder, { mode: 0o700 })
    const old = fs.readdirSync(folder)
    fs.writeFileSync(temporary, Buffer.concat([hash, data]), { mode: 0o600, flag: "wx" })
    fs.renameSync(temporary, path)
    for (const name of old.filter((name) => join(folder, name) !== path)) fs.rmSync(join(folder, name))
  } catch {
    remove(temporary)
  }
}

function remove(path) {
  try {
    fs.rmSync(path, { force: true })
  } catch {
    // Something on the way to it is not a folder, or may not be changed.
  }
}

function hashOf(data) {
  return require("node:crypto").createHash("sha256").update(data).digest("hex")
}

/** Where Sotto keeps the user's sessions: `dataFolder` in packages/harness/src/platform/workspace/folders.ts says the same. */
function ownFolder(env) {
  if (env.SOTTO_HOME) return resolve(env.SOTTO_HOME)
  if (env.XDG_DATA_HOME && isAbsolute(env.XDG_DATA_HOME)) return join(env.XDG_DATA_HOME, "sotto")
  return join(env.HOME || env.USERPROFILE || homedir(), ".local/share/sotto")
}

module.exports = { load }
