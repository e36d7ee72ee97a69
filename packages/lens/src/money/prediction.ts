import { capabilitiesOf } from "@sotto/core"
import { type CachedBlock, type CacheModel, type CacheUse, cacheModel } from "@sotto/core/cache"
import type { HttpDialectName } from "../call.js"
import type { Segment } from "../segments/segment.js"
import type { Snapshot } from "../segments/snapshot.js"

/** Predicts what a provider's cache does with the calls of one thread, by core's model of it. */
export function predictor(dialect: HttpDialectName, model: string): (snapshot: Snapshot) => CacheUse {
  const cache: CacheModel = cacheModel(dialect, { breakpointsOnly: chargesWrites(model) })
  return ({ sections }) => {
    const parameter = (path: string) => sections.parameters.find((one) => one.path === path)?.hash ?? ""
    const blocks = [
      // Another model or another key is another cache.
      {
        section: "tools",
        print: sections.key.map(({ hash }) => hash).join(),
        tokens: 0,
        marked: false,
      } as const,
      ...(["tools", "system", "messages"] as const).flatMap((section) =>
        sections[section].map((segment) => blockOf(segment, section)),
      ),
    ]
    return cache.blocks(blocks, {
      tool_choice: parameter("tool_choice"),
      thinking: `${parameter("thinking")}${parameter("output_config.effort")}`,
      images: sections.messages.some(({ hasMedia }) => hasMedia),
    })
  }
}

function blockOf({ hash, tokens, marked }: Segment, section: CachedBlock["section"]): CachedBlock {
  return { section, print: hash, tokens, marked: marked === true }
}

/** True if the model's cache charges for writes: OpenAI from GPT-5.6 on. */
export function chargesWrites(model: string): boolean {
  return capabilitiesOf(model).cacheBreakpoints === true
}
