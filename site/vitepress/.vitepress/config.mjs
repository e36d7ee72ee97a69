import { readFileSync } from "node:fs"
import { defineConfig } from "vitepress"
import { linkFrom } from "../../dist/pages/address.js"
import { slugOf } from "../../dist/pages/slug.js"

const { sources, sidebar } = JSON.parse(
  readFileSync(new URL("../dist/prepared.json", import.meta.url), "utf8"),
)

export default defineConfig({
  title: "Sotto",
  description: "A coding agent for the terminal, and the engine inside it",
  lang: "en",
  // Without it browsers ask for /favicon.ico.
  head: [["link", { rel: "icon", href: "data:," }]],
  srcDir: "dist/pages",
  cacheDir: "../../node_modules/.cache/sotto-site",
  lastUpdated: false,
  metaChunk: true,
  markdown: {
    anchor: { slugify: slugOf },
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    config(md) {
      linksOfTheRepository(md)
      tablesThatScroll(md)
      md.renderer.rules.code_block = scrollingCode
    },
  },
  vite: { plugins: [accessibleSearch()] },
  themeConfig: {
    outline: { level: [2, 3] },
    sidebar,
    nav: [
      { text: "All pages", link: "/contents.html" },
      { text: "Glossary", link: "/glossary.html" },
    ],
    search: {
      provider: "local",
      options: {
        // Pages of source files are there for links to them.
        _render: (text, env, md) => (env.relativePath.startsWith("repository/") ? "" : md.render(text, env)),
        miniSearch: {
          searchOptions: {
            combineWith: "AND",
            fuzzy: 0.2,
            prefix: true,
            boost: { title: 4, text: 2, titles: 1 },
            // A guide explains a word; a signature only has it.
            boostDocument: (id) => (id.startsWith("/api/") ? 0.3 : 1),
          },
        },
      },
    },
  },
})

/** Pages keep the links that work in the repository. This has them lead to the same page on the site. */
function linksOfTheRepository(md) {
  md.core.ruler.push("links-of-the-repository", ({ tokens, env }) => {
    const path = sources[env.relativePath]
    if (path === undefined) return
    for (const { children } of tokens)
      for (const token of children ?? []) {
        const name = token.type === "image" ? "src" : token.type === "link_open" ? "href" : undefined
        const href = name && token.attrGet(name)
        if (href) token.attrSet(name, linkFrom(path, href))
      }
  })
}

/** A wide table scrolls by itself, also with the keyboard. A heading without words is not announced as one. */
function tablesThatScroll(md) {
  md.renderer.rules.table_open = () =>
    '<div class="table" tabindex="0" role="group" aria-label="Table"><table>\n'
  md.renderer.rules.table_close = () => "</table></div>\n"
  md.core.ruler.push("empty-headings", ({ tokens }) => {
    for (const [i, token] of tokens.entries())
      if (token.type === "th_open" && tokens[i + 1]?.content === "") token.tag = tokens[i + 2].tag = "td"
  })
}

/** Indented code scrolls like fenced code. */
function scrollingCode(tokens, i) {
  const text = tokens[i].content.replaceAll("&", "&amp;").replaceAll("<", "&lt;")
  return `<div class="language-text"><pre v-pre tabindex="0"><code>${text}</code></pre></div>\n`
}

/**
 * The theme calls its whole search box a button, puts links inside options, and names results otherwise than they read. This
 * makes it a dialog with a list of links. The build fails if a new version has other lines there.
 */
function accessibleSearch() {
  const mends = [
    [
      /role="button"\s+:aria-owns="[^"]*"\s+aria-expanded="true"\s+aria-haspopup="listbox"\s+aria-labelledby="localsearch-label"/,
      'role="dialog" aria-modal="true" aria-label="Search"',
    ],
    [/:aria-activedescendant="[^"]*"\s+aria-autocomplete="both"/, ""],
    [/:role="results\?\.length \? 'listbox' : undefined"/, ""],
    [/:aria-selected="[^"]*"\s+role="option"/, ""],
    [/:aria-label="\[\.\.\.p\.titles, p\.title\]\.join\(' > '\)"/, ""],
    [/<kbd :aria-label/g, '<kbd role="img" :aria-label'],
  ]
  return {
    name: "accessible-search",
    enforce: "pre",
    transform(code, id) {
      if (!id.endsWith("/VPLocalSearchBox.vue")) return undefined
      return mends.reduce((text, [pattern, mended]) => {
        const after = text.replace(pattern, mended)
        if (after === text) throw new Error(`VitePress's search box has changed: ${pattern} is not in it.`)
        return after
      }, code)
    },
  }
}
