import type { Node } from "web-tree-sitter"
import type { Check, Checks } from "../checks.js"
import { doubtOfHereDocument } from "./here-documents.js"
import { doubtOfTest } from "./tests.js"

/**
 * Everything but printable characters, line feeds and tabs: control characters, spaces that are none to bash, marks
 * that change the direction of text, halves of characters. What is shown and what is run must be the same.
 */
const strangeCharacters = /[^\x20-\x7e\n\t\p{L}\p{M}\p{N}\p{P}\p{S}\u200d]|[\u115f\u1160\u3164\uffa0\u2800]/u

/** The grammar takes a continued line for a space, bash for nothing: only where there is a space anyway they agree. */
const joinedLines = /[^\s\\]\\\n\S|\\\\\n/

/** Says what makes a script impossible to judge before it is parsed. */
export function doubtOfText(source: string, checks: Checks): string | undefined {
  if (source.length > 20_000) return "its length"
  if (!checks.has("characters")) return undefined
  if (strangeCharacters.test(source)) return "a control character or an unusual space"
  if (joinedLines.test(source)) return "a word continued on the next line"
  return undefined
}

// No function_definition: a function may bear the name of a program, and its arguments are words that we do not see
// here.
const understood = new Set(
  `program redirected_statement command command_name variable_assignment variable_assignments word string
  string_content raw_string ansi_c_string concatenation number simple_expansion expansion
  variable_name special_variable_name command_substitution process_substitution arithmetic_expansion pipeline list
  subshell compound_statement if_statement elif_clause else_clause for_statement
  c_style_for_statement while_statement do_group case_statement case_item extglob_pattern test_command
  unary_expression binary_expression parenthesized_expression negated_command test_operator regex file_redirect
  file_descriptor heredoc_redirect heredoc_start heredoc_body heredoc_content heredoc_end herestring_redirect
  declaration_command unset_command array subscript comment brace_expression postfix_expression
  ternary_expression`.split(/\s+/),
)

type Look = (node: Node) => string | undefined

const looks: readonly (readonly [Check, Look])[] = [
  ["expressions", doubtOfExpression],
  ["expansions", doubtOfExpansion],
  ["quoting", doubtOfQuoting],
  ["comments", doubtOfComment],
  ["here-documents", doubtOfHereDocument],
  ["tests", doubtOfTest],
]

/**
 * Says where bash evaluates text that the grammar does not see, or sees otherwise. Children are looked at on their own.
 */
export function doubtOf(node: Node, checks: Checks): string | undefined {
  if (!understood.has(node.type)) return `${node.type} is not understood`
  for (const [check, look] of looks) {
    const doubt = checks.has(check) ? look(node) : undefined
    if (doubt !== undefined) return doubt
  }
  return undefined
}

/**
 * Doubts expressions: a variable's value is evaluated as an expression, and an index in an expression may hold a
 * command.
 */
