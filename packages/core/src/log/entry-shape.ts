import { FRAME_TAGS } from "../guard/tags.js"
import type { Capabilities } from "../wire/capabilities.js"
import type { Event } from "./entry.js"
import {
  either,
  exactly,
  flag,
  json,
  list,
  map,
  maybe,
  number,
  object,
  type Shape,
  tagged,
  text,
  tuple,
  whole,
} from "./shape.js"

/** One shape for each field of a type, so that the compiler asks for one that is missing. */
type Fields<T> = { readonly [K in keyof T]-?: Shape }

const count = whole(0)
const texts = list(text)
const nothing: Shape = (value) => (value === null ? undefined : " should be null")

const delivery = exactly("next-step", "after-turn", "now", "passive")
const carrier = exactly("system-message", "tool-result", "user-text", "assistant-text")
const trust = exactly("harness", "user", "untrusted")

const hiding = { synthetic: maybe(flag), ignored: maybe(flag) }
const verbatim = maybe(object({ dialect: text, block: json }))
const media = object({ mediaType: text, data: text, name: maybe(text), ...hiding })
const content = tagged("type", { text: object({ text, ...hiding }), image: media, file: media })
const contents = list(content)
const toolResult = object({ callId: text, output: contents, error: maybe(flag) })
const assistantShapes = {
  text: object({ text, ...hiding, verbatim }),
  reasoning: object({ text, signature: maybe(text), verbatim }),
  "tool-call": object({ id: text, name: text, input: json, unfinished: maybe(flag), verbatim }),
}

const origin = tagged("kind", {
  human: object({}),
  "task-notification": object({}),
  coordinator: object({}),
  channel: object({ server: text }),
})

/** Providers count, and not all of them count everything. */
const counted = maybe(either(number, nothing))
const reply = object({
  parts: list(tagged("type", assistantShapes)),
  stop: maybe(text),
  usage: maybe(object({ input: counted, output: counted, cacheRead: counted, cacheWrite: counted })),
  diagnostics: maybe(object({ message: text, reason: maybe(text), tokens: maybe(number) })),
})
const interrupts = maybe(object({ request: text, kept: reply }))

const message = object({
  id: text,
  role: exactly("user", "assistant", "tool"),
  parts: list(tagged("type", { ...assistantShapes, image: media, file: media, "tool-result": toolResult })),
  agent: maybe(text),
})

const fact = tagged("is", {
  known: object({ value: json }),
  unavailable: object({ last: maybe(json) }),
  removed: object({}),
})

const capabilityFields: Fields<Capabilities> = {
  systemMessages: flag,
  toolResultReminders: flag,
  prefill: flag,
  images: flag,
  documents: flag,
  contentParts: flag,
  toolChanges: flag,
  tiedReasoning: flag,
  contextWindow: number,
}
const someCapabilities = object(
  Object.fromEntries(Object.entries(capabilityFields).map(([name, shape]) => [name, maybe(shape)])),
)
const model = object({ id: text, capabilities: maybe(someCapabilities) })

const tool = object({
  name: text,
  description: text,
  inputSchema: (value) => map(json)(value),
  safeToRepeat: maybe(flag),
})

const roster = object({ on: texts, off: texts })
const pins = object({
  format: whole(1),
  model: text,
  agent: text,
  prompt: either(nothing, text),
  system: text,
  tools: list(tool),
  stated: map(json),
  roster,
  neutralised: count,
  capabilities: object(capabilityFields),
  nonce: maybe(text),
  idTags: flag,
})
const epoch = object({
  reasons: list(
    exactly("start", "compaction", "snip", "rewind", "model", "agent", "carrier", "system", "trust"),
  ),
  pins,
  forget: texts,
})

const body = object({
  text,
  source: text,
  trust: exactly("user", "untrusted"),
  tag: maybe(exactly(...FRAME_TAGS)),
  attributes: maybe(map(text)),
  media: maybe(list(tagged("type", { image: media, file: media }))),
})
const reminder = object({
  kind: text,
  key: text,
  trust,
  tokens: number,
  line: text,
  body: maybe(body),
  carrier: maybe(carrier),
})
const outcome = tagged("outcome", {
  spoke: object({ kind: text, key: text, tokens: number }),
  "over-budget": object({ kind: text, key: text, tokens: number }),
  throttled: object({ kind: text, key: text, until: text }),
  failed: object({ kind: text, error: text }),
})
const frame = object({ before: text, after: maybe(text), apart: maybe(text) })

/** The fields of every type of entry, as the log has them. */
export const ENTRY_FIELDS: { readonly [T in Event["type"]]: Fields<Extract<Event, { type: T }>> } = {
  opened: { type: text, version: whole(1), id: text, agent: text, model, nonce: maybe(text) },
  said: {
    type: text,
    id: text,
    content: contents,
    origin,
    delivery,
    hidden: flag,
    system: maybe(text),
    interrupts,
  },
  edited: { type: text, id: text, content: maybe(contents), delivery: maybe(delivery), interrupts },
  cancelled: { type: text, id: text },
  noted: { type: text, signal: (value) => map(json)(value) ?? object({ type: text })(value) },
  observed: { type: text, key: text, fact },
  agent: { type: text, name: text },
  model: { type: text, model },
  step: {
    type: text,
    request: text,
    agent: text,
    turn: whole(1),
    step: whole(1),
    last: flag,
    epoch: maybe(epoch),
    tools: maybe(object({ added: list(tool), removed: texts })),
    delivered: list(object({ id: text, frame: maybe(frame), content: maybe(contents) })),
    reminders: list(reminder),
    outcomes: list(outcome),
    memos: list(tuple(text, text, json)),
    held: list(tuple(text, list(count))),
  },
  replied: { type: text, request: text, reply },
  result: { type: text, callId: text, output: contents, error: flag },
  aborted: { type: text, reason: maybe(text), interrupts },
  recovered: { type: text, calls: texts },
  compacted: { type: text, summary: text, from: maybe(count), closes: maybe(exactly(true)) },
  snipped: { type: text, ids: texts },
  carrier: { type: text, refused: carrier },
  imported: { type: text, messages: list(message) },
  tools: { type: text, tools: list(tool) },
  kind: { type: text, kind: text, on: flag },
  rewound: { type: text, to: text, step: count, facts: texts },
}
