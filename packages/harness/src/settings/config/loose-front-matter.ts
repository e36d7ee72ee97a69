/** A Markdown file that begins with front matter, or does not. */
export interface LooseDocument {
  readonly front: string
  readonly body: string
}

/*
 * Not a YAML parser on purpose: loading one doubles the time to start, and many published skills have descriptions with
 * a bare colon, which YAML refuses.
 */

export function splitFront(text: string): LooseDocument {
  const found = /^\ufeff?---[ \t]*\r?\n([\s\S]*?)^---[ \t]*$/m.exec(text)
  if (found?.index !== 0) return { front: "", body: text.replace(/^\ufeff/, "").trim() }
  return { front: found[1] ?? "", body: text.slice(found[0].length).trim() }
}

/** Reads one text of the front matter, in one line: plain, quoted, or a block over several lines. */
export function textField(front: string, name: string): string | undefined {
  const raw = rawField(front, name)
  if (raw === undefined) return undefined
  return unquoted(
    raw
      .replace(/^[|>][+-]?\d?[ \t]*(?=\r?\n)/, "")
      .replace(/\s+/g, " ")
      .trim(),
  )
}

/** Reads a list of the front matter: `[a, b]`, `a, b`, or a line with a dash for each. */
export function listField(front: string, name: string): readonly string[] {
  const raw = rawField(front, name)?.trim() ?? ""
  const items = /^-\s/.test(raw)
    ? raw.split(/(?:^|\r?\n)\s*-\s+/)
    : outsideBraces(raw.replace(/^\[|\]$/g, ""))
  return items.map((item) => unquoted(item.trim())).filter((item) => item !== "")
}

function rawField(front: string, name: string): string | undefined {
  // Items of a list may stand as far left as the name.
  const more = "(?:\\r?\\n(?:[ \\t]+.*|-[ \\t].*|[ \\t]*(?=\\r?\\n)))*"
  return new RegExp(`^${name}:[ \\t]*(.*${more})`, "m").exec(front)?.[1]
}

/** Splits at commas, but not at those of a pattern like `*.{ts,tsx}`. */
function outsideBraces(text: string): readonly string[] {
  return text.split(/,(?![^{]*\})|\r?\n/)
}

function unquoted(value: string): string {
  const quoted = /^(["'])(.*)\1$/.exec(value)
  if (quoted === null) return value.replace(/ #.*$/, "")
  const inner = quoted[2] ?? ""
  return quoted[1] === "'" ? inner.replaceAll("''", "'") : inner.replace(/\\(["\\])/g, "$1")
}
