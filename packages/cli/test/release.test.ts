import { execFile, execFileSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it, onTestFinished } from "vitest"

const SCRIPT = fileURLToPath(new URL("../../../scripts/release.mjs", import.meta.url))

/** Packs as the repository's own test of packages does, and leaves a mark that it ran. */
const TEST_PACKAGES = `
import { execFileSync } from "node:child_process"
const to = process.argv[process.argv.indexOf("--packs") + 1]
for (const name of ["engine", "command"]) execFileSync("npm", ["pack", "--pack-destination", to], { cwd: "packages/" + name })
console.log("packs tested")
if (process.env.BREAK === "packs") process.exit(1)
`

const CHANGELOG = "# Changelog\n\n## Unreleased\n\n- It whistles.\n\n## 1.2.3\n\n- It sings.\n"

/** A repository with two packages, of which the command needs the engine. */
function repository({ changelog = CHANGELOG, origin = "git@git.example:band/flute.git" } = {}) {
  const root = mkdtempSync(join(tmpdir(), "sotto-release-test-"))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const write = (path: string, content: string | object) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), typeof content === "string" ? content : JSON.stringify(content, null, 2))
  }
  const git = (...args: string[]) => execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim()
  write("package.json", {
    name: "band",
    version: "1.2.3",
    private: true,
    workspaces: ["packages/*"],
    scripts: { build: "node -e 0", "test:packages": "node test-packages.mjs" },
  })
  write("test-packages.mjs", TEST_PACKAGES)
  write(".gitignore", "node_modules\n")
  write("CHANGELOG.md", changelog)
  write("packages/command/package.json", {
    name: "flute",
    version: "1.2.3",
    dependencies: { "@flute/engine": "^1.2.3" },
  })
  write("packages/engine/package.json", { name: "@flute/engine", version: "1.2.3" })
  git("init", "--quiet", "--initial-branch", "main")
  git("config", "user.name", "Piper")
  git("config", "user.email", "piper@flute.example")
  if (origin !== "") git("remote", "add", "origin", origin)
  git("add", "--all")
  git("commit", "--quiet", "--message", "Begin")
  const manifest = (name: string) =>
    JSON.parse(readFileSync(join(root, "packages", name, "package.json"), "utf8"))
  return { root, write, git, manifest }
}

interface Ended {
  readonly code: number
  readonly said: string
}

function release(
  root: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  return new Promise((resolve) =>
    execFile(
      process.execPath,
      [SCRIPT, ...args],
      { cwd: root, env: { ...process.env, ...env } },
      (error, out, err) => resolve({ code: error === null ? 0 : Number(error.code), said: out + err }),
    ),
  )
}

