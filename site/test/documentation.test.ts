import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { navigationOf } from "../src/navigation.js"
import { documentationProblems } from "../src/prepare.js"
import { repositoryWith } from "./repository.js"

const root = fileURLToPath(new URL("../../", import.meta.url))

describe("the documentation of this repository", () => {
  it("lists every page once, and has no link or anchor that leads nowhere", () => {
    expect(documentationProblems(root)).toEqual([])
  })

  it("names only files and folders that exist in ARCHITECTURE.md", () => {
    const page = readFileSync(join(root, "ARCHITECTURE.md"), "utf8")
    const packages = readdirSync(join(root, "packages")).join("|")
    const named = [...page.matchAll(new RegExp(`\`((?:${packages})(?:/[\\w.-]+)+)\``, "g"))].map(
      ([, path = ""]) => path,
    )
    const missing = named.filter((path) => !existsSync(join(root, "packages", path.replace("/", "/src/"))))
    expect(named.length).toBeGreaterThan(100)
    expect(missing).toEqual([])
  })
})

describe("the navigation", () => {
  it("is the headings and lists of the index, with pages below pages", () => {
    const index = "# All\n\n## Guides\n\n- [A `b`](a.md): what it\n  tells\n  - [Below](sub/c.md)\n\nWords.\n"
    expect(navigationOf(index)).toEqual([
      {
        title: "Guides",
        entries: [
          {
            title: "A `b`",
            path: "docs/a.md",
            about: "what it tells",
            entries: [{ title: "Below", path: "docs/sub/c.md", about: "", entries: [] }],
          },
        ],
      },
    ])
  })

  it("says of a page that nobody lists which line to add", () => {
    const found = documentationProblems(repositoryWith({ "docs/sub/new.md": "# New\n" }))
    expect(found).toEqual([
      "docs/sub/new.md is in no section of docs/README.md. Add a line where a reader would look for it: - [Title](sub/new.md): what it tells",
    ])
  })

  it("names lines whose page is gone or listed before", () => {
    const root = repositoryWith({ "docs/a.md": "# A\n" }, ["- [A](a.md)", "- [A](a.md)", "- [B](b.md)"])
    expect(documentationProblems(root)).toEqual([
      "docs/README.md lists docs/b.md, which does not exist. Remove the line, or mend its link.",
      "docs/README.md lists docs/a.md twice. Remove one of the lines.",
    ])
  })

  it("refuses a line without a link", () => {
    expect(() => navigationOf("## Guides\n\n- soon\n")).toThrow("this line has no link: - soon")
  })
})

describe("the check of links", () => {
  const problemsOf = (markdown: string, files: Readonly<Record<string, string>> = {}) =>
    documentationProblems(repositoryWith({ "docs/a.md": markdown, ...files }, ["- [A](a.md)"]))

  it.each([
    [
      "a file that is not there",
      "# A\n\n[x](b.md)",
      "docs/a.md:3: b.md leads nowhere: there is no docs/b.md.",
    ],
    [
      "a picture that is not there",
      "# A\n\n![x](b.svg)",
      "docs/a.md:3: b.svg leads nowhere: there is no docs/b.svg.",
    ],
    [
      "a picture in HTML",
      '# A\n\n<img src="b.png">',
      "docs/a.md:3: b.png leads nowhere: there is no docs/b.png.",
    ],
    [
      "a file outside the repository",
      "# A\n\n[x](../../b)",
      "docs/a.md:3: ../../b leads nowhere: there is no ../b.",
    ],
    [
      "an anchor on its own page",
      "# A\n\n[x](#b)",
      "docs/a.md:3: #b leads nowhere: docs/a.md has no heading with the anchor #b.",
    ],
    [
      "an anchor on another page",
      "# A\n\n[x](../README.md#b)",
      "docs/a.md:3: ../README.md#b leads nowhere: README.md has no heading with the anchor #b.",
    ],
  ])("names %s, with the line", (_, markdown, problem) => {
    expect(problemsOf(markdown)).toEqual([problem])
  })

  it("checks pages that only a link leads to", () => {
    expect(problemsOf("# A\n\n[x](../more/b.md)", { "more/b.md": "# B\n\n[y](gone.md)" })).toEqual([
      "more/b.md:3: gone.md leads nowhere: there is no more/gone.md.",
    ])
  })

  it("takes anchors as code hosts give them: code, punctuation, letters of any script, repeated headings", () => {
    const headings = "# A\n\n## `sotto run`, “twice”: a_b & c\n\n## Über größe\n\n## Same\n\n## Same\n"
    const links = "[x](#sotto-run-twice-a_b--c) [y](#über-größe) [z](#same) [w](#same-1)"
    expect(problemsOf(`${headings}\n${links}`)).toEqual([])
  })

  it("leaves code alone, and does not try addresses outside", () => {
    expect(problemsOf("# A\n\n`[x](b.md)`\n\n```\n[x](b.md)\n```\n\n[y](https://sotto.invalid/)")).toEqual([])
  })
})
