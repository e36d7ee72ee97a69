import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { listField, splitFront } from "../src/settings/config/loose-front-matter.js"
import { loadSkills, type SkillShelf } from "../src/sources/skills/shelf.js"
import { readSkill, type Skill } from "../src/sources/skills/skills.js"
import { topicsOf } from "../src/sources/skills/topics.js"

let root: string
let shelf: SkillShelf

beforeEach(async () => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "sotto-skills-")))
  mkdirSync(join(root, ".git"))
  put("one/SKILL.md", "---\ndescription: first\n---\nOne.")
  shelf = await loadSkills({ cwd: root, env: { HOME: join(root, "home"), SOTTO_HOME: join(root, "own") } })
})

afterEach(() => rmSync(root, { recursive: true }))

function put(path: string, content: string): string {
  const file = join(root, ".sotto/skills", path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
  return file
}

const names = () => shelf.skills.map(({ name }) => name)

describe("the shelf", () => {
  it("notices skills that come, change and go", async () => {
    mkdirSync(join(root, ".sotto/skills/two"))
    expect(shelf.hasChanged()).toBe(true)
    await shelf.read()
    expect(names()).toEqual(["one"])
    put("two/SKILL.md", "---\ndescription: second\n---\nTwo.")
    expect(shelf.hasChanged()).toBe(true)
    await shelf.read()
    expect(names()).toEqual(["one", "two"])
    put("one/SKILL.md", "---\nname: uno\ndescription: first\n---\nOne.")
    expect(shelf.hasChanged()).toBe(true)
    await shelf.read()
    expect(names()).toEqual(["two", "uno"])
    rmSync(join(root, ".sotto/skills/two"), { recursive: true })
    expect(shelf.hasChanged()).toBe(true)
    await shelf.read()
    expect(names()).toEqual(["uno"])
  })

  it("says of a skill which files come with it", async () => {
    const script = put("one/scripts/run.py", "print()")
    const reference = put("one/reference.md", "More.")
    put("one/.cache/x", "hidden")
    const found = await readSkill(shelf, "one")
    expect(found?.content.split("\n")).toEqual([
      ...["One.", "", "Files of this skill, to read or run as it says:", reference, script],
    ])
  })
})

describe("front matter", () => {
  it("has lists in every form that people write", () => {
    const front = (text: string) => splitFront(`---\n${text}\n---\n`).front
    const expected = ["src/**/*.{ts,tsx}", "b c"]
    expect(listField(front('paths: ["src/**/*.{ts,tsx}", b c]'), "paths")).toEqual(expected)
    expect(listField(front("paths: src/**/*.{ts,tsx}, b c"), "paths")).toEqual(expected)
    expect(listField(front("paths:\n  - src/**/*.{ts,tsx}\n  - 'b c'\nname: x"), "paths")).toEqual(expected)
    expect(listField(front("paths:\n- src/**/*.{ts,tsx}\n- b c\nname: x"), "paths")).toEqual(expected)
    expect(listField(front("name: x"), "paths")).toEqual([])
  })
})

describe("what a skill is about", () => {
  const skill = (more: Partial<Skill>) =>
    topicsOf({ name: "db", description: "", path: "", paths: [], topics: [], ...more })

  it("is told from paths: its own, and the kinds of file that its description names", () => {
    const migrations = skill({ paths: ["migrations/**", "*.sql", "../bad", "["] })
    expect(migrations.hasPath("migrations/2026/a.py")).toBe(true)
    expect(migrations.hasPath("deep/down/x.sql")).toBe(true)
    expect(migrations.hasPath("src/a.py")).toBe(false)
    const sheets = skill({ description: "Reads .xlsx and *.csv files. Made with Node.js, e.g. by hand." })
    expect(["a/b.xlsx", "c.csv", "d.js", "e.g"].map((path) => sheets.hasPath(path))).toEqual([
      ...[true, true, false, false],
    ])
  })

  it("is told from the words of a call: its topics and its name", () => {
    const docker = skill({ name: "code-review", topics: ["docker", "C++"] })
    expect(docker.hasWord({ command: "docker build ." })).toBe(true)
    expect(docker.hasWord({ command: "make code_review" })).toBe(true)
    expect(docker.hasWord({ pattern: "uses C++ here" })).toBe(true)
    expect(docker.hasWord({ command: "dockerize" })).toBe(false)
    expect(docker.hasWord({ path: "a.ts", content: `${"x".repeat(2_000)} docker` })).toBe(false)
    expect(skill({}).hasWord({ command: "db migrate" })).toBe(false)
  })
})
