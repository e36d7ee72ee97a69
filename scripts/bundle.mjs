import { createHash } from "node:crypto"
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { isBuiltin } from "node:module"
import { basename, join } from "node:path"
import { build } from "esbuild"
import { readJson } from "./fresh.mjs"
import { GRAMMAR } from "./grammar.mjs"
import { writeNotices } from "./notices.mjs"
import { root } from "./process.mjs"

/**
 * The command in a handful of files instead of several hundred: finding and reading those is most of the time it takes
 * to start. esbuild does it in two passes.
 *
 * 1. It cuts the modules into parts: what is imported on demand becomes a part of its own, and so does what several of
 *    them share.
 * 2. It joins the parts that `sotto run` needs before its first request into one file, main.cjs. Each of the others becomes
 *    a file that takes what it shares with them from main.cjs.
 *
 * They are CommonJS: Node 20 keeps the compiled code of scripts only, not of modules (bin/compiled.js).
 */
const folder = join(root, "packages/cli/dist/bundle")
const parts = join(folder, "parts")

/** How the paths end of modules that a run imports on demand before its first request: they belong into main.cjs. */
const OF_EVERY_RUN = ["/commands/run.js", "/anthropic/index.js"]

/** Programs of their own: the thread of the proxy's analysis. */
const threads = { worker: join(root, "packages/cli/dist/proxy/analysis/worker.js") }

/** What Node gives to every CommonJS module. */
const OF_MODULES = "exports,require,module,__filename,__dirname"

/** The first line of main.cjs, until the hash is known. */
const UNSIGNED = `/*${"0".repeat(64)}*/`

/** Packages with programs for one platform, which npm chooses: these are installed with the command. */
const NATIVE = /^(libsql|@vscode\/ripgrep)(\/|$)/
/** What unpdf would draw pages with if it were there. */
const ABSENT = /^@napi-rs\/canvas$/

/**
 * All other packages come along, each part in a file that is loaded when it is needed. Installed they would be 100
 * packages more, most of them for things that Sotto does not do.
 */
const stays = {
  name: "stays",
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) => {
      const stay = isBuiltin(path) || NATIVE.test(path) || ABSENT.test(path)
      return kind !== "entry-point" && stay ? { path, external: true } : undefined
    })
  },
}

/**
 * Imports from a package's index become imports from the modules that it lists: else each module that any command takes from
 * there would be one that every command loads.
 */
const direct = {
  name: "direct",
  setup({ onLoad }) {
    const indexes = new Map(["core", "harness"].map((name) => [`@sotto/${name}`, exportsOf(name)]))
    onLoad({ filter: /[/\\]packages[/\\][a-z]+[/\\]dist[/\\].*\.js$/ }, ({ path }) => {
      const text = readFileSync(path, "utf8")
      const contents = text.replace(/^import \{([^}]*)\} from "(@sotto\/\w+)";$/gm, (whole, names, from) => {
        const modules = indexes.get(from)
        // A source map goes by lines.
        return modules === undefined ? whole : importsOf(names, modules) + whole.replace(/[^\n]/g, "")
      })
      return { contents, loader: "js" }
    })
  },
}

/** Finds the module of each name that a package's index exports, and what it is called there. */
function exportsOf(name) {
  const dist = join(root, "packages", name, "dist")
  const found = new Map()
  const index = readFileSync(join(dist, "index.js"), "utf8")
  for (const [, names, path] of index.matchAll(/^export \{([^}]*)\} from "(\.[^"]*)";$/gm))
    for (const [local, exported] of namesIn(names)) found.set(exported, { local, path: join(dist, path) })
  const rest = index.replace(/^export \{[^}]*\} from "\.[^"]*";$/gm, "").replace(/^\/[/*].*$/gm, "")
  if (rest.trim() !== "")
    throw new Error(`scripts/bundle.mjs: the index of ${name} has more than exports of its modules.`)
  return found
}

function importsOf(names, modules) {
  return namesIn(names)
    .map(([name, as]) => {
      const { local, path } = modules.get(name)
      return `import { ${local} as ${as} } from ${JSON.stringify(path)};`
    })
    .join(" ")
}

/** Reads a list such as "a, b as c" as pairs: [["a", "a"], ["b", "c"]]. */
function namesIn(list) {
  return list
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "")
    .map((one) => one.split(" as ").map((name) => name.trim()))
    .map(([name, as = name]) => [name, as])
}

