import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { bubblewrapArguments, bubblewraps } from "../src/execution/permissions/sandbox/bubblewrap.js"
import { type ConfineOptions, confine } from "../src/execution/permissions/sandbox/confine.js"
import { firstThatHolds } from "../src/execution/permissions/sandbox/find.js"
import { type Confinement, isVisible, type Sandbox } from "../src/execution/permissions/sandbox/sandbox.js"
import { seatbeltProfile } from "../src/execution/permissions/sandbox/seatbelt.js"
import { isInside } from "../src/platform/workspace/location.js"

const at = (argv: readonly string[], ...part: readonly string[]) =>
  argv.findIndex((_, index) => part.every((text, offset) => argv[index + offset] === text))

const plain: Confinement = {
  cwd: "/home/me/work",
  reach: "read-only",
  network: false,
  everything: false,
  links: [["/bin", "usr/bin"]],
  empty: ["/home/me"],
  temporary: ["/tmp", "/run"],
  shown: ["/usr", "/usr/share/of-a-tool", "/home/me/.cargo", "/home/me/work"],
  writable: [],
  kept: [],
  hidden: ["/home/me/.cargo/keys", "/home/me/.cargo/.netrc"],
}
const isFolder = (path: string) => !path.endsWith("rc")
const argumentsOf = (more: Partial<Confinement> = {}) =>
  bubblewrapArguments({ ...plain, ...more }, true, isFolder)

describe("the command line of bubblewrap", () => {
  it("runs the command with bash, unchanged, in the workspace", () => {
    const [sandbox] = bubblewraps("/usr/bin/bwrap", "/usr/bin/bash")
    const { argv = [], filter } = sandbox?.wrap("ls 'a b'; pwd", plain) ?? {}
    expect(argv[0]).toBe("/usr/bin/bwrap")
    expect(argv.slice(-3)).toEqual(["/usr/bin/bash", "-c", "ls 'a b'; pwd"])
    expect(filter?.length ?? 0).toBeGreaterThan(100)
    expect(argv.find((text) => text.includes("ulimit"))).toMatch(/ulimit -d .*-f .*-t .*-u .*exec "\$@"$/)
    expect(at(argv, "--chdir", "/home/me/work")).toBeGreaterThan(0)
  })

  it("shows nothing but what is listed, outer folders first, with what is hidden on top", () => {
    const argv = argumentsOf()
    const order = [
      ["--symlink", "usr/bin", "/bin"],
      ["--tmpfs", "/tmp"],
      ["--ro-bind", "/home/me/.cargo", "/home/me/.cargo"],
      ["--tmpfs", "/home/me/.cargo/keys"],
      ["--dev-bind", "/dev/null", "/home/me/.cargo/.netrc"],
      ["--dir", "/home/me"],
      ["--remount-ro", "/home/me/.cargo/keys"],
      ["--remount-ro", "/"],
    ]
    const places = order.map((one) => at(argv, ...one))
    expect(places).not.toContain(-1)
    expect(places).toEqual(places.toSorted((one, other) => one - other))
    expect(at(argv, "--ro-bind", "/", "/")).toBe(-1)
    expect(argv).not.toContain("--bind")
    // What lies in a folder that is shown is there already.
    expect(argv).not.toContain("/usr/share/of-a-tool")
  })

  it("shows the whole file system where the rules allow to read it", () => {
    const argv = argumentsOf({ everything: true, temporary: ["/tmp"] })
    expect(at(argv, "--ro-bind", "/", "/")).toBe(0)
    expect(at(argv, "--remount-ro", "/")).toBe(-1)
    expect(at(argv, "--tmpfs", "/home/me/.cargo/keys")).toBeGreaterThan(0)
  })

  it("has no capabilities, no network unless allowed, and dies with us", () => {
    const argv = argumentsOf()
    expect(at(argv, "--cap-drop", "ALL")).toBeGreaterThan(0)
    for (const flag of ["--unshare-all", "--die-with-parent", "--new-session"]) expect(argv).toContain(flag)
    expect(argv).not.toContain("--share-net")
    expect(argumentsOf({ network: true })).toContain("--share-net")
  })

  it("makes the workspace writable without what starts programs later", () => {
    const argv = argumentsOf({
      reach: "workspace",
      writable: ["/home/me/work", "/home/me/work/.git"],
      kept: ["/home/me/work/.git/hooks", "/home/me/work/sotto.json"],
    })
    const [cwd, git, hooks] = [
      at(argv, "--bind", "/home/me/work", "/home/me/work"),
      at(argv, "--bind", "/home/me/work/.git", "/home/me/work/.git"),
      at(argv, "--ro-bind", "/home/me/work/.git/hooks"),
    ]
    expect(cwd).toBeGreaterThan(0)
    expect(git).toBeGreaterThan(cwd)
    expect(hooks).toBeGreaterThan(git)
    expect(argv.filter((text) => text === "--bind")).toHaveLength(2)
  })
})

