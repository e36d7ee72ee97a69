import { namedLines } from "../../prompt/layers.js"
import { isUntrusted } from "../../prompt/trusted-text.js"
import type { Json } from "../../vocabulary/json.js"
import type { Form } from "../../vocabulary/reminder.js"
import { listed } from "../capped.js"
import type { StandardKind } from "../kinds.js"
import type { Rule } from "../rule.js"
import { onChange } from "../shapes.js"
import type { FactKey } from "../signals.js"

const MOST_LINES = 60

/** A fact that lists `{ name, description }`, and what the model is told of it. */
interface Listing {
  readonly kind: StandardKind
  readonly fact: FactKey
  /** Where the system prompt does not state the list. */
  readonly first: string
  readonly changed: string
  readonly gone: string
}

export function withTool(name: string | undefined): string {
  return name === undefined ? "" : `, with the ${name} tool`
}

/** Tells what changed in a list that the system prompt states: only the lines that were added or removed. */
export function listing({ kind, fact, first, changed, gone }: Listing): Rule<StandardKind> {
  const form = (line: string, lines: readonly string[], source: string, ...lists: readonly Json[]): Form => ({
    line,
    body: {
      text: listed(lines, MOST_LINES),
      source,
      trust: lists.some(hasUntrusted) ? "untrusted" : "user",
    },
  })
  return onChange({
    kind,
    fact,
    priority: 30,
    trust: "user",
    first: (key, value) => [form(first, namedLines(value).split("\n"), key, value)],
    changed: (key, before, after) => {
      const old = new Set(namedLines(before).split("\n"))
      const now = new Set(namedLines(after).split("\n"))
      const added = [...now].filter((line) => !old.has(line)).map((line) => `+ ${line}`)
      const lost = [...old].filter((line) => !now.has(line)).map((line) => `- ${line}`)
      return added.length + lost.length === 0 ? [] : [form(changed, [...added, ...lost], key, before, after)]
    },
    gone: () => [{ line: gone }],
  })
}

/** True if the user has not vouched for the author of something in the list. */
function hasUntrusted(list: Json): boolean {
  return Array.isArray(list) && list.some((item: Json) => isUntrusted(item))
}
