import { type ClaudeFamily, claudeRelease, refusesSampling, version } from "../../vocabulary/capabilities.js"

/** What Anthropic publishes for single models and the capabilities do not say. Undefined: not known, so not checked. */
export interface ModelLimits {
  readonly maxTokens?: number
  /** temperature, top_p and top_k are gone. */
  readonly noSampling: boolean
  /** temperature and top_p exclude each other. */
  readonly oneSampling: boolean
  /** Thinking takes no budget any more. */
  readonly noBudget: boolean
  readonly adaptive: boolean
  /** It can be told to think at all. */
  readonly thinks: boolean
  /** How much it thinks is said by an effort, not by a budget. */
  readonly takesEffort: boolean
}

/** Sources: the models overview, "What's new in Claude 4.7", "Adaptive thinking". */
export function limitsOf(model: string): ModelLimits {
  const found = claudeRelease(model.toLowerCase())
  if (found === undefined) {
    const maxTokens = olderMaximum(model)
    return {
      noSampling: false,
      oneSampling: false,
      noBudget: false,
      // A name that says nothing may stand for any model.
      adaptive: maxTokens === undefined,
      thinks: maxTokens === undefined || /claude-3-7/.test(model),
      takesEffort: false,
      ...(maxTokens && { maxTokens }),
    }
  }
  const { family, release } = found
  const isNew = refusesSampling(model)
  const maxTokens = maximum(family, release)
  return {
    noSampling: isNew,
    oneSampling: release >= version(4, 1),
    noBudget: isNew,
    adaptive: release >= version(4, 6),
    thinks: true,
    takesEffort: release >= version(4, 6),
    ...(maxTokens && { maxTokens }),
  }
}

function maximum(family: ClaudeFamily, release: number): number | undefined {
  if (family === "haiku" && release < version(5, 5)) return release <= version(4, 5) ? 64_000 : undefined
  if (release >= version(4, 6)) return 128_000
  return family === "opus" && release < version(4, 5) ? 32_000 : 64_000
}

/** Gives the limit of an older model. With a beta header 3.7 writes up to 128,000. */
function olderMaximum(model: string): number | undefined {
  if (/claude-3-7/.test(model)) return 128_000
  if (/claude-3-5/.test(model)) return 8_192
  return /claude-(3|2|instant)/.test(model) ? 4_096 : undefined
}
