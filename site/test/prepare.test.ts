import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { linkFrom } from "../src/pages/address.js"
import { preparePages, SiteError } from "../src/prepare.js"
import { repositoryWith, temporary } from "./repository.js"

// The pages that the generator builds of these are tested by packages/cli/test/site, with a browser.

const read = (out: string, path: string) => readFileSync(join(out, path), "utf8")

describe("the prepared pages", () => {
  it("are where the site has them, as they stand in the repository", () => {
    const out = temporary()
    const page = "# A page\n\nSome *words*.\n"
    const { sources } = preparePages(repositoryWith({ "docs/sub/a.md": page }, ["- [A](sub/a.md)"]), out)
    expect(read(out, "sub/a.md")).toBe(page)
    expect(sources["sub/a.md"]).toBe("docs/sub/a.md")
    expect(sources["index.md"]).toBe("README.md")
    expect(sources["contents.md"]).toBe("docs/README.md")
  })

  it("have the index as their list, with pages below pages and without marks of code", () => {
    const files = { "docs/a.md": "# A\n", "docs/b.md": "# B\n" }
    const root = repositoryWith(files, ["", "## More", "", "- [The `a`](a.md)", "  - [B](b.md)"])
    const { sidebar } = preparePages(root, temporary())
    expect(sidebar.at(-1)).toEqual({
      text: "More",
      items: [{ text: "The a", link: "/a.html", items: [{ text: "B", link: "/b.html" }] }],
    })
  })

  it("take linked files and folders of the repository along", () => {
    const out = temporary()
    const files = {
      "docs/a.md": "# A\n\n[code](../lib/x.ts) [all](../lib/) ![p](p.svg)\n",
      "docs/p.svg": "<svg/>",
      "lib/x.ts": "export {}\n// ```\n",
    }
    preparePages(repositoryWith(files, ["- [A](a.md)"]), out)
    expect(read(out, "repository/lib/x.ts.md")).toBe("# lib/x.ts\n\n````ts\nexport {}\n// ```\n````\n")
    expect(read(out, "repository/lib.md")).toContain("- [x.ts](lib/x.ts)")
    expect(read(out, "p.svg")).toBe("<svg/>")
  })

  it("are not written where a link leads nowhere", () => {
    const out = join(temporary(), "site")
    const root = repositoryWith({ "docs/a.md": "# A\n\n[x](b.md)" }, ["- [A](a.md)"])
    expect(() => preparePages(root, out)).toThrow(SiteError)
    expect(existsSync(out)).toBe(false)
  })
})

describe("a link of the repository", () => {
  it.each([
    ["docs/sub/a.md", "../b.md#c", "./../b.html#c"],
    ["docs/a.md", "../README.md", "./index.html"],
    ["docs/a.md", "README.md", "./contents.html"],
    ["docs/a.md", "#here", "#here"],
    ["README.md", "docs/pictures/p.svg", "./pictures/p.svg"],
    ["README.md", "LICENSE", "./repository/LICENSE.html"],
    ["docs/a.md", "../lib/x.ts", "./repository/lib/x.ts.html"],
    ["docs/a.md", "https://sotto.invalid/", "https://sotto.invalid/"],
  ])("of %s to %s leads to %s on the site", (path, href, address) => {
    expect(linkFrom(path, href)).toBe(address)
  })
})
