import type { Node } from "web-tree-sitter"

const delimiter = /^(?:\w+|'[\w .-]+'|"[\w .-]+")$/

/**
 * Checks a here-document. Bash reads the delimiter like any word and removes its quotes; the grammar guesses. They
 * agree only on one bare word and on one wholly quoted word. Where the document ends is found here again, line by line,
 * as bash does.
 */
export function doubtOfHereDocument(node: Node): string | undefined {
  if (node.type === "heredoc_body" || node.type === "heredoc_content") return doubtOfBody(node)
  if (node.type !== "heredoc_redirect") return undefined
  const start = node.children.find((child) => child.type === "heredoc_start")
  const end = node.children.find((child) => child.type === "heredoc_end")
  if (start === undefined || end === undefined) return "a here-document without an end"
  if (!delimiter.test(start.text)) return "an unusual end of a here-document"
  const root = node.tree.rootNode
  const source = root.text
  const at = (index: number) => index - root.startIndex
  const lineEnd = source.indexOf("\n", at(start.endIndex))
  const rest = source.slice(at(start.endIndex), lineEnd)
  // Quotes, comments or a second document in the same line: where does the first one begin?
  if (lineEnd < 0 || !/^(?:[ \t]+[\w./|&;>: \t=-]*)?$/.test(rest))
    return "more in the line of a here-document"
  const word = start.text.replace(/^(['"])(.*)\1$/, "$2")
  const strips = /^\d*<<-/.test(node.text)
  const found = endOf(source, lineEnd + 1, word, strips)
  return found === at(end.startIndex) && end.text === word ? undefined : "an unusual end of a here-document"
}

function endOf(source: string, from: number, word: string, strips: boolean): number | undefined {
  for (let line = from; line <= source.length; ) {
    const next = source.indexOf("\n", line)
    const end = next < 0 ? source.length : next
    const start = strips ? line + (/^\t*/.exec(source.slice(line, end))?.[0].length ?? 0) : line
    if (source.slice(start, end) === word) return start
    line = end + 1
  }
  return undefined
}

function doubtOfBody(node: Node): string | undefined {
  const redirect = node.type === "heredoc_body" ? node.parent : node.parent?.parent
  const start = redirect?.children.find((child) => child.type === "heredoc_start")
  if (start !== undefined && /^['"]/.test(start.text)) return undefined
  if (node.type === "heredoc_body" && /\\\n/.test(node.text)) return "a continued line in a here-document"
  let own = ""
  let at = 0
  for (const child of node.namedChildren) {
    own += node.text.slice(at, child.startIndex - node.startIndex)
    at = child.endIndex - node.startIndex
  }
  own += node.text.slice(at)
  return /`|\$[({['"]/.test(own.replace(/\\[\\$`]/g, "")) ? "a substitution in an unusual place" : undefined
}
