import type { Node } from "web-tree-sitter"
import { type Checks, EVERY_CHECK } from "../checks.js"
import { bashParser } from "../grammar.js"
import { doubtOf, doubtOfText } from "./doubts.js"
import { type Redirect, type SimpleCommand, Unparsable } from "./script.js"
import { valuesIn, withValue } from "./values.js"
import { type Word, wordOf } from "./words.js"

/** Limits the words and signs that are looked at. No person reads a command line with more before it runs. */
const mostParts = 3_000
/** Limits the steps of the parser, in hundreds: some scripts take it a time that grows with the square of their length. */
const mostSteps = 100
/** Limits the time of the parser: some letters make it look ahead to the end with every step. */
const mostMicroseconds = 100_000

/**
 * Finds every simple command of a script: in pipelines, lists, groups, subshells, functions, loops, conditionals and in
 * substitutions inside strings, here-documents and arithmetic. Throws Unparsable where bash and we might disagree.
 */
export async function parseScript(
  source: string,
  checks: Checks = EVERY_CHECK,
): Promise<readonly SimpleCommand[]> {
  const doubt = doubtOfText(source, checks)
  if (doubt !== undefined) throw new Unparsable(doubt)
  const parser = await bashParser()
  const start = process.cpuUsage()
  let steps = 0
  // Measure the processor, not the clock: a busy machine must not make a script doubtful.
  const isTooLong = () => ++steps > mostSteps || process.cpuUsage(start).user > mostMicroseconds
  const tree = parser.parse(source, null, { progressCallback: isTooLong })
  if (tree === null) {
    parser.reset()
    throw new Unparsable("its length")
  }
  try {
    if (tree.rootNode.hasError) throw new Unparsable("a syntax error")
    if (tree.rootNode.descendantCount > mostParts) throw new Unparsable("its length")
    const commands: SimpleCommand[] = []
    collect(tree.rootNode, false, commands, checks)
    const values = valuesIn(tree.rootNode, source)
    return commands.map((command) => ({
      ...command,
      words: command.words.map((word) => withValue(word, values)),
      ...(command.tested && { tested: command.tested.map((word) => withValue(word, values)) }),
    }))
  } finally {
    tree.delete()
  }
}

const loops = new Set(["for_statement", "c_style_for_statement", "while_statement", "function_definition"])

function collect(node: Node, repeated: boolean, commands: SimpleCommand[], checks: Checks): void {
  const doubt = doubtOf(node, checks)
  if (doubt !== undefined) commands.push({ ...nothing(node, repeated), doubt })
  const again = repeated || loops.has(node.type)
  const own = commandOf(node, again)
  if (own) commands.push(own)
  for (const child of node.namedChildren) {
    const isBody = node.type === "redirected_statement" && simple.has(child.type)
    // The body's words and redirections were taken together; only what is inside them is left to look at.
    if (isBody) {
      const doubtful = doubtOf(child, checks)
      if (doubtful !== undefined) commands.push({ ...nothing(child, again), doubt: doubtful })
      for (const part of child.namedChildren) collect(part, again, commands, checks)
    } else collect(child, again, commands, checks)
  }
}

const simple = new Set(["command", "declaration_command", "unset_command", "test_command"])

function nothing(node: Node, repeated: boolean): SimpleCommand {
  return { text: node.text.trim(), words: [], assigns: [], redirects: [], repeated }
}

function commandOf(node: Node, repeated: boolean): SimpleCommand | undefined {
  if (simple.has(node.type)) return { ...nothing(node, repeated), ...partsOf(node) }
  switch (node.type) {
    case "redirected_statement":
      return redirected(node, repeated)
    case "file_redirect":
      // `$(<file)` has no command to belong to.
      return node.parent?.type === "command_substitution"
        ? { ...nothing(node, repeated), redirects: redirectParts(node).redirects }
        : undefined
    case "variable_assignment": {
      const around = node.parent?.type ?? ""
      if (simple.has(around) || around === "c_style_for_statement") return undefined
      return { ...nothing(node, repeated), assigns: [assignedName(node)] }
    }
    case "for_statement": {
      const variable = node.childForFieldName("variable")
      return { ...nothing(node, repeated), text: "for", assigns: variable ? [variable.text] : [] }
    }
    default:
      return undefined
  }
}

