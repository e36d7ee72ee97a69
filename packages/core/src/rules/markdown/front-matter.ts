import { SottoError } from "../../vocabulary/errors.js"

/** A field of the front matter, and the line it stands in. */
export interface Field {
  readonly name: string
  readonly values: readonly string[]
  readonly line: number
}

export interface Document {
  readonly fields: ReadonlyMap<string, Field>
  readonly body: string
}

/** Says what is wrong with a rule's file, where, and what to write instead. */
export function badRule(path: string, line: number, what: string, remedy: string): SottoError {
  return new SottoError("bad-rule", `${path}:${line}: ${what}`, remedy)
}

/**
 * Parses `name: value`, `name: a, b`, `name: [a, b]`, or `name:` and a list of `- value` lines, between two lines of
 * `---`.
 */
export function parseFrontMatter(markdown: string, path: string, known: readonly string[]): Document {
  const lines = markdown.replace(/^\ufeff/, "").split(/\r?\n/)
  if (lines[0]?.trim() !== "---")
    throw badRule(
      path,
      1,
      "The file does not begin with front matter.",
      "Begin with a line of ---, then `on:` or `every:`.",
    )
  const end = lines.findIndex((line, i) => i > 0 && line.trim() === "---")
  if (end < 0)
    throw badRule(path, lines.length, "The front matter does not end.", "Close it with a line of ---.")

  const fields = new Map<string, Field>()
  let open: Field | undefined
  lines.slice(1, end).forEach((text, i) => {
    const line = i + 2
    const item = /^\s*-\s+(.*)$/.exec(text)
    if (text.trim() === "" || text.trim().startsWith("#")) return
    if (item && open) {
      open = { ...open, values: [...open.values, unquoted(withoutComment(item[1] ?? ""))] }
      fields.set(open.name, open)
      return
    }
    const pair = /^(\w+)\s*:(.*)$/.exec(text)
    if (pair === null) throw badRule(path, line, `"${text.trim()}" is no field.`, "Write `name: value`.")
    const name = pair[1] ?? ""
    if (!known.includes(name))
      throw badRule(path, line, `There is no field "${name}".`, `Use: ${known.join(", ")}.`)
    if (fields.has(name)) throw badRule(path, line, `"${name}" is given twice.`, "Keep one of them.")
    open = { name, values: valuesIn(pair[2] ?? ""), line }
    fields.set(name, open)
  })
  for (const { name, values, line } of fields.values())
    if (values.length === 0)
      throw badRule(path, line, `"${name}" has no value.`, "Give it one, or leave the field out.")
  return {
    fields,
    body: lines
      .slice(end + 1)
      .join("\n")
      .trim(),
  }
}

function valuesIn(text: string): readonly string[] {
  const list = withoutComment(text)
    .trim()
    .replace(/^\[(.*)\]$/, "$1")
  // A comma between quotes separates nothing.
  const pieces = list.match(/(?:"[^"]*"|'[^']*'|[^,])+/g) ?? []
  return pieces.map(unquoted).filter((value) => value !== "")
}

function withoutComment(text: string): string {
  return text.replace(/\s+#.*$/, "")
}

function unquoted(value: string): string {
  return value.trim().replace(/^(["'])(.*)\1$/, "$2")
}
