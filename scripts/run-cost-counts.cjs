// Preloaded into a `sotto run` by scripts/run-cost.mjs: counts what it loads and opens until its first request, and the
// transactions of its steps. Writes the counts to the file that RUN_COSTS names.
const fs = require("node:fs")
const Module = require("node:module")

const bundle = process.env.RUN_COST_BUNDLE ?? ""
const opened = []
let atFirstRequest
let transactions = 0
let requests = 0
let transactionsBefore = 0

for (const [holder, names] of [
  [fs, ["openSync", "open", "readFileSync", "readFile"]],
  [fs.promises, ["open", "readFile"]],
])
  for (const name of names) {
    const original = holder[name]
    holder[name] = function (path, ...rest) {
      if (typeof path === "string" || path instanceof URL) opened.push(String(path))
      return original.call(this, path, ...rest)
    }
  }

const load = Module._load
Module._load = function (name, ...rest) {
  const loaded = load.call(this, name, ...rest)
  if (name === "libsql") countTransactions(loaded)
  return loaded
}

function countTransactions({ prototype }) {
  if (prototype.isCounted) return
  prototype.isCounted = true
  const { prepare, exec } = prototype
  prototype.exec = function (sql) {
    if (isCommit(sql)) transactions++
    return exec.call(this, sql)
  }
  prototype.prepare = function (sql) {
    const statement = prepare.call(this, sql)
    if (!isCommit(sql)) return statement
    const { run } = statement
    statement.run = (...values) => {
      transactions++
      return run.apply(statement, values)
    }
    return statement
  }
}

function isCommit(sql) {
  return /^\s*commit\b/i.test(sql)
}

require("node:diagnostics_channel").subscribe("http.client.request.start", () => {
  requests++
  if (requests > 1) return
  transactionsBefore = transactions
  // Every file that Node has compiled: required ones are in its cache, and modules are read by name.
  const scripts = new Set([...Object.keys(require.cache), ...opened.filter(isScript)])
  scripts.delete(__filename)
  const bytes = [...scripts].reduce((sum, path) => sum + sizeOf(path), 0)
  atFirstRequest = {
    bytes,
    scripts: scripts.size,
    files: opened.filter((path) => !path.startsWith("/proc/")).length,
    isBundled: scripts.has(bundle),
  }
})

function isScript(path) {
  return /\.[cm]?js$/.test(path)
}

/** Native modules are not JavaScript. */
function sizeOf(path) {
  return isScript(path) ? (fs.statSync(path, { throwIfNoEntry: false })?.size ?? 0) : 0
}

process.on("exit", () => {
  const perStep = (transactions - transactionsBefore) / (requests - 1)
  fs.writeFileSync(process.env.RUN_COSTS ?? "", JSON.stringify({ ...atFirstRequest, perStep, requests }))
})
