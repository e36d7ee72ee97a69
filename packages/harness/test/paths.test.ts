import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises"
import { homedir, tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { ToolError } from "../src/platform/text/errors.js"
import { locate } from "../src/platform/workspace/location.js"

let base = ""
let cwd = ""
let outer = ""

beforeAll(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), "sotto-paths-")))
  cwd = join(base, "work")
  outer = join(base, "outer")
  await mkdir(join(cwd, "src", "deep"), { recursive: true })
  await mkdir(join(outer, "folder"), { recursive: true })
  await writeFile(join(cwd, "src", "a.ts"), "")
  await writeFile(join(outer, "secret"), "")
  await symlink(join(cwd, "src"), join(cwd, "inner-link"))
  await symlink(join(outer, "folder"), join(cwd, "outer-link"))
  await symlink("../outer/secret", join(cwd, "secret-link"))
  await symlink(join(outer, "not-there"), join(cwd, "dangling"))
  await symlink("circle", join(cwd, "circle"))
  await symlink(cwd, join(base, "work-link"))
  await symlink("outer-link", join(cwd, "chain"))
})
afterAll(() => rm(base, { recursive: true, force: true }))

describe("a path is inside the workspace", () => {
  it.each([
    ["src/a.ts", "src/a.ts"],
    ["./src//a.ts", "src/a.ts"],
    [".", "."],
    ["src/..", "."],
    ["new/file.ts", "new/file.ts"],
    ["src/../new", "new"],
    ["not-there/../../work/x", "x"],
    ["inner-link/a.ts", "src/a.ts"],
    ["inner-link/../x", "x"],
    ["..a", "..a"],
    ["~x", "~x"],
    ["ünï 🙂", "ünï 🙂"],
  ])("%s", async (input, relative) => {
    expect(await locate(input, cwd)).toEqual({ path: join(cwd, relative), relative, inside: true })
  })

  it("also through its absolute path, or through a link to the workspace", async () => {
    expect(await locate(join(cwd, "src"), cwd)).toMatchObject({ inside: true, relative: "src" })
    expect(await locate(join(base, "work-link", "src"), cwd)).toMatchObject({ inside: true, relative: "src" })
    expect(await locate("src", join(base, "work-link"))).toMatchObject({
      inside: true,
      path: join(cwd, "src"),
    })
  })
})

describe("a path is outside the workspace", () => {
  it.each([
    ["..", ""],
    ["../outer/secret", "outer/secret"],
    ["src/../../outer", "outer"],
    ["outer-link", "outer/folder"],
    ["outer-link/x/y", "outer/folder/x/y"],
    ["outer-link/../secret", "outer/secret"],
    ["secret-link", "outer/secret"],
    ["dangling", "outer/not-there"],
    ["chain/x", "outer/folder/x"],
    ["../work-sibling", "work-sibling"],
  ])("%s", async (input, below) => {
    const path = join(base, below).replace(/\/$/, "")
    expect(await locate(input, cwd)).toEqual({ path, relative: path, inside: false })
  })

  it("in the home folder", async () => {
    const home = await realpath(homedir())
    expect(await locate("~", cwd)).toMatchObject({ path: home, inside: false })
    expect((await locate("~/not-there-x", cwd)).path).toBe(join(home, "not-there-x"))
  })
})

describe("a path that leads nowhere", () => {
  it("is refused with a NUL byte", async () => {
    await expect(locate("a\0b", cwd)).rejects.toThrow(ToolError)
  })

  it("is refused when its links go in a circle", async () => {
    await expect(locate("circle/x", cwd)).rejects.toThrow(/too many symbolic links/)
  })
})
