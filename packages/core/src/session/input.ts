import { reasonOf, SottoError } from "../vocabulary/errors.js"
import { plain } from "../vocabulary/json.js"
import { STOPS } from "../vocabulary/reply.js"
import {
  exact,
  exactly,
  flag,
  json,
  list,
  maybe,
  name,
  object,
  type Shape,
  should,
  text,
} from "../vocabulary/shape.js"
import {
  base64,
  bill,
  carrier,
  contentsWith,
  delivery,
  mediaList,
  messageWith,
  model,
  origin,
  reply,
  sidePrices,
  sideQuestion,
  texts,
  tool,
  usageFields,
} from "../vocabulary/value-shape.js"

const given = contentsWith(base64)
const words: Shape = (value) =>
  Array.isArray(value) ? given(value) : text(value) && should("a text or a list of parts", value)
const tokens: Shape = (value) =>
  Number.isFinite(value) && Number(value) >= 0 ? undefined : should("a number from 0", value)
/** What a reply is made of, with nothing that the session would not read. Logs may hold more: see `reply`. */
const wholeReply: Shape = (value) =>
  reply(value) ?? object({ stop: maybe(exactly(...STOPS)), usage: maybe(exact(usageFields)) })(value)

/** What the engine itself sends of a signal. */
const MENTION: Shape = (value) =>
  object({ type: exactly("mention.file") })(value) === undefined
    ? object({ media: maybe(mediaList(base64)) })(value)
    : undefined

/** What each command takes, by the names of its arguments. */
const COMMANDS = {
  say: {
    content: words,
    options: exact({
      id: maybe(name),
      origin: maybe(origin),
      delivery: maybe(delivery),
      hidden: maybe(flag),
      system: maybe(text),
    }),
  },
  note: { signal: (value) => object({ type: text })(value) ?? MENTION(value) },
  observe: { key: text, value: json },
  switchAgent: { name: text },
  switchModel: { model: named(model) },
  refuseCarrier: { carrier },
  partial: {
    requestId: text,
    reply: (value) => (typeof value === "function" ? undefined : wholeReply(value)),
  },
  reply: { requestId: text, reply: wholeReply },
  result: { callId: text, output: words, options: exact({ error: maybe(flag) }) },
  side: { question: exact(sideQuestion) },
  sideReply: { requestId: text, reply: wholeReply, options: exact({ prices: maybe(sidePrices) }) },
  bill: { bill: exact({ ...bill, usage: maybe(exact(usageFields)) }) },
  abort: { reason: maybe(text) },
  endTurn: { reason: maybe(text) },
  edit: { id: text, patch: exact({ content: maybe(words), delivery: maybe(delivery) }) },
  cancel: { id: text },
  compact: {
    summary: text,
    options: exact({
      tail: maybe(tokens),
      closeTurn: maybe(flag),
      why: maybe(exactly("asked", "price", "window")),
    }),
  },
  rewind: { to: text, options: exact({ facts: maybe(texts) }) },
  redo: { options: exact({ facts: maybe(texts) }) },
  offerTools: { tools: list(tool) },
  setReminder: { kind: text, on: flag },
  snip: { ids: texts },
  importMessages: { messages: list(named(messageWith(base64))) },
} satisfies Readonly<Record<string, Readonly<Record<string, Shape>>>>

/**
 * Checks the arguments of a command, and copies them as plain data, so that what is logged cannot change later. Throws
 * "bad-input" and names the field otherwise. What passes can be restored: these are the shapes of the log's own
 * entries.
 */
export function checked<T extends object>(command: keyof typeof COMMANDS, given: T): T {
  let copy: T
  try {
    copy = plain(given)
  } catch (error) {
    throw misused(command, reasonOf(error))
  }
  checkShape(command, copy)
  return copy
}

/** Refuses arguments of the wrong shape without copying them: for what is called often with something that grows. */
export function checkShape(command: keyof typeof COMMANDS, given: object): void {
  const wrong = object(COMMANDS[command])(given)
  if (wrong !== undefined) throw misused(command, wrong)
}

function misused(command: keyof typeof COMMANDS, wrong: string): SottoError {
  if (/ should be base64/.test(wrong))
    return new SottoError(
      "invalid-media",
      `${command}: ${wrong.slice(1)}.`,
      "Pass the file's bytes as base64.",
    )
  return badInput(command, wrong, `See the type of Session.${command}, and pass plain JSON data.`)
}

/** Makes the error for a bad argument. `wrong` begins with a dot and the path of the field. */
export function badInput(called: string, wrong: string, remedy: string): SottoError {
  return new SottoError("bad-input", `${called}: ${wrong.slice(1)}.`, remedy)
}

/** Adds to a shape an id that can be repeated. */
export function named(shape: Shape): Shape {
  return (value) => shape(value) ?? object({ id: name })(value)
}
