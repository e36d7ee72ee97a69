import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import MiniSearch from "minisearch"
import { describe, expect, it } from "vitest"
import { buildSite, SiteError } from "../src/build.js"
import { type Found, SEARCH } from "../src/search/options.js"
import { serve } from "../src/serve.js"
import { repositoryWith, temporary } from "./repository.js"

const root = fileURLToPath(new URL("../../", import.meta.url))

async function built(files: Readonly<Record<string, string>>, lines: readonly string[]): Promise<string> {
  const out = temporary()
  await buildSite(repositoryWith(files, lines), out)
  return out
}

const read = (out: string, path: string) => readFileSync(join(out, path), "utf8")

describe("the site of this repository", () => {
  it("leads from every link to a page, picture or heading that was built", async () => {
    const out = temporary()
    const { pages, outside } = await buildSite(root, out)
    expect(pages).toBeGreaterThan(70)
    expect(read(out, "external-links.txt").trim().split("\n")).toEqual(outside)
    const files = readdirSync(out, { recursive: true, encoding: "utf8" }).filter((path) =>
      path.endsWith(".html"),
    )
    const dead = files.flatMap((file) =>
      [...read(out, file).matchAll(/(?:href|src)="([^"]+)"/g)]
        .map(([, href = ""]) => href)
        .filter((href) => !/^(?:https?|data|mailto):/.test(href) && !leads(out, file, href))
        .map((href) => `${file}: ${href}`),
    )
    expect(dead).toEqual([])
    // A browser takes a link within a link apart, and leaves an empty one.
    const nested = files.filter((file) => /<a [^>]*>(?:(?!<\/a>)[\s\S])*<a /.test(read(out, file)))
    expect(nested).toEqual([])
  })
})

/** Reads what was written, with no part of the code that wrote it. */
function leads(out: string, from: string, href: string): boolean {
  const [path = "", id] = href.replaceAll("&amp;", "&").split("#")
  const file = path === "" ? join(out, from) : join(out, dirname(from), decodeURI(path.split("?")[0] ?? ""))
  return (
    existsSync(file) && (id === undefined || readFileSync(file, "utf8").includes(`id="${decodeURI(id)}"`))
  )
}

describe("a page", () => {
  it("has its words, its place in the navigation, and its neighbours in the file itself", async () => {
    const out = await built({ "docs/sub/a.md": "# A page\n\nSome *words*.\n" }, ["- [A](sub/a.md)"])
    const html = read(out, "sub/a.html")
    expect(html).toContain("<title>A page · Sotto</title>")
    expect(html).toContain("<p>Some <em>words</em>.</p>")
    expect(html).toContain('<a href="a.html" aria-current="page">A</a>')
    expect(html).toContain('<a rel="prev" href="../contributing.html">')
    expect(html).toContain('<script src="../assets/site.js" defer data-root="../"></script>')
  })

  it("colours code, names the file of an example, and escapes what it does not know", async () => {
    const markdown = "# A\n\n```ts file=a.ts\nconst a = 1\n```\n\n```nonsense\n<b>\n```\n"
    const html = read(await built({ "docs/a.md": markdown }, ["- [A](a.md)"]), "a.html")
    expect(html).toContain("<figcaption>a.ts</figcaption>")
    expect(html).toContain('<span class="hljs-keyword">const</span>')
    expect(html).toContain("<code>&lt;b&gt;</code>")
  })

  it("links the first use of a word of the glossary, in any form, and not in headings, links or code", async () => {
    const glossary =
      "# Glossary\n\n## Ours\n\n### boundary\n\nA moment. And more.\n\n## Others\n\n### step\n\nOne.\n"
    const page =
      "# The boundary\n\n[boundary](#the-boundary) `boundary` All <boundaries>, each boundary, one step.\n"
    const out = await built({ "docs/glossary.md": glossary, "docs/sub/a.md": page }, [
      "- [A](sub/a.md)",
      "- [Glossary](glossary.md)",
    ])
    expect(read(out, "sub/a.html")).toContain(
      '<a href="#the-boundary">boundary</a> <code>boundary</code> All <boundaries>, each <a class="term" href="../glossary.html#boundary" title="A moment.">boundary</a>, one step.',
    )
    expect(read(out, "glossary.html")).not.toContain('class="term"')
  })

  it("takes linked files and folders of the repository along", async () => {
    const files = {
      "docs/a.md": "# A\n\n[code](../lib/x.ts) [all](../lib/) ![p](p.svg)\n",
      "docs/p.svg": "<svg/>",
      "lib/x.ts": "export {}\n",
    }
    const out = await built(files, ["- [A](a.md)"])
    expect(read(out, "a.html")).toContain('<a href="repository/lib/x.ts.html">code</a>')
    expect(read(out, "repository/lib/x.ts.html")).toContain("export")
    expect(read(out, "repository/lib.html")).toContain('<a href="lib/x.ts.html">x.ts</a>')
    expect(read(out, "p.svg")).toBe("<svg/>")
  })
})

describe("the build", () => {
  it("writes nothing where a link leads nowhere", async () => {
    const out = join(temporary(), "site")
    const building = buildSite(repositoryWith({ "docs/a.md": "# A\n\n[x](b.md)" }, ["- [A](a.md)"]), out)
    await expect(building).rejects.toThrow(SiteError)
    expect(existsSync(out)).toBe(false)
  })

  it("indexes what stands under each heading, guides before signatures", async () => {
    const files = {
      "docs/guide.md": "# Guide\n\nFirst.\n\n## Keeping it\n\nThe carrier is kept.\n",
      "docs/api/x.md": "# x\n\n## Carrier\n\nThe carrier.\n",
    }
    const out = await built(files, ["- [X](api/x.md)", "- [Guide](guide.md)"])
    const script = read(out, "assets/index.js").replace("globalThis.sottoSearch = ", "")
    const index = MiniSearch.loadJSON(JSON.parse(script) as string, SEARCH)
    const found = index.search("carrier kept") as unknown as readonly Found[]
    expect(found.map(({ url }) => url)).toEqual(["guide.html#keeping-it"])
    expect(index.search("keping").map(({ url }) => url)).toEqual(["guide.html#keeping-it"])
  })
})

describe("the server", () => {
  it("shows the folder on loopback, and nothing outside of it", async () => {
    const out = await built({}, [])
    const { server, url } = await serve(join(out, "assets"), 0)
    try {
      expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/)
      expect((await fetch(`${url}site.css`)).headers.get("content-type")).toBe("text/css; charset=utf-8")
      for (const path of ["nothing", "..%2findex.html", "%2e%2e/index.html", "..%5cindex.html", "%00", "%"])
        expect((await fetch(`${url}${path}`)).status, path).toBe(404)
    } finally {
      server.close()
    }
  })
})
