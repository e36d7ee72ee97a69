import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/** What keeps a release from being made, in words that say what to do. */
export class ReleaseError extends Error {
  constructor(message, code = 1) {
    super(message)
    this.code = code
  }
}

const UNRELEASED = "## Unreleased"

/** What a release changes. Reads only. */
export function readRelease(root, { wanted, remote, today }) {
  const folders = [".", ...readdirSync(join(root, "packages")).map((name) => join("packages", name))]
  const manifests = folders
    .filter((folder) => existsSync(join(root, folder, "package.json")))
    .map((folder) => ({ folder, ...JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) }))
  const packages = manifests.filter((manifest) => manifest.folder !== "." && !manifest.private)
  const versions = new Set(packages.map(({ version }) => version))
  if (versions.size !== 1)
    throw new ReleaseError(
      `All packages have one version, but here are ${[...versions].join(", ")}. Make them equal.`,
    )
  const [before] = versions
  const version = nextVersion(before, wanted)
  const changelog = readFileSync(join(root, "CHANGELOG.md"), "utf8")
  const notes = unreleased(changelog)
  const date = today.toISOString().slice(0, 10)
  return {
    before,
    version,
    tag: `v${version}`,
    repository: repositoryOf(remote),
    packages: packages.map(
      ({ folder, name, dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} }) => ({
        folder,
        name,
        // Others can be installed without an optional one.
        needs: Object.keys({ ...dependencies, ...peerDependencies }).filter(
          (needed) => peerDependenciesMeta[needed]?.optional !== true,
        ),
      }),
    ),
    versioned: manifests.filter(({ version: own }) => own !== undefined).map(({ folder }) => folder),
    notes,
    changelog: changelog.replace(UNRELEASED, `${UNRELEASED}\n\n## ${version} (${date})`),
  }
}

/** Writes versions, dependencies on one another, the address of the sources, and the changelog. */
export function writeRelease(root, plan) {
  const own = new Set(plan.packages.map(({ name }) => name))
  for (const folder of plan.versioned) {
    const path = join(root, folder, "package.json")
    const manifest = JSON.parse(readFileSync(path, "utf8"))
    manifest.version = plan.version
    for (const field of ["dependencies", "devDependencies", "peerDependencies"])
      for (const name of Object.keys(manifest[field] ?? {}))
        if (own.has(name) && manifest[field][name] !== "*") manifest[field][name] = `^${plan.version}`
    if (plan.repository !== undefined && own.has(manifest.name))
      manifest.repository = { type: "git", url: plan.repository, directory: folder }
    writeFileSync(path, `${JSON.stringify(manifest, null, 2)}\n`)
  }
  writeFileSync(join(root, "CHANGELOG.md"), plan.changelog)
}

/** The files of the packs, each after those that it depends on: nobody can install what is not there yet. */
export function inOrder({ packages, version }, files) {
  const done = []
  const add = ({ name, needs }) => {
    if (done.includes(name)) return
    for (const one of packages) if (needs.includes(one.name)) add(one)
    done.push(name)
  }
  for (const one of packages) add(one)
  return done.map((name) => {
    const file = `${name.replace(/^@/, "").replace("/", "-")}-${version}.tgz`
    if (!files.includes(file)) throw new ReleaseError(`The pack ${file} was not made.`)
    return file
  })
}

function nextVersion(before, wanted) {
  const now = numbers(before)
  const [major, minor, patch] = now
  const next = {
    major: `${major + 1}.0.0`,
    minor: `${major}.${minor + 1}.0`,
    patch: `${major}.${minor}.${patch + 1}`,
  }
  if (Object.hasOwn(next, wanted)) return next[wanted]
  if (!/^\d+\.\d+\.\d+$/.test(wanted))
    throw new ReleaseError(
      `"${wanted}" is no version. Use patch, minor, major or three numbers such as ${next.minor}.`,
      2,
    )
  const then = numbers(wanted)
  const at = then.findIndex((number, i) => number !== now[i])
  if (at < 0 || then[at] < now[at])
    throw new ReleaseError(`${wanted} is not newer than ${before}. Use for example ${next.minor}.`, 2)
  return wanted
}

const numbers = (version) => version.split(".").map(Number)

function unreleased(changelog) {
  const start = changelog.indexOf(UNRELEASED)
  if (start < 0)
    throw new ReleaseError(`CHANGELOG.md has no "${UNRELEASED}". Add it above the newest version.`)
  const rest = changelog.slice(start + UNRELEASED.length)
  const notes = rest.slice(0, /^## /m.exec(rest)?.index).trim()
  if (notes === "")
    throw new ReleaseError(
      `Nothing stands under "${UNRELEASED}" in CHANGELOG.md. Say there what changes for users.`,
    )
  return notes
}

/** Whether an address is one that others can open. */
export function isPublic(remote) {
  return secure(remote).startsWith("https://")
}

/** Names and passwords in an address are left out. */
function secure(remote) {
  return remote
    .replace(/^(?:ssh:\/\/)?git@([^:/]+)[:/]/, "https://$1/")
    .replace(/^https:\/\/[^/@]*@/, "https://")
}

/** As npm wants it: "git+https://host/owner/name.git". */
function repositoryOf(remote) {
  if (remote === "") return undefined
  if (!isPublic(remote))
    throw new ReleaseError(
      `The remote \`origin\` is ${remote}, which nobody else can open. Use an address that begins with https:// or git@.`,
    )
  return `git+${secure(remote).replace(/(?:\.git)?\/?$/, ".git")}`
}