function doubtOfExpression(node: Node): string | undefined {
  switch (node.type) {
    case "arithmetic_expansion":
      return doubtOfArithmetic(node.text.slice(1))
    case "c_style_for_statement":
      return doubtOfArithmetic((node.text.split("))", 1)[0] ?? "").replace(/^for\s*\(\(/, ""))
    case "compound_statement":
      return node.text.startsWith("((") ? doubtOfArithmetic(node.text) : undefined
    case "subscript":
      return /^\w+\[(\d+|[@*])\]$/.test(node.text) ? undefined : "a computed index"
    case "declaration_command":
      return doubtOfDeclaration(node)
    case "array":
      return node.text.includes("[") ? "a computed index" : undefined
    default:
      return undefined
  }
}

/** Doubts declarations: what is assigned to an array by `declare` is evaluated like the words between its brackets. */
function doubtOfDeclaration(node: Node): string | undefined {
  if (node.tree.rootNode.descendantsOfType(["array", "subscript"]).length === 0) return undefined
  return node.namedChildren.some((child) => child.type === "variable_assignment")
    ? "an array declared again"
    : undefined
}

function doubtOfArithmetic(expression: string): string | undefined {
  return /^[\d\s()+*/%<>=!&|^~?:,-]*$/.test(expression) ? undefined : "arithmetic with variables"
}

/** `${x}` with a default, a trimmed or replaced part, a number for offset; not `${!x}`, `${x@P}`, `${x:=…}`. */
const plainExpansion =
  /^\$\{#?(\w+|[@*#?$!-])(\[(\d+|[@*])\])?(:?[-+?][\s\S]*|[#%/^,][\s\S]*|: ?-?\d+(: ?-?\d+)?|@[QEULuaAKk])?\}$/

function doubtOfExpansion(node: Node): string | undefined {
  if (node.type === "simple_expansion")
    return /^\$(\w+|[@*#?$!-])$/.test(node.text) ? undefined : "an unusual expansion"
  if (node.type !== "expansion") return undefined
  if (!plainExpansion.test(node.text)) return "an unusual expansion"
  // In double quotes a single quote is a letter, and what stands between two of them is expanded.
  return /['"\\]/.test(ownText(node)) ||
    node.descendantsOfType(["raw_string", "ansi_c_string", "string"]).length > 0
    ? "quotes in an expansion"
    : undefined
}

const literal = new Set([
  "raw_string",
  "ansi_c_string",
  "comment",
  "heredoc_start",
  "heredoc_end",
  "heredoc_body",
  "heredoc_content",
])

/** Says where bash takes quotes, blanks and substitutions for something else than the grammar does. */
function doubtOfQuoting(node: Node): string | undefined {
  if (literal.has(node.type)) return undefined
  const own = ownText(node)
  const bare = own.replace(/\\[\s\S]/g, "")
  if (/`|\$[({[]|[<>]\(/.test(bare)) return "a substitution in an unusual place"
  if (node.type === "command_substitution" && node.text.startsWith("`"))
    return /[\\"'#]|<</.test(node.text) ? "quotes in back quotes" : undefined
  if (node.type === "word" || node.type === "concatenation" || node.type === "command_name")
    return doubtOfWord(node)
  if (node.type === "string")
    return node.text.startsWith('"') && node.text.endsWith('"') && !precededByDollar(node)
      ? undefined
      : "a translated string"
  return doubtOfGaps(node, own)
}

/** Nodes whose parts stand in one line. The grammar takes `ls\n\rm x` for one command, bash for two. */
const oneLine = new Set(
  `command declaration_command unset_command redirected_statement variable_assignment variable_assignments
  file_redirect herestring_redirect negated_command`.split(/\s+/),
)
/** Nodes whose parts are separated by lines or signs. */
const lines = new Set(
  "program do_group compound_statement subshell command_substitution process_substitution".split(" "),
)
const structural = new Set([
  ...oneLine,
  ...lines,
  ...["list", "pipeline", "if_statement", "while_statement", "for_statement", "case_statement"],
])

/**
 * Checks that between the parts of a command there is nothing but space, and between two commands something that ends
 * the first.
 */
function doubtOfGaps(node: Node, own: string): string | undefined {
  if (!structural.has(node.type)) return undefined
  const space = own.replace(/\\\n/g, "")
  if (/\S/.test(space)) return "text that no part accounts for"
  if (oneLine.has(node.type) && space.includes("\n")) return "a command that goes on in the next line"
  if (!lines.has(node.type)) return undefined
  const parts = node.children
  const touching = parts.some((part, at) => {
    const next = parts[at + 1]
    if (!part.isNamed || !next?.isNamed || next.type === "comment") return false
    return !node.text.slice(part.endIndex - node.startIndex, next.startIndex - node.startIndex).includes("\n")
  })
  return touching ? "two commands in one line" : undefined
}

function doubtOfWord(node: Node): string | undefined {
  if (/^\{\w+\}$/.test(node.text) && /[<>]/.test(after(node))) return "a redirection to a variable"
  if (node.type === "word" && /^\s|[^\\]\s/.test(node.text)) return "a space in a word"
  // Some systems take these bytes for blanks.
  if (/[\u0080-\uffff]/.test(node.text) && /[\x85\xa0]/.test(Buffer.from(node.text).toString("latin1")))
    return "an unusual character outside of quotes"
  return undefined
}

function precededByDollar(node: Node): boolean {
  return before(node) === "$"
}

function before(node: Node): string {
  return node.tree.rootNode.text[node.startIndex - node.tree.rootNode.startIndex - 1] ?? ""
}

function after(node: Node): string {
  return node.tree.rootNode.text[node.endIndex - node.tree.rootNode.startIndex] ?? ""
}

const inSubstitution = new Set([
  "command_substitution",
  "process_substitution",
  "expansion",
  "string",
  "array",
  "test_command",
  "heredoc_redirect",
  "concatenation",
  "case_statement",
])

function doubtOfComment(node: Node): string | undefined {
  if (node.type !== "comment") return undefined
  if (!/^[\s;&|()]?$/.test(before(node)) || node.text.includes("\n")) return "a comment in an unusual place"
  for (let outer = node.parent; outer; outer = outer.parent)
    if (inSubstitution.has(outer.type)) return "a comment in an unusual place"
  return undefined
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
