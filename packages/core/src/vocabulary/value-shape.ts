import type { Capabilities } from "./capabilities.js"
import type { EconomyAccount, EconomyRates } from "./economy.js"
import { isBase64 } from "./message.js"
import type { ModelChoice } from "./model.js"
import { THINK_LEVELS } from "./model-settings.js"
import {
  either,
  exactly,
  flag,
  json,
  list,
  map,
  maybe,
  name,
  number,
  object,
  type Shape,
  should,
  tagged,
  text,
  whole,
} from "./shape.js"
import type { Bill, SideQuestion } from "./side.js"
import { isFrameTag, isGuardedTag } from "./tags.js"

/** One shape for each field of a type, so that the compiler asks for one that is missing. */
export type FieldShapes<T> = { readonly [K in keyof T]-?: Shape }

export const count = whole(0)
export const tokens = maybe(count)
export const texts = list(text)
const nothing: Shape = (value) => (value === null ? undefined : " should be null")

export const delivery = exactly("next-step", "after-turn", "now", "passive")
/** A dialect may have carriers of its own. */
export const carrier = name
export const trust = exactly("harness", "user", "untrusted")

const hiding = { synthetic: maybe(flag), ignored: maybe(flag) }
const verbatim = maybe(object({ dialect: text, block: json, sent: maybe(json) }))

/**
 * Base64 that is not empty. Only what is given now has to be so: logs of older versions may hold media that no provider can
 * read, and these are restored, and left out of what is sent.
 */
export const base64: Shape = (value) =>
  isBase64(value) ? undefined : (text(value) ?? should("base64 without a `data:` prefix", value))

const mediaWith = (data: Shape) => {
  const media = object({ mediaType: text, data, name: maybe(text), ...hiding })
  return { image: media, file: media }
}
export const mediaList = (data: Shape) => list(tagged("type", mediaWith(data)))
export const contentsWith = (data: Shape) =>
  list(tagged("type", { text: object({ text, ...hiding }), ...mediaWith(data) }))
export const contents = contentsWith(text)
const assistantShapes = {
  text: object({ text, ...hiding, verbatim }),
  reasoning: object({ text, signature: maybe(text), verbatim }),
  "tool-call": object({ id: text, name: text, input: json, unfinished: maybe(flag), verbatim }),
}

export const origin = tagged("kind", {
  human: object({}),
  "task-notification": object({ task: maybe(exactly("agent", "command")), failed: maybe(flag) }),
  coordinator: object({}),
  channel: object({ server: text }),
})

/** Providers count, and not all of them count everything. */
const counted = maybe(either(number, nothing))
export const usageFields = { input: counted, output: counted, cacheRead: counted, cacheWrite: counted }
export const reply = object({
  parts: list(tagged("type", assistantShapes)),
  stop: maybe(text),
  why: maybe(text),
  cut: maybe(texts),
  usage: maybe(object(usageFields)),
  diagnostics: maybe(object({ message: text, reason: maybe(text), tokens: maybe(number) })),
})
export const sidePrices = object({ side: maybe(number), transcript: maybe(number) })
export const bill: FieldShapes<Bill> = {
  purpose: name,
  model: text,
  usage: maybe(object(usageFields)),
  way: maybe(exactly("side", "transcript")),
  prices: maybe(sidePrices),
  cacheLifetime: maybe(number),
}
export const sideQuestion: FieldShapes<SideQuestion> = { purpose: name, ask: text, answer: maybe(flag) }
export const interrupts = maybe(object({ request: text, kept: reply, tokens }))

export const messageWith = (data: Shape) =>
  object({
    id: text,
    role: exactly("user", "assistant", "tool"),
    parts: list(
      tagged("type", {
        ...assistantShapes,
        ...mediaWith(data),
        "tool-result": object({ callId: text, output: contentsWith(data), error: maybe(flag) }),
      }),
    ),
    agent: maybe(text),
  })

export const fact = tagged("is", {
  known: object({ value: json }),
  unavailable: object({ last: maybe(json) }),
  removed: object({}),
})

