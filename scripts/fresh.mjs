import { createHash } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { copyGrammar, GRAMMAR } from "./grammar.mjs"
import { bin, quietly, root } from "./process.mjs"

/** Installs the dependencies unless the lockfile is the one they were last installed from. */
export async function ensureInstalled() {
  const lockfile = digest(["package-lock.json"])
  if (stamp("installed").is(lockfile)) return
  // A NODE_ENV of production would leave out the tools that build.
  const args = ["ci", "--include=dev", "--no-audit", "--no-fund"]
  await quietly("Installing packages", "npm", args, { about: "half a minute" })
  stamp("installed").set(lockfile)
}

/** Installs what builds the site, which a clone does not have otherwise: it is large, and few people build the site. */
export async function ensureSiteGenerator() {
  const folder = "site/vitepress"
  const lockfile = digest([join(folder, "package-lock.json")])
  const installed = stamp("site-generator")
  if (existsSync(join(root, folder, "node_modules")) && installed.is(lockfile)) return
  const options = ["--include=dev", "--ignore-scripts", "--no-audit", "--no-fund"]
  await quietly("Installing VitePress", "npm", ["ci", "--prefix", folder, ...options])
  installed.set(lockfile)
}

/** Compiles the packages unless their sources are those that were last compiled. */
export async function ensureBuilt() {
  const outputs = [
    ...projects().map((project) => join(project, "dist")),
    "packages/cli/dist/bundle/main.cjs",
    "packages/inspector/dist/web/app.js",
    "packages/postgres/dist/bundle/index.js",
    join(GRAMMAR, "tree-sitter-bash.wasm"),
  ]
  const compiled = outputs.every((output) => existsSync(join(root, output)))
  if (!compiled || !stamp("built").is(sources())) await build()
}

export async function build() {
  const hash = sources()
  copyGrammar()
  await quietly("Building", bin("tsc"), ["-b", "tsconfig.build.json"], { about: "half a minute" })
  await quietly("Building the page", bin("vite"), ["build", "--config", "packages/inspector/vite.config.ts"])
  await quietly("Bundling", process.execPath, ["scripts/bundle.mjs"])
  await quietly("Bundling the PostgreSQL store", process.execPath, ["scripts/bundle-postgres.mjs"])
  stamp("built").set(hash)
}

const projects = () => readJson("tsconfig.build.json").references.map((reference) => reference.path)

const sources = () =>
  digest([
    "package-lock.json",
    "tsconfig.base.json",
    "tsconfig.build.json",
    "scripts/bundle.mjs",
    "scripts/bundle-postgres.mjs",
    "scripts/grammar.mjs",
    "scripts/notices.mjs",
    "packages/inspector/vite.config.ts",
    ...projects().flatMap((project) => [
      join(project, "package.json"),
      join(project, "tsconfig.json"),
      ...sourcesOf(project),
    ]),
  ])

/** The examples have a folder each, everything else is below "src". */
function sourcesOf(project) {
  if (existsSync(join(root, project, "src"))) return filesUnder(join(project, "src"))
  return filesUnder(project).filter(
    (path) => /\.ts$/.test(path) && !/\/(dist|node_modules|test)\//.test(path),
  )
}

export const readJson = (path) => JSON.parse(readFileSync(join(root, path), "utf8"))

// Kept in node_modules because `npm ci` deletes that first: an interrupted install leaves no stamp.
function stamp(name) {
  const path = join(root, "node_modules", ".sotto", name)
  return {
    is: (hash) => existsSync(path) && readFileSync(path, "utf8") === hash,
    set: (hash) => {
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, hash)
    },
  }
}

function digest(paths) {
  const hash = createHash("sha256")
  for (const path of paths) {
    const content = readFileSync(join(root, path))
    hash.update(`${path}\0${content.length}\0`).update(content)
  }
  return hash.digest("hex")
}

function filesUnder(folder) {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort()
}
