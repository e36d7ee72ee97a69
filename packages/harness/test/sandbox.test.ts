import { describe, expect, it } from "vitest"
import { wrap } from "../src/permissions/index.js"
import { tryBubblewrap } from "../src/permissions/sandbox.js"

const at = (argv: readonly string[], ...part: readonly string[]) =>
  argv.findIndex((_, index) => part.every((text, offset) => argv[index + offset] === text))

describe("the sandbox's command line", () => {
  const argv = wrap("ls 'a b'; pwd", { cwd: "/home/me/work", writable: ["/home/me/out"] })

  it("runs the command with bash, unchanged, in the workspace", () => {
    expect(argv[0]).toBe("bwrap")
    expect(argv.slice(-4)).toEqual(["--", "bash", "-c", "ls 'a b'; pwd"])
    expect(at(argv, "--chdir", "/home/me/work")).toBeGreaterThan(0)
  })

  it("shows the file system read-only, with what is private or writable on top of it", () => {
    const root = at(argv, "--ro-bind", "/", "/")
    expect(root).toBe(1)
    for (const over of [
      ["--dev", "/dev"],
      ["--proc", "/proc"],
      ["--tmpfs", "/tmp"],
      ["--tmpfs", "/run"],
      ["--bind", "/home/me/out", "/home/me/out"],
    ])
      expect(at(argv, ...over)).toBeGreaterThan(root)
    expect(argv.filter((text) => text === "--bind")).toHaveLength(1)
  })

  it("has no network unless asked, and dies with us", () => {
    expect(argv).toContain("--unshare-all")
    expect(argv).not.toContain("--share-net")
    expect(argv).toContain("--die-with-parent")
    expect(argv).toContain("--new-session")
    expect(wrap("x", { cwd: "/", network: true })).toContain("--share-net")
  })

  it("shows a workspace that lies under /tmp, read-only, after hiding the rest", () => {
    const inTmp = wrap("x", { cwd: "/tmp/work" })
    expect(at(inTmp, "--ro-bind", "/tmp/work", "/tmp/work")).toBeGreaterThan(at(inTmp, "--tmpfs", "/tmp"))
    expect(at(argv, "--ro-bind", "/home/me/work", "/home/me/work")).toBe(-1)
  })
})

describe("a sandbox that is not there or does not work", () => {
  it.each(["/not/there/bwrap", "false"])("%s", async (program) => {
    expect(await tryBubblewrap(program)).toBeUndefined()
  })
})
