import type { Node } from "web-tree-sitter"

const token = /\s*(?:("(?:[^"\\`]|\\[\s\S])*"|'[^']*'|[^\s"'`()<>|&;\\]+)(?=[\s)]|$)|([()]|&&|\|\||[<>]))/y

/**
 * Doubts tests: `-v` and `-R` look at a variable whose name may hold a command, and `[[ a -eq b ]]` evaluates both
 * sides.
 */
export function doubtOfTest(node: Node): string | undefined {
  if (node.type !== "test_command") return undefined
  const { text } = node
  if (text.startsWith("((")) return "arithmetic with variables"
  const double = text.startsWith("[[")
  if (!double && text.includes("\n")) return "a test that goes on in the next line"
  const size = double ? 2 : 1
  const tokens = tokensOf(text.slice(size, -size))
  if (tokens === undefined) return "a test that is hard to read"
  const bare = tokens.map((one) => one.replace(/['"]/g, ""))
  if (bare.some((one) => /^-[vR]$/.test(one))) return "a test of a variable by name"
  return double ? doubtOfNumbers(bare) : doubtOfWords(tokens)
}

function tokensOf(text: string): readonly string[] | undefined {
  const tokens: string[] = []
  const rest = text.trimEnd()
  token.lastIndex = 0
  for (let at = 0; at < rest.length; at = token.lastIndex) {
    token.lastIndex = at
    const found = token.exec(rest)
    if (found === null) return undefined
    tokens.push(found[1] ?? found[2] ?? "")
  }
  return tokens
}

function doubtOfNumbers(tokens: readonly string[]): string | undefined {
  const isNumber = (text: string | undefined) => /^-?\d+$/.test(text ?? "")
  const computes = tokens.some(
    (text, at) =>
      /^-(eq|ne|lt|le|gt|ge)$/.test(text) && !(isNumber(tokens[at - 1]) && isNumber(tokens[at + 1])),
  )
  return computes ? "arithmetic with variables" : undefined
}

/**
 * Doubts the words of `[ … ]`, where an expansion may turn out to be an operator: `[ $x ]` may become `[ -v a[$(…)] ]`.
 */
function doubtOfWords(tokens: readonly string[]): string | undefined {
  if (tokens.some((text) => /[()<>&|]/.test(text))) return "a test that is hard to read"
  if (!tokens.some((text) => text.includes("$"))) return undefined
  if (tokens.some((text) => /\$.*@/s.test(text))) return "an expansion that may become several words"
  if (tokens.some((text) => text.includes("$") && !text.startsWith('"')))
    return "an unquoted expansion in a test"
  const [first = "", second = "", third] = tokens[0] === "!" ? tokens.slice(1) : tokens
  const count = tokens[0] === "!" ? tokens.length - 1 : tokens.length
  if (count === 1) return undefined
  if (count === 2 && /^-[a-zA-Z]$/.test(first)) return undefined
  if (count === 3 && third !== undefined && /^(=|==|!=|-(eq|ne|lt|le|gt|ge|nt|ot|ef))$/.test(second))
    return undefined
  return "a test that is hard to read"
}