function redirected(node: Node, repeated: boolean): SimpleCommand {
  const body = node.childForFieldName("body")
  const parts: Parts =
    body && simple.has(body.type) ? partsOf(body) : { words: [], assigns: [], redirects: [] }
  const after = node.namedChildren.filter((child) => child.id !== body?.id).map(redirectParts)
  const words = after.flatMap((part) => part.words)
  return {
    ...nothing(node, repeated),
    ...(body && simple.has(body.type) ? { text: body.text.trim() } : {}),
    assigns: parts.assigns,
    ...(parts.tested && { tested: parts.tested }),
    words: [...parts.words, ...words],
    redirects: [...parts.redirects, ...after.flatMap((part) => part.redirects)],
    // Which of the commands in the body gets the words?
    ...(words.length > 0 && parts.words.length === 0 ? { doubt: "arguments after a redirection" } : {}),
  }
}

interface Parts {
  readonly words: readonly Word[]
  readonly assigns: readonly string[]
  readonly redirects: readonly Redirect[]
  readonly tested?: readonly Word[]
}

/** Lists what an operand of a test may be. The words of a substitution in it belong to commands of their own. */
const operands = new Set([
  "word",
  "string",
  "raw_string",
  "ansi_c_string",
  "concatenation",
  "simple_expansion",
  "expansion",
])

function testedIn(node: Node): readonly Word[] {
  return node.namedChildren.flatMap((child) => {
    if (operands.has(child.type)) return [wordOf(child)]
    return child.type.endsWith("_expression") ? testedIn(child) : []
  })
}

function partsOf(node: Node): Parts {
  const words: Word[] = []
  const assigns: string[] = []
  const redirects: Redirect[] = []
  for (const child of node.children) {
    if (child.type === "variable_assignment") assigns.push(assignedName(child))
    else if (child.type === "command_name") words.push(...child.children.map(wordOf))
    else if (child.type.endsWith("_redirect")) {
      const parts = redirectParts(child)
      words.push(...parts.words)
      redirects.push(...parts.redirects)
    } else if (child.type !== "comment") words.push(wordOf(child))
  }
  return node.type === "test_command"
    ? {
        words: [{ kind: "static", text: "test", source: "test" }],
        assigns,
        redirects,
        tested: testedIn(node),
      }
    : { words: node.type === "command" ? words : keyword(node, words), assigns, redirects }
}

/** Adds `export`, `declare` or `unset` as a word: they are tokens, not words, to the grammar. */
function keyword(node: Node, words: readonly Word[]): readonly Word[] {
  const name = node.child(0)?.text ?? ""
  return [{ kind: "static", text: name, source: name }, ...words.slice(1)]
}

function redirectParts(node: Node): {
  readonly words: readonly Word[]
  readonly redirects: readonly Redirect[]
} {
  if (node.type === "heredoc_redirect") {
    const inner = node.namedChildren.filter((child) => child.type === "file_redirect").map(redirectParts)
    const words = node.childrenForFieldName("argument").map(wordOf)
    return {
      words: [...words, ...inner.flatMap((part) => part.words)],
      redirects: inner.flatMap((part) => part.redirects),
    }
  }
  if (node.type !== "file_redirect") return { words: [], redirects: [] }
  const destinations = node.childrenForFieldName("destination")
  const [target, ...words] = destinations.map(wordOf)
  // The command on the other side is judged like any other.
  if (destinations[0]?.type === "process_substitution") return { words, redirects: [] }
  const operator = node.children.find((child) => !child.isNamed)?.text ?? ""
  return { words, redirects: [{ use: useOf(operator, target), target }] }
}

/** Where anything may be written and nothing is changed. */
const sinks = /^\/dev\/(null|zero|full|tty)$/
/** An open file by another name: what was opened to be read can be opened there again to be written. */
const openFiles = /^\/dev\/(stdin|stdout|stderr|fd\/\d+)$/

function useOf(operator: string, target: Word | undefined): Redirect["use"] {
  if (target === undefined || operator.endsWith("&-")) return "none"
  if (operator.endsWith("&") && target.kind === "static" && /^\d+-?$/.test(target.text)) return "none"
  if (operator.startsWith("<") && operator !== "<>") return operator === "<" ? "reads" : "unknown"
  if (target.kind !== "static") return "writes"
  if (openFiles.test(target.text)) return "open file"
  return sinks.test(target.text) ? "none" : "writes"
}

function assignedName(node: Node): string {
  const name = node.childForFieldName("name")
  return (name?.type === "subscript" ? name.childForFieldName("name") : name)?.text ?? ""
}
