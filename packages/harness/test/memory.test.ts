import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { Memories } from "../src/sources/memory/memories.js"
import { stemOf, wordsOf } from "../src/sources/memory/words.js"

let root: string
let memories: Memories

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "sotto-memory-")))
  const cwd = join(root, "project")
  mkdirSync(join(cwd, ".git"), { recursive: true })
  memories = new Memories({
    cwd,
    trusted: true,
    env: { HOME: join(root, "home"), SOTTO_HOME: join(root, "own") },
  })
})

afterEach(() => rmSync(root, { recursive: true }))

function put(path: string, content: string): string {
  const file = join(root, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
  return file
}

const about = async (text: string, known: readonly string[] = []) =>
  (await memories.about(text, new Set(known))).map(({ id }) => id)

describe("memories", () => {
  beforeEach(() => {
    put(
      "project/.sotto/memory/deploy.md",
      "---\nname: Deployment\n---\nStaging needs the VPN. Ask Ana for a token.",
    )
    put(
      "project/.sotto/memory/tests.md",
      "# Flaky suites\nThe payment suite fails when the clock is not UTC.",
    )
    put(
      "own/memory/style.md",
      "---\ndescription: How I like commits\ntags: [git, commits]\n---\nShort subjects.",
    )
    put("project/.sotto/memory/empty.md", "---\nname: Deployment\n---\n")
  })

  it("are found by title, tags, file name and content, the user's own too", async () => {
    expect(await about("Please get the deployment out.")).toEqual([".sotto/memory/deploy.md"])
    expect(await about("Write the commit.")).toEqual([join(root, "own/memory/style.md")])
    expect(await about("Why does the payment test run fail on my clock?")).toEqual([".sotto/memory/tests.md"])
    expect((await memories.about("deployment", new Set()))[0]).toMatchObject({
      title: "Deployment",
      content: "Staging needs the VPN. Ask Ana for a token.",
    })
  })

  it("are left alone by what has next to nothing to do with them", async () => {
    expect(await about("Rename the variable in the parser.")).toEqual([])
    expect(await about("When is the token read?")).toEqual([])
    expect(await about("Please do this and that with the thing, as you said you would.")).toEqual([])
    expect(await about("")).toEqual([])
    const long = Array.from({ length: 120 }, (_, i) => `subject${i}`).join(" ")
    expect(await about(`staging ana ${long}`)).toEqual([])
  })

  it("are not found again once known, and three at a time", async () => {
    expect(await about("deployment", [".sotto/memory/deploy.md"])).toEqual([])
    for (let i = 0; i < 6; i++) put(`project/.sotto/memory/walrus-${i}.md`, `Walrus number ${i}.`)
    expect(await about("Feed the walrus.")).toHaveLength(3)
  })

  it("are what the files say at the moment", async () => {
    const file = put("project/.sotto/memory/new.md", "# Walrus\nFeed it at noon.")
    expect(await about("walrus")).toEqual([".sotto/memory/new.md"])
    writeFileSync(file, "# Penguin\nFeed it in the evening.")
    expect(await about("walrus")).toEqual([])
    expect(await about("penguin")).toEqual([".sotto/memory/new.md"])
    rmSync(file)
    expect(await about("penguin")).toEqual([])
  })

  it("are found in scripts without spaces", async () => {
    put("project/.sotto/memory/zh.md", "# 部署流程\n先运行测试,再部署到生产环境。")
    expect(await about("请部署到生产环境")).toEqual([".sotto/memory/zh.md"])
  })
})

describe("words", () => {
  it("of identifiers count whole and in parts", () => {
    expect(wordsOf("fix parseRequest in http_server")).toEqual([
      ...["fix", "parseRequest", "parse", "Request", "in", "http_server", "http", "server"],
    ])
  })

  it("are compared without case and common endings", () => {
    expect(["Commits", "commit", "testing", "Tests", "test"].map(stemOf)).toEqual([
      ...["commit", "commit", "test", "test", "test"],
    ])
    expect(["the", "a", "42", "please"].map(stemOf)).toEqual([undefined, undefined, undefined, undefined])
  })
})