/** A registry that takes what is published. */
async function registry(root: string, isTaken: (name: string) => boolean = () => false) {
  const published: { readonly name: string; readonly version: string; readonly repository: unknown }[] = []
  const server = createServer(async (request, response) => {
    if (request.method !== "PUT") return response.writeHead(404).end("{}")
    let text = ""
    for await (const chunk of request.setEncoding("utf8")) text += chunk
    const body = JSON.parse(text)
    const version = body["dist-tags"].latest
    if (isTaken(body.name)) return response.writeHead(409).end('{"error":"previously published"}')
    published.push({ name: body.name, version, repository: body.versions[version].repository })
    return response.writeHead(201).end("{}")
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const config = join(root, ".git", "npmrc")
  writeFileSync(config, `registry=http://127.0.0.1:${port}/\n//127.0.0.1:${port}/:_authToken=none\n`)
  const env = { NPM_CONFIG_USERCONFIG: config, npm_config_registry: `http://127.0.0.1:${port}/` }
  return { published, env }
}

describe("npm run release", () => {
  it("versions, writes the changelog, tests the packs, publishes in order, commits and tags", async () => {
    const { root, git, manifest } = repository()
    const { published, env } = await registry(root)
    const { code, said } = await release(root, ["minor"], env)
    expect(said).toContain("packs tested")
    expect(code).toBe(0)

    const url = "git+https://git.example/band/flute.git"
    expect(published).toEqual([
      {
        name: "@flute/engine",
        version: "1.3.0",
        repository: { type: "git", url, directory: "packages/engine" },
      },
      { name: "flute", version: "1.3.0", repository: { type: "git", url, directory: "packages/command" } },
    ])
    expect(manifest("command")).toMatchObject({
      version: "1.3.0",
      dependencies: { "@flute/engine": "^1.3.0" },
    })
    expect(readFileSync(join(root, "CHANGELOG.md"), "utf8")).toMatch(
      /## Unreleased\n\n## 1\.3\.0 \(\d{4}-\d\d-\d\d\)\n\n- It whistles\.\n\n## 1\.2\.3/,
    )
    expect(git("log", "-1", "--format=%s by %an")).toBe("Release 1.3.0 by Piper")
    expect(git("tag", "--points-at", "HEAD")).toBe("v1.3.0")
    expect(git("status", "--porcelain")).toBe("")
  })

  it("publishes what an earlier try left out, and nothing twice", async () => {
    const { root } = repository()
    const { published, env } = await registry(root, (name) => name === "@flute/engine")
    const { code } = await release(root, ["patch"], env)
    expect(code).toBe(0)
    expect(published.map(({ name }) => name)).toEqual(["flute"])
  })

  it("with --dry-run says what it would do, and changes and publishes nothing", async () => {
    const { root, git, write } = repository({ origin: "/srv/a-clone-of-a-folder" })
    write("notes.txt", "not committed")
    const { published, env } = await registry(root)
    const head = git("rev-parse", "HEAD")
    const { code, said } = await release(root, ["2.0.0", "--dry-run"], env)
    expect(code).toBe(0)
    expect(said).toContain("1.2.3 → 2.0.0, 2 packages (dry run)")
    expect(said).toContain("- It whistles.")
    expect(said).toMatch(/flute-engine-2\.0\.0\.tgz[\s\S]*flute-2\.0\.0\.tgz/)
    expect(published).toEqual([])
    expect(git("rev-parse", "HEAD")).toBe(head)
    expect(git("tag", "--list")).toBe("")
    expect(git("status", "--porcelain")).toBe("?? notes.txt")
  })

  it("leaves everything as it was when the packs fail their tests", async () => {
    const { root, git, manifest } = repository()
    const { published, env } = await registry(root)
    const head = git("rev-parse", "HEAD")
    const { code, said } = await release(root, ["minor"], { ...env, BREAK: "packs" })
    expect(code).toBe(1)
    expect(said).toContain("Nothing was published or changed")
    expect(published).toEqual([])
    expect(git("rev-parse", "HEAD")).toBe(head)
    expect(manifest("engine").version).toBe("1.2.3")
  })

  it.each([
    ["no version", {}, [], 2, "Usage: npm run release"],
    ["a word", {}, ["biggest"], 2, '"biggest" is no version'],
    ["an older version", {}, ["1.2.2"], 2, "1.2.2 is not newer than 1.2.3"],
    ["the same version", {}, ["1.2.3"], 2, "not newer"],
    ["an unknown option", {}, ["minor", "--hurry"], 2, "--hurry"],
    [
      "an empty changelog",
      { changelog: "## Unreleased\n\n## 1.2.3\n- x\n" },
      ["minor"],
      1,
      "Say there what changes",
    ],
    ["no place for it", { changelog: "# Changelog\n" }, ["minor"], 1, 'has no "## Unreleased"'],
    ["no remote", { origin: "" }, ["minor"], 1, "git remote add origin"],
    ["a remote on this disk", { origin: "/srv/flute" }, ["minor"], 1, "nobody else can open"],
  ] as const)("refuses %s", async (_, options, args, code, words) => {
    const { root } = repository(options)
    const ended = await release(root, args)
    expect(ended.said).toContain(words)
    expect(ended.said).not.toMatch(/^\s+at /m)
    expect(ended.code).toBe(code)
  })

  it("refuses changes that are not committed, a tag that exists, and versions that differ", async () => {
    const dirty = repository()
    dirty.write("notes.txt", "new")
    expect((await release(dirty.root, ["minor"])).said).toContain("?? notes.txt")
    const tagged = repository()
    tagged.git("tag", "v1.3.0")
    expect((await release(tagged.root, ["minor"])).said).toContain("v1.3.0 exists already")
    const mixed = repository()
    mixed.write("packages/engine/package.json", { name: "@flute/engine", version: "9.0.0" })
    mixed.git("commit", "--quiet", "--all", "--message", "Mix")
    expect((await release(mixed.root, ["minor"])).said).toContain("Make them equal")
    expect(existsSync(join(mixed.root, "node_modules"))).toBe(false)
  })
})
