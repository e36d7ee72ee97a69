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
import { bubblewrapArguments, bubblewraps } from "../src/permissions/sandbox/bubblewrap.js"
import { confine } from "../src/permissions/sandbox/confine.js"
import { firstThatHolds } from "../src/permissions/sandbox/find.js"
import type { Confinement, Sandbox } from "../src/permissions/sandbox/sandbox.js"
import { seatbeltProfile } from "../src/permissions/sandbox/seatbelt.js"

const at = (argv: readonly string[], ...part: readonly string[]) =>
  argv.findIndex((_, index) => part.every((text, offset) => argv[index + offset] === text))

const plain: Confinement = {
  cwd: "/home/me/work",
  reach: "read-only",
  network: false,
  temporary: ["/tmp", "/run"],
  hidden: ["/home/me/.ssh", "/home/me/.netrc"],
  shown: [],
  kept: [],
  barred: [],
  pinned: [],
}
const isFolder = (path: string) => !path.endsWith("rc")
const argumentsOf = (more: Partial<Confinement> = {}) => bubblewrapArguments({ ...plain, ...more }, isFolder)

describe("the command line of bubblewrap", () => {
  it("runs the command with bash, unchanged, in the workspace", () => {
    const [sandbox] = bubblewraps("/usr/bin/bwrap", isFolder)
    const argv = sandbox?.wrap("ls 'a b'; pwd", plain) ?? []
    expect(argv[0]).toBe("/usr/bin/bwrap")
    expect(argv.slice(-4)).toEqual(["--", "bash", "-c", "ls 'a b'; pwd"])
    expect(at(argv, "--chdir", "/home/me/work")).toBeGreaterThan(0)
  })

  it("shows the file system read-only, with what is private or hidden on top of it", () => {
    const argv = argumentsOf()
    const root = at(argv, "--ro-bind", "/", "/")
    expect(root).toBe(0)
    for (const over of [
      ["--dev", "/dev"],
      ["--proc", "/proc"],
      ["--tmpfs", "/tmp"],
      ["--tmpfs", "/run"],
      ["--tmpfs", "/home/me/.ssh"],
      ["--remount-ro", "/home/me/.ssh"],
      ["--dev-bind", "/dev/null", "/home/me/.netrc"],
    ])
      expect(at(argv, ...over), over.join(" ")).toBeGreaterThan(root)
    expect(argv).not.toContain("--bind")
  })

  it("has no capabilities, no network unless allowed, and dies with us", () => {
    const argv = argumentsOf()
    expect(at(argv, "--cap-drop", "ALL")).toBeGreaterThan(0)
    for (const flag of ["--unshare-all", "--die-with-parent", "--new-session"]) expect(argv).toContain(flag)
    expect(argv).not.toContain("--share-net")
    expect(argumentsOf({ network: true })).toContain("--share-net")
  })

  it("shows a workspace that lies under /tmp or in a hidden folder, and hides what is secret in it", () => {
    const inTmp = argumentsOf({ cwd: "/tmp/work", hidden: ["/tmp/work/home", "/tmp/other/.ssh"] })
    const shown = at(inTmp, "--ro-bind", "/tmp/work", "/tmp/work")
    expect(shown).toBeGreaterThan(at(inTmp, "--tmpfs", "/tmp"))
    expect(at(inTmp, "--tmpfs", "/tmp/work/home")).toBeGreaterThan(shown)
    expect(inTmp).not.toContain("/tmp/other/.ssh")
    const inHidden = argumentsOf({ cwd: "/home/me/.ssh/work" })
    expect(at(inHidden, "--ro-bind", "/home/me/.ssh/work")).toBeGreaterThan(
      at(inHidden, "--tmpfs", "/home/me/.ssh"),
    )
    expect(argumentsOf()).not.toContain("/home/me/work/.ssh")
  })

  it("makes the workspace writable without what starts programs later", () => {
    const argv = argumentsOf({
      reach: "workspace",
      kept: ["/home/me/work/.git/hooks", "/home/me/work/sotto.json"],
      pinned: ["/home/me/work/.git"],
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
  const confined = (cwd = "work", reach: Confinement["reach"] = "read-only") =>
    confine(
      { cwd: join(root, cwd), env: { HOME: join(root, "home"), SOTTO_HOME: join(root, "store") } },
      { reach, network: false },
    )

  it("hides the store and keys, where they really are, and only what there is", () => {
    const { hidden } = confined()
    for (const path of ["store", "home/.ssh", "home/.aws", "home/.netrc", "elsewhere"])
      expect(hidden).toContain(join(root, path))
    for (const path of ["home/.gnupg", "home/.npmrc", "home/.kube", "nowhere"])
      expect(hidden).not.toContain(join(root, path))
  })

  it("keeps what starts programs later, if the workspace may be written", () => {
    const { kept, barred, pinned } = confined("work", "workspace")
    expect(barred).toEqual([join(root, "work/.git/modules")])
    expect(kept).toEqual([".git/hooks", ".git/config", "sotto.json"].map((path) => join(root, "work", path)))
    expect(pinned).toEqual([join(root, "work/.git")])
    expect(confined().kept).toEqual([])
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
    expect(profile()).toContain(
      '(deny file-read* file-write*\n  (subpath "/tmp")\n  (subpath "/run")\n  (subpath "/home/me/.ssh")',
    )
    expect(profile({ network: true })).not.toContain("(deny network*)")
  })

  it("allows writing in the workspace only, and not what is kept there", () => {
    const text = profile({ reach: "workspace", kept: ["/home/me/work/.git/hooks"] })
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
    const text = profile({ cwd: path, hidden: [path.replace("/a", "/c")] })
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
    ["is not there", fake(() => ["/not/there/bwrap"])],
    ["fails", fake(() => ["false"])],
    ["succeeds without running anything", fake(() => ["true"])],
    ["only runs the command", fake((command) => ["bash", "-c", command])],
    ["says that it worked and runs the command", fake((command) => ["bash", "-c", `cd hidden; ${command}`])],
  ])("not one that %s", async (_, sandbox) => {
    expect(await firstThatHolds([sandbox])).toBeUndefined()
  })

  it("and trying one that confines nothing leaves no file in the user's folder", async () => {
    const before = readdirSync(".")
    await firstThatHolds([fake((command) => ["bash", "-c", command])])
    expect(readdirSync(".")).toEqual(before)
  })
})
