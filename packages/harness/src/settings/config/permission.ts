import type { PermissionRule } from "@sotto/core"
import type { Node } from "./node.js"
import { type At, about, type FieldShape, inside, mismatch, name, oneOf } from "./shape.js"
import { either, list, object, record } from "./structure.js"

/** A host, with a port if need be, in which `*` stands for anything. */
export const host: FieldShape<string> = {
  ...name,
  expects: 'a host, like "docs.example.com", "*.example.com" or "127.0.0.1:8080"',
  read(node, at) {
    const text = name.read(node, at)
    if (!isHostPattern(text)) throw mismatch(node, at, this.expects)
    return text
  },
}

function isHostPattern(text: string): boolean {
  return !/[/\s@]/.test(text)
}

const action = oneOf("allow", "ask", "deny")

const rules = list(
  object(
    {
      permission: about(name, "What is to be done: `edit`, `bash`, `read` and others."),
      pattern: about(name, "To what: a path, or a command line.", { usual: "*" }),
      action: about(action, "What happens then."),
    },
    "permission",
    "action",
  ),
)

const byPattern = either(action, record(action), ({ is }) => is !== "map")

/**
 * Ordered rules, the last match wins: as a list of `{permission, pattern, action}`, or in short as
 * `{"edit": "allow", "bash": {"*": "ask", "git *": "allow"}}`.
 */
export const permission: FieldShape<readonly PermissionRule[]> = {
  expects: 'a list of rules, or an object like {"edit": "allow", "bash": {"git *": "allow"}}',
  schema: { anyOf: [rules.schema, record(byPattern).schema] },
  read(node, at) {
    if (node.is === "list")
      return rules.read(node, at).map((rule, i) => {
        const whole = { pattern: "*", ...rule }
        checkPattern(whole, node.items[i] ?? node, inside(at, String(i)))
        return whole
      })
    if (node.is === "map")
      return [...node.entries].flatMap(([key, { value }]) => inShort(key, value, inside(at, key)))
    throw mismatch(node, at, this.expects)
  },
}

// Read entry by entry and not through `record`, whose plain object would put names like "1" first: order decides.
function inShort(permission: string, node: Node, at: At): readonly PermissionRule[] {
  if (node.is !== "map") return [{ permission, pattern: "*", action: byPatternAction(node, at) }]
  return [...node.entries].map(([pattern, { value }]) => {
    checkPattern({ permission, pattern }, value, inside(at, pattern))
    return { permission, pattern, action: action.read(value, inside(at, pattern)) }
  })
}

/** A rule of `fetch` goes by hosts: an address would never match, and what it denies would not be denied. */
function checkPattern(
  { permission, pattern }: Pick<PermissionRule, "permission" | "pattern">,
  node: Node,
  at: At,
): void {
  if (permission === "fetch" && !isHostPattern(pattern)) throw mismatch(node, at, `under ${host.expects}`)
}

function byPatternAction(node: Node, at: At): PermissionRule["action"] {
  if (node.is === "list") throw mismatch(node, at, byPattern.expects)
  return action.read(node, at)
}
