import { type JsoncNode, parseJsonc, reasonOf } from "@sotto/harness"

/** A value in a text of JSON with comments, by where it stands. */
export interface Located {
  readonly is: "object" | "array" | "scalar"
  readonly from: number
  readonly to: number
  readonly members: readonly Member[]
}

interface Member {
  /** Empty in arrays. */
  readonly key: string
  readonly from: number
  readonly value: Located
}

/** Finds where everything stands. Throws for what the harness cannot read: nothing is written into such a file. */
export function locate(text: string): Located {
  try {
    return located(parseJsonc(text, "sotto.json"))
  } catch (cause) {
    throw new SyntaxError(reasonOf(cause), { cause })
  }
}

function located(node: JsoncNode): Located {
  const { from = 0, to = from } = node
  if (node.is === "list") {
    const members = node.items.map((item) => ({ key: "", from: item.from ?? 0, value: located(item) }))
    return { is: "array", from, to, members }
  }
  if (node.is === "map") {
    const members = [...node.entries].map(([key, entry]) => {
      return { key, from: entry.from ?? 0, value: located(entry.value) }
    })
    return { is: "object", from, to, members }
  }
  return { is: "scalar", from, to, members: [] }
}

/** Sets a value at a path and leaves everything else as it was: comments, order, indentation. */
export function withValue(text: string, path: readonly string[], value: unknown): string {
  if (text.trim() === "") return `${JSON.stringify(nested(path, value), null, 2)}\n`
  return set(text, locate(text), path, value)
}

function set(text: string, parent: Located, path: readonly string[], value: unknown): string {
  const [name = "", ...rest] = path
  if (parent.is !== "object") throw new SyntaxError(`There is no object to write "${name}" into.`)
  const known = parent.members.find(({ key }) => key === name)
  if (known === undefined) return append(text, parent, `${JSON.stringify(name)}: `, nested(rest, value))
  if (rest.length > 0) return set(text, known.value, rest, value)
  return splice(text, known.value.from, known.value.to, JSON.stringify(value))
}

export function append(text: string, parent: Located, before: string, value: unknown): string {
  const last = parent.members.at(-1)
  const lineStart = text.lastIndexOf("\n", parent.from) + 1
  const outer = /^\s*/.exec(text.slice(lineStart, parent.from))?.[0] ?? ""
  const isFlat = last !== undefined && !text.slice(parent.from, last.value.to).includes("\n")
  const written = JSON.stringify(value, null, isFlat ? undefined : 2)
  if (isFlat) return splice(text, last.value.to, last.value.to, `, ${before}${written}`)
  const inner = last === undefined ? `${outer}  ` : indentOf(text, last.from)
  const entry = `\n${inner}${before}${written.replaceAll("\n", `\n${inner}`)}`
  if (last === undefined) return splice(text, parent.from + 1, parent.to - 1, `${entry}\n${outer}`, true)
  // A comma that is there already stays; the entry follows what stands behind the last one in its line.
  const behind = /^\s*,/.exec(text.slice(last.value.to))?.[0] ?? ""
  const afterComma = last.value.to + behind.length
  const comment = /^[ \t]*(\/\/[^\n]*|\/\*[^\n]*?\*\/)?/.exec(text.slice(afterComma))?.[0] ?? ""
  const end = afterComma + comment.length
  const withEntry = splice(text, end, end, entry)
  return behind === "" ? splice(withEntry, last.value.to, last.value.to, ",") : withEntry
}

function indentOf(text: string, at: number): string {
  return /^\s*/.exec(text.slice(text.lastIndexOf("\n", at) + 1, at))?.[0] ?? "  "
}

function splice(text: string, from: number, to: number, put: string, keepComments = false): string {
  const kept = keepComments ? text.slice(from, to).trimEnd() : ""
  return text.slice(0, from) + kept + put + text.slice(to)
}

function nested(path: readonly string[], value: unknown): unknown {
  return path.reduceRight((inner, name) => ({ [name]: inner }), value)
}

/**
 * Removes what stands at a path and leaves everything else as it was. Returns the same text if nothing stands there.
 */
export function withoutMember(text: string, path: readonly string[]): string {
  const [name = "", ...rest] = path
  let parent = locate(text)
  let at = parent.members.findIndex(({ key }) => key === name)
  for (const next of rest) {
    const inner = parent.members[at]?.value
    if (inner === undefined) return text
    parent = inner
    at = parent.members.findIndex(({ key }) => key === next)
  }
  return at < 0 ? text : withoutNth(text, parent, at)
}

/** Removes the nth of an object or a list, with the comma that it needed. */
export function withoutNth(text: string, { from, members }: Located, n: number): string {
  const [member, before, after] = [members[n], members[n - 1], members[n + 1]]
  if (member === undefined) return text
  if (after !== undefined) return text.slice(0, member.from) + text.slice(after.from)
  const start = before === undefined ? from + 1 : before.value.to
  const behind = /^\s*,/.exec(text.slice(member.value.to))?.[0] ?? ""
  return text.slice(0, start) + text.slice(member.value.to + behind.length)
}
