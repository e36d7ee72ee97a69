import type { Node } from "web-tree-sitter"
import { expansions } from "./words.js"

/** Spaces to the grammar but not to bash, and bytes that make what is shown differ from what is run. */
const strangeCharacters =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\x00-\x08\x0b-\x1f\x7f\x85\u00a0\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufeff]/

/** The grammar takes a continued line for a space, bash for nothing: only where there is a space anyway they agree. */
const joinedLines = /[^\s\\]\\\n\S|\\\\\n/

/** What makes a script impossible to judge before it is parsed. */
export function doubtOfText(source: string): string | undefined {
  if (strangeCharacters.test(source)) return "a control character or an unusual space"
  if (joinedLines.test(source)) return "a word continued on the next line"
  if (source.length > 20_000) return "its length"
  return undefined
}

const understood = new Set(
  `program redirected_statement command command_name variable_assignment variable_assignments word string
  string_content raw_string ansi_c_string translated_string concatenation number simple_expansion expansion
  variable_name special_variable_name command_substitution process_substitution arithmetic_expansion pipeline list
  subshell compound_statement function_definition if_statement elif_clause else_clause for_statement
  c_style_for_statement while_statement do_group case_statement case_item extglob_pattern test_command
  unary_expression binary_expression parenthesized_expression negated_command test_operator regex file_redirect
  file_descriptor heredoc_redirect heredoc_start heredoc_body heredoc_content heredoc_end herestring_redirect
  declaration_command unset_command array subscript comment brace_expression postfix_expression
  ternary_expression`.split(/\s+/),
)

/** Where bash evaluates text that the grammar does not see, or sees otherwise. Children are looked at on their own. */
export function doubtOf(node: Node): string | undefined {
  if (!understood.has(node.type)) return `${node.type} is not understood`
  switch (node.type) {
    case "arithmetic_expansion":
    case "c_style_for_statement":
      return doubtOfArithmetic(node)
    case "compound_statement":
      return node.text.startsWith("((") ? doubtOfArithmetic(node) : undefined
    case "subscript":
      return /^\w+\[(\d+|[@*])\]$/.test(node.text) ? undefined : "a computed index"
    case "expansion":
      return plainExpansion.test(node.text) ? hiddenSubstitution(node) : "an unusual expansion"
    case "test_command":
      return doubtOfTest(node)
    case "raw_string":
    case "ansi_c_string":
    case "comment":
    case "heredoc_start":
    case "heredoc_end":
      return undefined
    case "heredoc_body":
    case "heredoc_content":
      return isLiteral(node) ? undefined : hiddenSubstitution(node)
    default:
      return hiddenSubstitution(node)
  }
}

/** A variable's value is evaluated as an expression, and an index in an expression may hold a command. */
function doubtOfArithmetic(node: Node): string | undefined {
  const header = node.type === "c_style_for_statement" ? node.text.split("))", 1)[0] : node.text
  return /[A-Za-z_$`"'\\]/.test((header ?? "").replace(/^(for\s*\(\(|\$)/, ""))
    ? "arithmetic with variables"
    : undefined
}

/** `${x}` with a default, a trimmed or replaced part, a number for offset; not `${!x}`, `${x@P}`, `${x:=…}`. */
const plainExpansion =
  /^\$\{#?(\w+|[@*#?$!-])(\[(\d+|[@*])\])?(:?[-+?][\s\S]*|[#%/^,][\s\S]*|: ?-?\d+(: ?-?\d+)?|@[QEULuaAKk])?\}$/

function doubtOfTest(node: Node): string | undefined {
  const double = node.text.startsWith("[[")
  if (/(^|\s)-[vR]\s/.test(node.text)) return "a test of a variable by name"
  // `[ $x ]` may become `[ -v a[$(…)] ]`; `[[` splits nothing.
  if (!double && node.descendantsOfType([...expansions]).some((inner) => inner.parent?.type !== "string"))
    return "an unquoted expansion in a test"
  if (!double || !/\s-(eq|ne|lt|le|gt|ge)\s/.test(node.text)) return undefined
  return /\s-(eq|ne|lt|le|gt|ge)\s/.test(
    node.text.replace(/\s-?\d+\s+-(eq|ne|lt|le|gt|ge)\s+-?\d+(?=\s)/g, " "),
  )
    ? "arithmetic with variables"
    : undefined
}

/** Here-documents whose delimiter is quoted are taken as they are. */
function isLiteral(node: Node): boolean {
  const redirect = node.type === "heredoc_body" ? node.parent : node.parent?.parent
  const start = redirect?.namedChildren.find((child) => child.type === "heredoc_start")
  return start !== undefined && /['"\\]/.test(start.text)
}

/** The grammar misses some substitutions (backquotes in here-documents and patterns): their signs left in plain text. */
function hiddenSubstitution(node: Node): string | undefined {
  const own = ownText(node).replace(/\\[\s\S]/g, "")
  return /`|\$[({[]|[<>]\(/.test(own) ? "a substitution in an unusual place" : undefined
}

function ownText(node: Node): string {
  let own = ""
  let at = 0
  for (const child of node.children) {
    own += `${node.text.slice(at, child.startIndex - node.startIndex)} `
    at = child.endIndex - node.startIndex
  }
  return own + node.text.slice(at)
}
