import hljs from "highlight.js/lib/common"

/** A fenced block as HTML. What follows the language is for the tests, but for the name of a file, which is shown. */
export function coded(text: string, info: string): string {
  const [language = "", ...marks] = info.split(/\s+/)
  const file = marks.find((mark) => mark.startsWith("file="))?.slice("file=".length)
  const code = `<pre tabindex="0"><code>${highlighted(text, language)}</code></pre>`
  return file === undefined
    ? `${code}\n`
    : `<figure class="file"><figcaption>${escaped(file)}</figcaption>${code}</figure>\n`
}

/** Languages by the endings of files, where they are not their own names. */
const ENDINGS: Readonly<Record<string, string>> = {
  mjs: "javascript",
  svg: "xml",
  jsonl: "json",
  console: "shell",
}

function highlighted(text: string, language: string): string {
  const known = ENDINGS[language] ?? language
  return hljs.getLanguage(known) === undefined
    ? escaped(text)
    : hljs.highlight(text, { language: known, ignoreIllegals: true }).value
}

export function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
}
