import { type Entry, INDEX, pagesOf, type Section } from "./navigation.js"
import { addressOf, way } from "./pages/address.js"
import { escaped } from "./pages/code.js"
import type { Document } from "./pages/markdown.js"

interface Shown {
  readonly path: string
  readonly url: string
  readonly document: Document
  readonly html: string
}

/** A whole page of the site. It is readable and can be navigated without scripts. */
export function pageHtml(page: Shown, sections: readonly Section[]): string {
  const to = (url: string) => escaped(way(page.url, url))
  const home = to(addressOf("README.md"))
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(page.path === "README.md" ? "Sotto" : `${page.document.title} · Sotto`)}</title>
<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%230b7285'/%3E%3Cpath d='M4 11h8M4 8h5' stroke='white' stroke-width='2' stroke-linecap='round'/%3E%3C/svg%3E">
<link rel="stylesheet" href="${to("assets/site.css")}">
<script src="${to("assets/theme.js")}"></script>
<script src="${to("assets/site.js")}" defer data-root="${to("index.html").replace(/index\.html$/, "")}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header>
<a class="brand" href="${home}">Sotto</a>
<form class="search" role="search" action="${to("search.html")}" method="get">
<input type="search" name="q" placeholder="Search" aria-label="Search the documentation" autocomplete="off" spellcheck="false">
<kbd aria-hidden="true">/</kbd>
</form>
<button class="theme" type="button" hidden>Theme</button>
</header>
<div class="columns">
<nav class="pages" aria-label="Pages">
<details class="menu" open><summary>Pages</summary>
${sections.map((section) => sectionHtml(section, page)).join("\n")}
</details>
</nav>
<main id="content" tabindex="-1">
<article>
${page.html}</article>
${footerHtml(page, sections)}
</main>
${outlineHtml(page.document)}
</div>
</body>
</html>
`
}

function sectionHtml({ title, entries }: Section, page: Shown): string {
  const isHere = pagesOf([{ title, entries }]).some(({ path }) => path === page.path)
  return `<details class="section"${isHere ? " open" : ""}><summary>${escaped(title)}</summary>\n${listHtml(entries, page)}</details>`
}

function listHtml(entries: readonly Entry[], page: Shown): string {
  const line = ({ title, path, entries: below }: Entry) => {
    const here = path === page.path ? ' aria-current="page"' : ""
    const link = `<a href="${escaped(way(page.url, addressOf(path)))}"${here}>${inline(title)}</a>`
    return `<li>${link}${below.length > 0 ? `\n${listHtml(below, page)}` : ""}</li>`
  }
  return `<ul>\n${entries.map(line).join("\n")}\n</ul>\n`
}

/** What a title of the index may have in it: code. */
function inline(title: string): string {
  return escaped(title).replace(/`([^`]+)`/g, "<code>$1</code>")
}

/** Headings below the title, where there are enough of them to get lost between. */
function outlineHtml({ headings }: Document): string {
  const shown = headings.filter(({ depth }) => depth === 2 || depth === 3)
  if (shown.length < 2) return ""
  const lines = shown.map(
    ({ depth, id, text }) => `<li class="depth-${depth}"><a href="#${id}">${escaped(text)}</a></li>`,
  )
  return `<nav class="outline" aria-label="On this page"><p>On this page</p>\n<ul>\n${lines.join("\n")}\n</ul></nav>`
}

function footerHtml({ path, url }: Shown, sections: readonly Section[]): string {
  const pages = pagesOf(sections)
  const at = pages.findIndex((page) => page.path === path)
  const link = (entry: Entry | undefined, rel: string, word: string) =>
    entry === undefined
      ? ""
      : `<a rel="${rel}" href="${escaped(way(url, addressOf(entry.path)))}"><span>${word}</span>${inline(entry.title)}</a>`
  const ways = at < 0 ? "" : `${link(pages[at - 1], "prev", "Before")}${link(pages[at + 1], "next", "Next")}`
  return `<footer>
<div class="ways">${ways}</div>
<p>Made from <code>${escaped(path)}</code>. <a href="${escaped(way(url, addressOf(INDEX)))}">All pages</a></p>
</footer>`
}