const common = {
  metafile: true,
  bundle: true,
  platform: "node",
  target: "node20",
  sourcemap: "linked",
  // Names stay as they are: errors show them.
  minifyWhitespace: true,
  minifySyntax: true,
  logLevel: "warning",
}

rmSync(folder, { recursive: true, force: true })
const cut = await build({
  ...common,
  entryPoints: { main: join(root, "packages/cli/dist/main.js"), ...threads },
  outdir: parts,
  splitting: true,
  format: "esm",
  chunkNames: "[name]-[hash]",
  plugins: [stays, direct],
  define: { "process.env.NODE_ENV": '"production"', "import.meta.url": "moduleUrl" },
})

/** What the first pass made: the name of each part's file, and what esbuild tells of it. */
const partOf = new Map(
  Object.entries(cut.metafile.outputs)
    .filter(([path]) => path.endsWith(".js"))
    .map(([path, output]) => [basename(path), output]),
)
const joined = withImports(["main.js", ...OF_EVERY_RUN.map(partFor)])
const others = [...partOf.keys()].filter((name) => !joined.has(name))

await build({
  ...common,
  stdin: { contents: entryOfJoined(), resolveDir: parts },
  outfile: join(folder, "main.cjs"),
  format: "cjs",
  plugins: [{ name: "joined", setup: ({ onResolve }) => onResolve({ filter: /./ }, resolveInJoined) }],
  // As a module it runs; as a script, which bin/compiled.js makes of it, it is a function.
  banner: {
    js: `${UNSIGNED}\n(f=>typeof module==="object"?f(${OF_MODULES}):f)(function(${OF_MODULES}){${bannerFor("module.exports")}`,
  },
  footer: { js: "})" },
}).then(replaceImports)
await build({
  ...common,
  entryPoints: others.map((name) => join(parts, name)),
  outdir: folder,
  outExtension: { ".js": ".cjs" },
  format: "cjs",
  plugins: [{ name: "others", setup: resolveInOthers }],
  banner: { js: bannerFor('require("./main.cjs")') },
}).then(replaceImports)
rmSync(parts, { recursive: true })
sign(join(folder, "main.cjs"))
writeFileSync(join(folder, "outside.cjs"), "module.exports = (name) => import(name)\n")
for (const name of Object.keys(threads)) writeFileSync(join(folder, `${name}.js`), `import "./${name}.cjs"\n`)
// The page of the inspector, which is read beside the code that serves it.
cpSync(join(root, "packages/inspector/dist/web"), join(folder, "web"), { recursive: true })
// The grammar that judges commands, which is read from the folder beside the code.
cpSync(join(root, GRAMMAR), join(folder, "../wasm"), { recursive: true })
// What comes along is other people's: with it come the licences.
writeNotices(Object.keys(cut.metafile.inputs), join(folder, "../THIRD-PARTY-NOTICES.txt"))
checkDependencies()
checkNames()

/** Finds the part that is imported on demand for a module. */
function partFor(module) {
  const found = [...partOf].find(([, { entryPoint }]) => entryPoint?.endsWith(module))
  if (found === undefined)
    throw new Error(`scripts/bundle.mjs: no module that is imported on demand is called ${module}.`)
  return found[0]
}

/** Adds to the parts all that they import, and so on. */
function withImports(names) {
  const found = new Set()
  const add = (name) => {
    if (found.has(name)) return
    found.add(name)
    for (const { path, kind, external } of partOf.get(name).imports)
      if (!external && kind === "import-statement") add(basename(path))
  }
  names.forEach(add)
  return found
}

/** Makes the text that imports all joined parts, and exports each by its name to the other files. */
function entryOfJoined() {
  const names = [...joined].filter((name) => name !== "main.js")
  const imports = names.map((name, i) => `import * as part${i} from "./${name}"\n`)
  const table = names.map((name, i) => `${JSON.stringify(name)}: part${i}`)
  return `${imports.join("")}export { main } from "./main.js"\nexport const parts = { ${table.join(", ")} }`
}

function resolveInJoined({ path, kind }) {
  if (!path.startsWith("./")) return { path, external: true }
  const name = basename(path)
  if (kind !== "dynamic-import") return { path: join(parts, name) }
  return { path: joined.has(name) ? `part:${name}` : compiled(name), external: true }
}

