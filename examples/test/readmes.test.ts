import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"

const examples = fileURLToPath(new URL("../", import.meta.url))
const page = readFileSync(`${examples}/../docs/integrations.md`, "utf8")
const folders = readdirSync(examples, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)
  .filter((name) => !["dist", "forty-lines", "node_modules", "test", "loop", "run"].includes(name))

describe.each(folders)("examples/%s", (folder) => {
  const readme = readFileSync(`${examples}/${folder}/README.md`, "utf8")
  const [, file = "", lines = ""] = /\[(\w+\.ts)\]\(\1\) has (\d+) lines/.exec(readme) ?? []
  const source = readFileSync(`${examples}/${folder}/${file}`, "utf8")

  it("says how much code it took", () => {
    expect(Number(lines)).toBe(source.trimEnd().split("\n").length)
    expect(page).toContain(`examples/${folder}/README.md`)
    const row = page.split("\n").find((line) => line.includes(`examples/${folder}/README.md`))
    expect(row).toMatch(new RegExp(`\\| ${lines} \\|$`))
  })

  it("says how to run it, what is gained and what cannot be had", () => {
    for (const part of ["```sh", "**What is gained.**", "**What cannot be had here.**"])
      expect(readme).toContain(part)
  })

  it("imports nothing but Sotto's core, Node and packages of others", () => {
    const imported = [...source.matchAll(/ from "([^"]+)"/g)].map(([, name = ""]) => name)
    expect(imported.filter((name) => name.startsWith("."))).toEqual([])
    expect(imported.filter((name) => name.startsWith("@sotto/") && !name.startsWith("@sotto/core"))).toEqual(
      [],
    )
  })

  it("has no type that lets everything pass", () => {
    expect(source).not.toMatch(/: any\b|<any\b|as any\b|as unknown as|@ts-|biome-ignore/)
  })
})

it("the page names every integration, and no other", () => {
  expect(folders).toHaveLength(8)
  const named = [...page.matchAll(/\.\.\/examples\/([\w-]+)\/README\.md/g)].map(([, name]) => name)
  expect(new Set(named)).toEqual(new Set(folders))
})
