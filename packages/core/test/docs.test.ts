import { parseRule } from "@sotto/core"
import { describe, expect, it } from "vitest"
import {
  blocksOf,
  compilePages,
  filesOf,
  type Page,
  programsOf,
  readPages,
  runBlock,
} from "./support/pages.js"

const pages = readPages()

describe.each(pages.map((page) => [page.path, page] as const))("%s", (path, page) => {
  const programs = programsOf(page).map((program) => [`${path}:${program.block.line}`, program] as const)
  if (programs.length > 0)
    it.concurrent.each(programs)(
      "the program at %s runs, and prints what the page says",
      async (_, { block, output }) => {
        const printed = await runBlock(page, block)
        if (output !== undefined) expect(printed).toBe(output)
      },
    )

  const rules = filesOf(page).filter((file) => file.path.includes(".sotto/reminders/"))
  if (rules.length > 0)
    it.each(rules.map((file) => [file.path, file.text] as const))("%s is a rule", (file, text) => {
      expect(parseRule(text, file).source).toBe(file)
    })

  it("marks nothing that nobody looks at", () => {
    for (const { line, marks } of page.blocks)
      expect([line, marks.filter((mark) => !/^(?:run|output|file=\S+)$/.test(mark))]).toEqual([line, []])
  })
})

it("no program of a page has an error that a reader's compiler would show", () => {
  expect(compilePages(pages)).toEqual([])
}, 60_000)

describe("what runs the examples", () => {
  const page = (markdown: string): Page => ({ path: "page.md", blocks: blocksOf(markdown) })
  const run = (markdown: string) => {
    const one = page(markdown)
    const [program] = programsOf(one)
    if (program === undefined) throw new Error("There is no program.")
    return runBlock(one, program.block)
  }

  it("finds the pages that are there", () => {
    expect(pages.map(({ path }) => path)).toContain("docs/write-a-rule.md")
  })

  it("tells marked blocks from others, and knows the line", () => {
    const blocks = blocksOf("a\n```ts\nno()\n```\n```ts run\nyes()\n```\n```text output\n1\n```\n")
    expect(blocks).toMatchObject([
      { line: 5, language: "ts", marks: ["run"], text: "yes()\n" },
      { line: 8, marks: ["output"], text: "1\n" },
    ])
  })

  it("runs a program with the page's files, as TypeScript, with the packages by name", async () => {
    const printed = await run(
      '```ts file=lib/twice.ts\nexport const twice = (n: number) => 2 * n\n```\n```ts run\nimport { estimateTokens } from "@sotto/core"\nimport { twice } from "./lib/twice.js"\nconsole.log(twice(estimateTokens("four")))\n```\n',
    )
    expect(printed).toBe("2\n")
  })

  it("fails where a program fails or cannot be built", async () => {
    await expect(run('```ts run\nthrow new Error("on purpose")\n```\n')).rejects.toThrow("on purpose")
    await expect(run('```ts run\nimport "./missing.js"\n```\n')).rejects.toThrow("missing.js")
  })
})
