import type { LineCounter, Node as YamlNode } from "yaml"
import { ConfigError } from "./error.js"
import type { Node, NodeEntry } from "./node.js"

export interface MarkdownDocument {
  /** Undefined if the file has no front matter. */
  readonly fields: Node | undefined
  readonly body: string
}

/** A Markdown file, cut where its front matter ends. */
interface FrontMatterHalves {
  /** The lines between the two fences. Undefined if the file does not begin with one. */
  readonly header: readonly string[] | undefined
  /** False if the front matter has no end: then all of the file is its header. */
  readonly isClosed: boolean
  readonly body: string
}

/** Cuts a Markdown file. `isFence` tells the lines before and after the front matter. */
export function cutFrontMatter(
  markdown: string,
  isFence = (line: string) => line.trimEnd() === "---",
): FrontMatterHalves {
  const lines = markdown.replace(/^\ufeff/, "").split(/\r?\n/)
  const textFrom = (line: number) => lines.slice(line).join("\n").trim()
  if (!isFence(lines[0] ?? "")) return { header: undefined, isClosed: true, body: textFrom(0) }
  const found = lines.findIndex((line, i) => i > 0 && isFence(line))
  const end = found < 0 ? lines.length : found
  return { header: lines.slice(1, end), isClosed: found >= 0, body: textFrom(end + 1) }
}

/** Reads a Markdown file: YAML between two lines of `---`, if it begins so, and the text below. */
export async function parseDocument(markdown: string, file: string): Promise<MarkdownDocument> {
  const { header, isClosed, body } = cutFrontMatter(markdown)
  if (header === undefined) return { fields: undefined, body }
  if (!isClosed)
    throw new ConfigError(file, 1, "", "The front matter does not end.", "Close it with a line of ---.")
  // An empty line in place of the opening ---, so that the lines of the YAML are those of the file.
  return { fields: await parseYaml(["", ...header].join("\n"), file), body }
}

/** Loads the parser when there is something to parse: it takes longer than all the rest of starting up here. */
async function parseYaml(text: string, file: string): Promise<Node | undefined> {
  const yaml = await import("./yaml.js")
  const counter = new yaml.LineCounter()
  const document = yaml.parseDocument(text, { lineCounter: counter })
  const [broken] = document.errors
  if (broken)
    throw new ConfigError(
      file,
      lineOf(broken.pos[0], counter),
      "",
      `The front matter is not valid YAML: ${broken.message.split(/ at line \d|\n/)[0]}.`,
      'Put texts with : or # in quotes: name: "…".',
    )

  function convert(node: YamlNode | null | undefined, line: number): Node {
    if (node === null || node === undefined) return { is: "scalar", line, value: null }
    const at = node.range ? lineOf(node.range[0], counter) : line
    if (yaml.isMap<YamlNode, YamlNode | null>(node)) {
      const entries = node.items.map((pair): [string, NodeEntry] => {
        const from = pair.key.range ? lineOf(pair.key.range[0], counter) : at
        return [keyOf(pair.key, from), { line: from, value: convert(pair.value, from) }]
      })
      return { is: "map", line: at, entries: new Map(entries) }
    }
    if (yaml.isSeq<YamlNode>(node))
      return { is: "list", line: at, items: node.items.map((item) => convert(item, at)) }
    const value = yaml.isScalar(node) ? node.value : undefined
    if (value === null || ["string", "number", "boolean"].includes(typeof value))
      return { is: "scalar", line: at, value: value as string | number | boolean | null }
    throw new ConfigError(file, at, "", "This kind of YAML value has no meaning here.", 'Write a * as "*".')
  }

  function keyOf(key: YamlNode, line: number): string {
    if (yaml.isScalar(key) && typeof key.value !== "object") return String(key.value)
    throw new ConfigError(file, line, "", "The name of a field has to be a text.", 'Write a * as "*".')
  }

  return document.contents === null ? undefined : convert(document.contents, 1)
}

function lineOf(offset: number, counter: LineCounter): number {
  return counter.linePos(offset).line
}
