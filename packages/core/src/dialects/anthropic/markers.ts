import { field, listField, stringField } from "../../vocabulary/fields.js"
import type { Problems } from "../problems.js"

interface Marked {
  readonly path: string
  readonly type: string | undefined
  readonly ttl: string
}

/** Checks the cache breakpoints: how many, on what, and in which order of lifetimes. */
export function checkMarkers(body: unknown, problems: Problems): void {
  const marked = [
    ...listField(body, "tools").flatMap((tool, i) => markedAt(tool, `tools.${i}`)),
    ...listField(body, "system").flatMap((block, i) => markedAt(block, `system.${i}`)),
    ...listField(body, "messages").flatMap((message, i) =>
      listField(message, "content").flatMap((block, j) => {
        const path = `messages.${i}.content.${j}`
        const inner = listField(block, "content").flatMap((one, k) => markedAt(one, `${path}.content.${k}`))
        return [...inner, ...markedAt(block, path)]
      }),
    ),
    // The breakpoint that the API itself places takes one of the four, at the very end.
    ...markedAt(body, ""),
  ]
  if (marked.length > 4)
    problems.add(
      "cache_control",
      `A maximum of 4 blocks with cache_control may be provided. Found ${marked.length}.`,
    )
  if (marked.some(({ type }) => type === "thinking" || type === "redacted_thinking"))
    problems.add("cache_control", "thinking blocks cannot have cache_control")
  const short = marked.findIndex(({ ttl }) => ttl === "5m")
  const late = short < 0 ? undefined : marked.slice(short).find(({ ttl }) => ttl === "1h")
  if (late === undefined) return
  const path = `${late.path === "" ? "" : `${late.path}.`}cache_control.ttl`
  problems.add(
    path,
    `${path}: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: \`tools\`, \`system\`, \`messages\`.`,
  )
}

function markedAt(block: unknown, path: string): readonly Marked[] {
  const marker = field(block, "cache_control") ?? undefined
  if (marker === undefined) return []
  return [{ path, type: stringField(block, "type"), ttl: stringField(marker, "ttl") ?? "5m" }]
}