describe("a confinement", () => {
  let root = ""
  beforeAll(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), "sotto-confine-")))
    for (const folder of ["work/.git/hooks", "home/.ssh", "home/.aws", "elsewhere", "store/output"])
      mkdirSync(join(root, folder), { recursive: true })
    writeFileSync(join(root, "work/.git/config"), "")
    writeFileSync(join(root, "work/sotto.json"), "{}")
    writeFileSync(join(root, "home/.netrc"), "")
    symlinkSync(join(root, "elsewhere"), join(root, "home/.gnupg"))
    symlinkSync("nowhere", join(root, "home/.npmrc"))
  })
  afterAll(() => rmSync(root, { recursive: true }))
  const confined = (cwd = "work", more: Partial<ConfineOptions> = {}) =>
    confine(
      {
        cwd: join(root, cwd),
        env: { HOME: join(root, "home"), SOTTO_HOME: join(root, "store"), PATH: "/usr/bin" },
      },
      { reach: "read-only", network: false, ...more },
    )
  const sees = (path: string, view: Confinement) =>
    isVisible(join(root, path), view) && !view.hidden.some((one) => isInside(join(root, path), one))

  it("shows the workspace, and nothing of the home folder but what toolchains need", () => {
    mkdirSync(join(root, "home/.cargo/registry"), { recursive: true })
    writeFileSync(join(root, "home/.cargo/credentials"), "")
    const view = confined()
    expect(sees("work/sotto.json", view)).toBe(true)
    expect(sees("home/.cargo/registry", view)).toBe(true)
    for (const path of ["home/.ssh", "home/.netrc", "store", "elsewhere", "home/.cargo/credentials"])
      expect(sees(path, view), path).toBe(false)
  })

  it("shows what the rules allow outside, but of secrets only what is named", () => {
    expect(sees("elsewhere/x", confined("work", { outside: [join(root, "elsewhere")] }))).toBe(true)
    const home = confined("work", { outside: [join(root, "home")] })
    expect(sees("home/notes", home)).toBe(true)
    expect(sees("home/.ssh/id", home)).toBe(false)
    expect(sees("home/.netrc", confined("work", { outside: [join(root, "home/.netrc")] }))).toBe(true)
    expect(sees("store", confined("work", { outside: [join(root, "store")] }))).toBe(false)
    const all = confined("work", { everything: true })
    expect(isVisible("/srv/data", all)).toBe(true)
    for (const path of ["home/.ssh", "home/.netrc", "store", "elsewhere"])
      expect(sees(path, all), path).toBe(false)
  })

  it("hides settings of git that hold a token", () => {
    writeFileSync(join(root, "home/.gitconfig"), "[user]\n\tname = Me\n")
    expect(sees("home/.gitconfig", confined())).toBe(true)
    writeFileSync(join(root, "home/.gitconfig"), "[http]\n\textraHeader = Authorization: x\n")
    expect(sees("home/.gitconfig", confined())).toBe(false)
    rmSync(join(root, "home/.gitconfig"))
  })

  it("keeps the repository and what starts programs later, if the workspace may be written", () => {
    const below = (names: readonly string[]) => names.map((path) => join(root, "work", path))
    const { kept, writable } = confined("work", { reach: "workspace" })
    expect(kept).toEqual(below([".git", "sotto.json"]))
    expect(writable).toEqual(below([""]).map((path) => path.replace(/\/$/, "")))
    const commit = confined("work", { reach: "workspace", commits: true })
    expect(commit.kept).toEqual(below([".git/hooks", ".git/config", "sotto.json"]))
    expect(commit.writable).toContain(join(root, "work/.git"))
    expect(confined().kept).toEqual([])
  })

  it("shows the files of a repository around the workspace only to a command that is understood", () => {
    mkdirSync(join(root, "work/packages/a"), { recursive: true })
    mkdirSync(join(root, "work/node_modules"), { recursive: true })
    const [known, unknown] = [true, false].map((seesRepository) =>
      confined("work/packages/a", { seesRepository }),
    )
    if (known === undefined || unknown === undefined) throw new Error("unreachable")
    expect(sees("work/sotto.json", known)).toBe(true)
    expect(sees("work/sotto.json", unknown)).toBe(false)
    for (const path of ["work/.git/config", "work/node_modules"]) expect(sees(path, unknown), path).toBe(true)
  })

  it("shows the git folders of a linked worktree, but nothing secret that a repository names as one", () => {
    mkdirSync(join(root, "tree"))
    mkdirSync(join(root, "work/.git/worktrees/tree"), { recursive: true })
    writeFileSync(join(root, "work/.git/HEAD"), "")
    writeFileSync(join(root, "work/.git/worktrees/tree/HEAD"), "")
    writeFileSync(join(root, "work/.git/worktrees/tree/commondir"), "../..\n")
    writeFileSync(join(root, "tree/.git"), `gitdir: ${join(root, "work/.git/worktrees/tree")}\n`)
    const { shown } = confined("tree")
    expect(shown).toContain(join(root, "work/.git"))
    writeFileSync(join(root, "home/.ssh/HEAD"), "")
    writeFileSync(join(root, "tree/.git"), `gitdir: ${join(root, "home/.ssh")}\n`)
    expect(confined("tree").shown).not.toContain(join(root, "home/.ssh"))
    writeFileSync(join(root, "tree/.git"), "gitdir: /\n")
    expect(confined("tree").shown).not.toContain("/")
  })
})

