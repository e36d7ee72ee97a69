/**
 * What a request has the provider read anew: of the request before it, in the order in which providers keep prefixes
 * (tools, system, conversation), the bytes from the first one that differs to the end. Cache markers do not count.
 */
export function changedBytes(bodies: readonly unknown[]): number {
  let before: readonly string[] = []
  return bodies.map(piecesOf).reduce((sum, now) => {
    const changed = lost(before, now)
    before = now
    return sum + changed
  }, 0)
}

function lost(before: readonly string[], now: readonly string[]): number {
  const first = before.findIndex((piece, i) => piece !== now[i])
  if (first === -1) return 0
  const kept = sharedLength(before[first] ?? "", now[first] ?? "")
  return Buffer.byteLength(before.slice(first).join("").slice(kept))
}

/** Tools one by one and, at their end, how many: one more is a change to all that follows. */
function piecesOf(body: unknown): readonly string[] {
  const { tools, system, instructions, systemInstruction, messages, input, contents } = body as Record<
    string,
    unknown
  >
  const offered = listOf(tools).map(textOf)
  const said = [messages, input, contents].flatMap(listOf).flatMap(blocksOf)
  const told = [system, instructions, systemInstruction].flatMap(listOf).map(textOf)
  return [...offered, `${offered.length}`, ...told, `${told.length}`, ...said]
}

/** A message as its blocks, each with who says it: providers see no difference between one message and two of a role. */
function blocksOf(message: unknown): readonly string[] {
  const { content, parts, role, ...rest } = message as Record<string, unknown>
  const own = Object.keys(rest).length > 0 ? [textOf(rest)] : []
  return [...own, ...[content, parts].flatMap(listOf).map((block) => `${role}${textOf(asBlock(block))}`)]
}

function asBlock(block: unknown): unknown {
  return typeof block === "string" ? { type: "text", text: block } : block
}

function listOf(value: unknown): readonly unknown[] {
  if (value === undefined || value === null || value === "") return []
  return Array.isArray(value) ? value : [value]
}

function textOf(value: unknown): string {
  return JSON.stringify(value, (key, inner: unknown) => (key === "cache_control" ? undefined : inner))
}

function sharedLength(a: string, b: string): number {
  let i = 0
  while (i < a.length && i < b.length && a[i] === b[i]) i++
  return i
}
