import { existsSync, lstatSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { readJson } from "./fresh.mjs"
import { root } from "./process.mjs"

/** The most that an installation of `sotto` may be, on any platform. */
const MOST_BYTES = 110e6
const MOST_PACKAGES = 90

/** Says what an installation weighs. Throws if that is too much. */
export function judgeWeight({ packages, bytes }) {
  const said = `${packages} packages, ${(bytes / 1e6).toFixed(1)} MB`
  if (packages > MOST_PACKAGES || bytes > MOST_BYTES)
    throw new Error(
      `An installation of sotto is ${said}; at most ${MOST_PACKAGES} and ${MOST_BYTES / 1e6} MB. Bundle what is plain JavaScript (scripts/bundle.mjs), or make a package of what few people use.`,
    )
  return said
}

/** Weighs a folder of node_modules in which nothing but `sotto` was installed. */
export function weighInstalled(modules) {
  const names = readdirSync(modules).filter((name) => !name.startsWith("."))
  const packages = names.reduce(
    (sum, name) => sum + (name.startsWith("@") ? readdirSync(join(modules, name)).length : 1),
    0,
  )
  return { packages, bytes: bytesIn(modules) }
}

/** Weighs what would be installed, by the lockfile and by what lies in this repository. */
function weighLocked() {
  const { packages } = readJson("package-lock.json")
  const found = new Set()
  const add = (from, name, isOptional) => {
    const at = lookUp(packages, from, name)
    if (at === undefined || found.has(at)) return
    if (isOptional && !existsSync(join(root, at))) return
    found.add(at)
    follow(at)
  }
  const follow = (at) => {
    const { dependencies = {}, optionalDependencies = {} } = packages[at]
    for (const name of Object.keys(dependencies)) add(at, name, false)
    for (const name of Object.keys(optionalDependencies)) add(at, name, true)
  }
  follow("packages/cli")
  const own = ["README.md", "LICENSE", "package.json", ...readJson("packages/cli/package.json").files]
    .map((name) => join(root, "packages/cli", name))
    .filter((path) => existsSync(path))
  const bytes = [...own, ...[...found].map((at) => join(root, at))].reduce(
    (sum, path) => sum + bytesIn(path),
    0,
  )
  return { packages: found.size + 1, bytes }
}

/** Where npm puts the package that another one imports: beside it, or in a folder above. */
function lookUp(packages, from, name) {
  const above = from.includes("/node_modules/") ? from.slice(0, from.lastIndexOf("/node_modules/")) : ""
  const path = from === "" ? `node_modules/${name}` : `${from}/node_modules/${name}`
  if (packages[path] !== undefined) return path
  return from === "" ? undefined : lookUp(packages, above, name)
}

function bytesIn(path) {
  const found = lstatSync(path)
  if (!found.isDirectory()) return found.size
  return readdirSync(path).reduce((sum, name) => sum + bytesIn(join(path, name)), 0)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) console.log(judgeWeight(weighLocked()))
