import { bareModel } from "../../vocabulary/fields.js"
import type { ThinkLevel } from "../../vocabulary/model-settings.js"

/** True if OpenAI itself serves a model; the open weights that it gave away are served by others. */
export function isOpenAis(model: string): boolean {
  return /^(gpt-(?!oss)|chatgpt|codex|o\d)/.test(family(model))
}

/** True if another server than OpenAI's takes a model's requests: it may know more than OpenAI publishes. */
export function isOpenSchema(model: string): boolean {
  // "openai/gpt-5" is how gateways name it.
  return model !== "" && (model.includes("/") || !isOpenAis(model))
}

/** True if a model may reason. Those of OpenAI's that do not refuse to be asked for it. */
export function mayReason(model: string): boolean {
  return !/^(gpt-[34]|chatgpt|gpt-[\d.]+-chat)/.test(family(model))
}

const EFFORTS = ["none", "minimal", "low", "medium", "high", "xhigh"] as const

export type Effort = (typeof EFFORTS)[number]

/**
 * Lists the efforts that a model takes, least first. Sources: the models' own pages and what the API answers to others.
 * Models that others serve are taken to know the usual ones.
 */
export function effortsOf(model: string): readonly Effort[] {
  const id = family(model)
  if (!mayReason(model) || /^o1-(mini|preview)/.test(id)) return []
  if (id.includes("gpt-oss") || /^(o\d|codex)/.test(id)) return ["low", "medium", "high"]
  const [, major, minor = "0"] = /^gpt-(\d+)(?:\.(\d+))?/.exec(id) ?? []
  if (major === undefined) return ["none", "low", "medium", "high"]
  const release = Number(major) * 100 + Number(minor)
  const highest: readonly Effort[] = release >= 502 || id.includes("codex-max") ? ["xhigh"] : []
  if (id.includes("pro")) return release >= 502 ? ["medium", "high", ...highest] : ["high"]
  const least: readonly Effort[] = id.includes("codex") ? [] : release >= 501 ? ["none"] : ["minimal"]
  return [...least, "low", "medium", "high", ...highest]
}

const WANTED: Readonly<Record<ThinkLevel, Effort>> = {
  off: "none",
  low: "low",
  medium: "medium",
  high: "high",
  max: "xhigh",
}

/** Finds the effort that is nearest to a level; undefined where there is nothing to choose. */
export function effortFor(level: ThinkLevel | undefined, model: string): Effort | undefined {
  const efforts = effortsOf(model)
  if (level === undefined || efforts.length < 2) return undefined
  const far = (effort: Effort) => Math.abs(EFFORTS.indexOf(effort) - EFFORTS.indexOf(WANTED[level]))
  return efforts.reduce((best, effort) => (far(effort) < far(best) ? effort : best))
}

/** True if a model lets others choose how it picks its words: those of OpenAI's that reason do that themselves. */
export function takesSampling(model: string, effort: string | undefined): boolean {
  if (!isOpenAis(model) || !mayReason(model)) return true
  return /gpt-5\.\d/.test(model) && (effort ?? (reasonsOnlyIfAsked(model) ? "none" : "medium")) === "none"
}

/** True for GPT-5.1 to 5.4, which do not reason unless an effort is given. */
function reasonsOnlyIfAsked(model: string): boolean {
  return /gpt-5\.[1-4](?!\d)(?!.*(codex|pro))/.test(model)
}

function family(model: string): string {
  return bareModel(model).toLowerCase()
}
