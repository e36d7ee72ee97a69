import type { PermissionRule } from "@sotto/core"
import type { Node } from "./node.js"
import { type At, about, type FieldShape, inside, mismatch, name, oneOf } from "./shape.js"
import { either, list, object, record } from "./structure.js"

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
    if (node.is === "list") return rules.read(node, at).map((rule) => ({ pattern: "*", ...rule }))
    if (node.is === "map")
      return [...node.entries].flatMap(([key, { value }]) => inShort(key, value, inside(at, key)))
    throw mismatch(node, at, this.expects)
  },
}

// Read entry by entry and not through `record`, whose plain object would put names like "1" first: order decides.
function inShort(permission: string, node: Node, at: At): readonly PermissionRule[] {
  if (node.is !== "map") return [{ permission, pattern: "*", action: byPatternAction(node, at) }]
  return [...node.entries].map(([pattern, { value }]) => ({
    permission,
    pattern,
    action: action.read(value, inside(at, pattern)),
  }))
}

function byPatternAction(node: Node, at: At): PermissionRule["action"] {
  if (node.is === "list") throw mismatch(node, at, byPattern.expects)
  return action.read(node, at)
}
