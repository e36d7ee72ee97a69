import { systemDifference, toolDifference } from "../compare/lists.js"
import { namesOf } from "../compare/volatile.js"
import { canonicalJson, field, text } from "../segments/json.js"
import type { Segment } from "../segments/segment.js"
import { wordsOf } from "../segments/words.js"
import { changeOf, type Statement } from "./statement.js"

/** What becomes of tools or system prompt: they are as they were, they are held, or the change has to go through. */
export type HeadVerdict =
  | { readonly is: "same" }
  | { readonly is: "held"; readonly why: string; readonly statements: readonly Statement[] }
  | { readonly is: "through"; readonly why: string }

export function judgeTools(old: readonly Segment[], now: readonly Segment[]): HeadVerdict {
  const difference = toolDifference(old, now)
  if (difference === undefined) return { is: "same" }
  const before = new Map(old.map((tool) => [tool.name, tool]))
  const isSameSet = old.length === now.length && now.every(({ name }) => before.has(name))
  if (!isSameSet || before.size !== old.length) return { is: "through", why: difference.detail }
  const statements: Statement[] = []
  for (const tool of now) {
    const earlier = before.get(tool.name)
    if (earlier === undefined || canonicalJson(earlier.value) === canonicalJson(tool.value)) continue
    if (canonicalJson(undescribed(earlier.value)) !== canonicalJson(undescribed(tool.value)))
      return { is: "through", why: `the tool ${tool.name} has another schema` }
    statements.push(redescribed(tool.name ?? "", descriptionOf(earlier.value), descriptionOf(tool.value)))
  }
  return { is: "held", why: difference.detail, statements }
}

/** Descriptions may come from anybody, such as an MCP server: they are never told with system authority. */
function redescribed(name: string, before: string, after: string): Statement {
  const { how, body } = changeOf(before, after)
  const line = `The description of the tool ${JSON.stringify(name)} changed. ${how}`
  return { line, body, authority: "user", about: `the description of the tool ${name}` }
}

function descriptionOf(tool: unknown): string {
  return text(tool, "description") ?? text(field(tool, "function"), "description") ?? ""
}

/** A tool without its own description. Those of its parameters belong to the schema. */
function undescribed(tool: unknown): unknown {
  const without = (value: unknown) => {
    const { description: _, ...rest } = (value ?? {}) as Record<string, unknown>
    return rest
  }
  const inner = field(tool, "function")
  return inner === undefined ? without(tool) : { ...(tool as object), function: without(inner) }
}

export function judgeSystem(old: readonly Segment[], now: readonly Segment[]): HeadVerdict {
  const difference = systemDifference(old, now)
  const isWritten = old.some((one, i) => Boolean(one.bare) !== Boolean(now[i]?.bare))
  if (difference === undefined)
    return isWritten
      ? { is: "held", why: "the system prompt is written differently", statements: [] }
      : { is: "same" }
  if (difference.cause === "serialisation") return { is: "held", why: difference.detail, statements: [] }
  if (now.length === 0 || old.length === 0 || [...old, ...now].some(({ hasMedia }) => hasMedia))
    return { is: "through", why: difference.detail }
  const [before, after] = [wordsIn(old), wordsIn(now)]
  if (namesOf(before, after).includes(undefined)) return { is: "through", why: "the system prompt changed" }
  return { is: "held", why: difference.detail, statements: changedSystem(before, after) }
}

function wordsIn(system: readonly Segment[]): string {
  return system.map(wordsOf).join("\n")
}

const BILLING = /billing/i

/** A billing header speaks to the provider and not to the model, which is told of everything else. */
function changedSystem(before: string, after: string): readonly Statement[] {
  const said = (text: string) =>
    text
      .split("\n")
      .filter((line) => !BILLING.test(line))
      .join("\n")
  if (said(before) === said(after)) return []
  const { how, body } = changeOf(said(before), said(after))
  const line = `The system prompt at the top of this conversation has changed since. ${how}`
  return [{ line, body, authority: "system", about: "the system prompt" }]
}