function resolveInOthers({ onResolve, onLoad }) {
  onResolve({ filter: /./ }, ({ path, kind }) => {
    if (kind === "entry-point") return undefined
    if (!path.startsWith(".")) return { path, external: true }
    const name = basename(path)
    if (!joined.has(name)) return { path: compiled(name), external: true }
    return kind === "dynamic-import"
      ? { path: `part:${name}`, external: true }
      : { path: name, namespace: "joined" }
  })
  onLoad({ filter: /./, namespace: "joined" }, ({ path }) => ({
    contents: `module.exports = require("./main.cjs").parts[${JSON.stringify(path)}]`,
  }))
}

function compiled(name) {
  return `./${name.replace(/\.js$/, ".cjs")}`
}

/**
 * Names what the code of a file counts on. `Import` stands in for `import()`: code that was kept compiled cannot import by
 * itself, because V8 does not keep for which file it was compiled.
 */
function bannerFor(main) {
  const url = 'const moduleUrl=require("node:url").pathToFileURL(__filename).href;'
  const later = `Promise.resolve().then(()=>name.startsWith("part:")?${main}.parts[name.slice(5)]:require(name))`
  const own = "/^(part|node|[.])/.test(name)"
  return `${url}const Import=(name)=>${own}?${later}:require("./outside.cjs")(name);`
}

/** Puts `Import` for `import`. Both have six letters, so that the source map stays right. */
function replaceImports({ metafile }) {
  for (const [path, { imports }] of Object.entries(metafile.outputs)) {
    if (!path.endsWith(".cjs")) continue
    const file = join(process.cwd(), path)
    const text = readFileSync(file, "utf8")
    const wanted = new Set(imports.filter(({ kind }) => kind === "dynamic-import").map((one) => one.path))
    const seen = new Set()
    const literal = text.replace(/\bimport\("([^"]+)"\)/g, (whole, name) => {
      if (!wanted.has(name)) return whole
      seen.add(name)
      return `Import("${name}")`
    })
    // The name of an optional package is a variable (execution/programs/optional-package.ts).
    const replaced = literal.replace(/\bawait import\((?=\w+\))/g, "await Import(")
    const missing = [...wanted].filter((name) => !seen.has(name))
    if (missing.length > 0) throw new Error(`${path}: import() of ${missing.join(", ")} was not found.`)
    if (replaced !== text) writeFileSync(file, replaced)
  }
}

/** Writes into the first line of a file the hash of the rest, by which bin/compiled.js knows compiled code of it. */
function sign(file) {
  const text = readFileSync(file, "utf8")
  const rest = text.slice(UNSIGNED.length)
  if (!text.startsWith(UNSIGNED)) throw new Error(`${file} does not begin with its banner.`)
  // One byte for each character, as bin/compiled.js reads it. esbuild escapes the others in strings, but not in patterns.
  const other = /.{0,40}[^\0-\x7f]/.exec(text)
  if (other) throw new Error(`${file} has a character outside ASCII, which has to be escaped: ${other[0]}`)
  writeFileSync(file, `/*${createHash("sha256").update(rest).digest("hex")}*/${rest}`)
}

/** What the bundle leaves outside is installed with the package only if the package declares it. */
function checkDependencies() {
  const { dependencies } = readJson("packages/cli/package.json")
  const outside = [...partOf.values()]
    .flatMap(({ imports }) => imports)
    .filter(({ external, path }) => external && !isBuiltin(path) && !ABSENT.test(path))
    .map(({ path }) => nameOf(path))
  const undeclared = [...new Set(outside)].filter((name) => !Object.hasOwn(dependencies, name))
  if (undeclared.length === 0) return
  console.error(
    `packages/cli/package.json does not declare what the bundle imports: ${undeclared.join(", ")}`,
  )
  process.exit(1)
}

/** Fails for CommonJS that is imported on demand: only its default export would be there. */
function checkNames() {
  const { inputs } = cut.metafile
  const nameless = [...partOf.values()]
    .map(({ entryPoint }) => entryPoint)
    .filter((entry) => entry !== undefined && inputs[entry]?.format === "cjs")
  if (nameless.length === 0) return
  console.error(`Import these from a module of our own, and that on demand: ${nameless.join(", ")}`)
  process.exit(1)
}

/** Names the package of a path: "@scope/package" for "@scope/package/file". */
function nameOf(path) {
  return path
    .split("/")
    .slice(0, path.startsWith("@") ? 2 : 1)
    .join("/")
}