describe("the profile for macOS", () => {
  const profile = (more: Partial<Confinement> = {}) =>
    seatbeltProfile({ ...plain, ...more }, "/private/scratch")

  it("denies writing, the network and what is hidden", () => {
    expect(profile()).toContain("(deny file-write*)")
    expect(profile()).toContain("(deny network*)")
    expect(profile()).toContain("(deny file-read-data)")
    expect(profile({ everything: true })).not.toContain("(deny file-read-data)")
    expect(profile()).toContain('(deny file-read* file-write*\n  (subpath "/tmp")\n  (subpath "/run")')
    expect(profile()).toContain('(deny file-read* file-write*\n  (subpath "/home/me/.cargo/keys")')
    expect(profile({ network: true })).not.toContain("(deny network*)")
  })

  it("allows writing in the workspace only, and not what is kept there", () => {
    const text = profile({
      reach: "workspace",
      writable: ["/home/me/work"],
      kept: ["/home/me/work/.git/hooks"],
    })
    const allowed = text.indexOf('(allow file-read* file-write*\n  (subpath "/home/me/work")\n)')
    expect(allowed).toBeGreaterThan(0)
    expect(text.indexOf('(deny file-write*\n  (subpath "/home/me/work/.git/hooks")\n)')).toBeGreaterThan(
      allowed,
    )
    expect(profile().split("(allow file-read* file-write*")).toHaveLength(2)
    expect(profile()).toContain('(allow file-read* file-write*\n  (subpath "/private/scratch")\n)')
  })

  it("hides what is secret inside the workspace after showing the workspace", () => {
    const text = profile({ hidden: ["/home/me/work/.env"] })
    expect(text.indexOf('"/home/me/work/.env"')).toBeGreaterThan(text.indexOf('"/home/me/work")'))
  })

  it("cannot be left by a quote, a backslash or a parenthesis in a path", () => {
    const path = '/a"))\n(allow default)\\"(b'
    const text = profile({ shown: [path], hidden: [path.replace("/a", "/c")] })
    expect(text).toContain('(subpath "/a\\"))\n(allow default)\\\\\\"(b")')
    // Without its strings, the profile has no rule that allows more, and its parentheses match.
    const bare = text.replace(/"(?:[^"\\]|\\.)*"/gs, "s")
    expect(bare.match(/\(allow default\)/g)).toHaveLength(1)
    expect(bare.split("(")).toHaveLength(bare.split(")").length)
  })
})

describe("a sandbox counts only if it keeps what it promises", () => {
  const fake = (wrap: Sandbox["wrap"]): Sandbox => ({ name: "fake", wrap })

  it.each([
    ["is not there", fake(() => ({ argv: ["/not/there/bwrap"] }))],
    ["fails", fake(() => ({ argv: ["false"] }))],
    ["succeeds without running anything", fake(() => ({ argv: ["true"] }))],
    ["only runs the command", fake((command) => ({ argv: ["bash", "-c", command] }))],
    [
      "says that it worked and runs the command",
      fake((command) => ({ argv: ["bash", "-c", `cd hidden; ${command}`] })),
    ],
  ])("not one that %s", async (_, sandbox) => {
    expect(await firstThatHolds([sandbox])).toBeUndefined()
  })

  it("and trying one that confines nothing leaves no file in the user's folder", async () => {
    const before = readdirSync(".")
    await firstThatHolds([fake((command) => ({ argv: ["bash", "-c", command] }))])
    expect(readdirSync(".")).toEqual(before)
  })
})
