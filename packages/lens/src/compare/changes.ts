import type { CacheChanges, CacheKeyPart } from "@sotto/core/cache"
import { field, stringField } from "@sotto/core/dialect"
import { SECTIONS, type Section, type Segment } from "../segments/segment.js"
import type { Snapshot } from "../segments/snapshot.js"
import type { Difference } from "./compare.js"

/** Gives the provider's id of the reply that a request asks to be compared with, in the words of either API. */
export function comparedIn(body: unknown): string | undefined {
  return (
    stringField(field(body, "diagnostics"), "previous_message_id") ??
    stringField(field(body, "prompt_cache_options"), "comparison_response_id")
  )
}

/**
 * Lists what differs between a call and the one before it, in the parts that providers name. For sure differs what the lens
 * takes for a break; a provider may go by whatever else is not the same.
 */
export function changesOf(difference: Difference | undefined, before: Snapshot, now: Snapshot): CacheChanges {
  const possible = SECTIONS.flatMap((section) => changedIn(section, before, now))
  return { certain: difference === undefined ? [] : certainOf(difference, now), possible }
}

const UNCHANGED = ["expired", "not-cached", "markers-out-of-reach"]
/** What the provider may read as the same: white space and keys in another order, or thinking that it would have left out. */
const DOUBTFUL = ["serialisation", "reasoning-removed"]

function certainOf({ cause, section, path }: Difference, { dialect }: Snapshot): readonly CacheKeyPart[] {
  if (UNCHANGED.includes(cause) || DOUBTFUL.includes(cause)) return []
  if (section !== "parameters") return partOf(section, path)
  // Anthropic has no word for its parameters.
  return dialect === "openai" && path !== "tool_choice" ? partOf(section, path) : []
}

function changedIn(section: Section, before: Snapshot, now: Snapshot): readonly CacheKeyPart[] {
  const old = before.sections[section]
  const again = now.sections[section]
  switch (section) {
    case "key":
    case "parameters": {
      const paths = [...new Set([...old, ...again].map(({ path }) => path))]
      const hashAt = (segments: readonly Segment[], path: string) =>
        segments.find((one) => one.path === path)?.hash
      return paths.flatMap((path) => (hashAt(old, path) === hashAt(again, path) ? [] : partOf(section, path)))
    }
    case "messages":
      return old.every(({ hash }, i) => hash === again[i]?.hash) ? [] : ["messages"]
    default:
      return old.length === again.length && old.every(({ hash }, i) => hash === again[i]?.hash)
        ? []
        : [section]
  }
}

const PARAMETERS: Readonly<Record<string, CacheKeyPart>> = {
  model: "model",
  prompt_cache_key: "key",
  "reasoning.effort": "effort",
  "text.format": "format",
  "text.verbosity": "verbosity",
  service_tier: "tier",
}

/** Names the part. A parameter without a word of its own shows in the conversation, if at all. */
function partOf(section: Section, path: string): readonly CacheKeyPart[] {
  if (section === "key" || section === "parameters") {
    const part = PARAMETERS[path]
    if (part !== undefined) return [part]
    return section === "key" ? [] : ["messages"]
  }
  return [section]
}