const capabilityFields: FieldShapes<Capabilities> = {
  systemMessages: flag,
  toolResultReminders: flag,
  prefill: flag,
  images: flag,
  documents: flag,
  contentParts: flag,
  toolChanges: flag,
  tiedReasoning: flag,
  contextWindow: number,
  carriers: maybe(texts),
  cacheBreakpoints: maybe(flag),
}
const someCapabilities = object(
  Object.fromEntries(Object.entries(capabilityFields).map(([name, shape]) => [name, maybe(shape)])),
)
export const samplingFields = { temperature: maybe(number), topP: maybe(number) }
export const tuningFields = {
  ...samplingFields,
  think: maybe(exactly(...THINK_LEVELS)),
  options: maybe(map(json)),
}
const modelFields: FieldShapes<ModelChoice> = {
  id: text,
  dialect: maybe(text),
  capabilities: maybe(someCapabilities),
  ...tuningFields,
  variant: maybe(text),
  variants: maybe(map(object(tuningFields))),
  override: maybe(object(tuningFields)),
}
export const model = object(modelFields)

export const tool = object({
  name: text,
  description: text,
  inputSchema: (value) => map(json)(value),
  provided: maybe(exactly("search")),
  safeToRepeat: maybe(flag),
  results: maybe(
    object({ old: maybe(exactly("stub", "tail", "keep")), reads: maybe(text), edits: maybe(text) }),
  ),
})

const roster = object({ on: texts, off: texts })
export const format = whole(1)
const pins = object({
  format,
  model: text,
  agent: text,
  prompt: either(nothing, either(object({ add: text }), text)),
  system: text,
  tools: list(tool),
  stated: map(json),
  roster,
  neutralised: count,
  capabilities: object(capabilityFields),
  dialect: maybe(text),
  think: maybe(exactly(...THINK_LEVELS)),
  options: maybe(map(json)),
  nonce: maybe(text),
  cacheKey: maybe(text),
  idTags: flag,
  dropsReasoning: maybe(exactly(true)),
})
export const epoch = object({
  reasons: list(
    exactly(
      "start",
      "compaction",
      "snip",
      "rewind",
      "model",
      "agent",
      "carrier",
      "system",
      "trust",
      "format",
      "economy",
    ),
  ),
  pins,
  tokens,
  forget: texts,
  dropped: maybe(list(object({ id: text, text }))),
  reasoning: maybe(exactly("close", "drop")),
})
const rates: FieldShapes<EconomyRates> = { read: number, write: number, writeHour: number, output: number }
const accountFields: FieldShapes<EconomyAccount> = {
  stale: number,
  paid: number,
  price: number,
  summary: object({ paid: number, price: number }),
  lifetime: number,
  extended: maybe(exactly(true)),
  regret: number,
  rates: object(rates),
  tokens: number,
  because: maybe(text),
}
export const account = object(accountFields)

const bodyWith = (isTag: (name: string) => boolean, data: Shape) =>
  object({
    text,
    source: text,
    trust: exactly("user", "untrusted"),
    tag: maybe((value) =>
      typeof value === "string" && isTag(value) ? undefined : should("a frame tag", value),
    ),
    attributes: maybe(map(text)),
    media: maybe(mediaList(data)),
  })
/** The body of a form that a rule returns. */
export const body = bodyWith(isFrameTag, base64)
export const reminder = object({
  kind: text,
  key: text,
  trust,
  tokens: number,
  line: text,
  body: maybe(bodyWith(isGuardedTag, text)),
  carrier: maybe(text),
})
export const outcome = tagged("outcome", {
  spoke: object({ kind: text, key: text, tokens: number }),
  "over-budget": object({ kind: text, key: text, tokens: number }),
  throttled: object({ kind: text, key: text, until: text }),
  failed: object({ kind: text, error: text }),
  nothing: object({ kind: text, key: text, why: text }),
})
export const frame = object({ before: text, after: maybe(text), apart: maybe(text) })
