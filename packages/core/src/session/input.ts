import { reasonOf, SottoError } from "../errors.js"
import { plain } from "../json.js"
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
} from "../log/shape.js"
import {
  carrier,
  contents,
  delivery,
  message,
  model,
  origin,
  reply,
  texts,
  tool,
  unsoundMedia,
  usageFields,
} from "../log/value-shape.js"
import { STOPS } from "../message/reply.js"

const words: Shape = (value) =>
  Array.isArray(value) ? contents(value) : text(value) && should("a text or a list of parts", value)
const tokens: Shape = (value) =>
  Number.isFinite(value) && Number(value) >= 0 ? undefined : should("a number from 0", value)
/** What a reply is made of, with nothing that the session would not read. Logs may hold more: see `reply`. */
const wholeReply: Shape = (value) =>
  reply(value) ?? object({ stop: maybe(exactly(...STOPS)), usage: maybe(exact(usageFields)) })(value)
const WORDS = '"text" or [{ type: "text", text: "…" }]'
const REPLY = '{ parts: [{ type: "text", text: "…" }, { type: "tool-call", id, name, input }], stop, usage }'

/** What each command takes, by the names of its arguments, and how it is called. */
const COMMANDS = {
  say: [
    {
      content: words,
      options: exact({
        id: maybe(name),
        origin: maybe(origin),
        delivery: maybe(delivery),
        hidden: maybe(flag),
        system: maybe(text),
      }),
    },
    `${WORDS}, { id, origin, delivery, hidden, system }`,
  ],
  note: [{ signal: object({ type: text }) }, '{ type: "…", and further fields }'],
  observe: [{ key: text, value: json }, '"key", value or unavailable() or removed()'],
  switchAgent: [{ name: text }, '"name"'],
  switchModel: [{ model: named(model) }, '{ id: "…", capabilities }'],
  refuseCarrier: [{ carrier }, '"system-message"'],
  partial: [
    { requestId: text, reply: (value) => (typeof value === "function" ? undefined : wholeReply(value)) },
    `request.id, ${REPLY}`,
  ],
  reply: [{ requestId: text, reply: wholeReply }, `request.id, ${REPLY}`],
  result: [
    { callId: text, output: words, options: exact({ error: maybe(flag) }) },
    `call.id, ${WORDS}, { error: true or false }`,
  ],
  abort: [{ reason: maybe(text) }, '"reason"'],
  endTurn: [{ reason: maybe(text) }, '"reason"'],
  edit: [
    { id: text, patch: exact({ content: maybe(words), delivery: maybe(delivery) }) },
    `id, { content: ${WORDS}, delivery }`,
  ],
  cancel: [{ id: text }, "id"],
  compact: [
    {
      summary: text,
      options: exact({
        tail: maybe(tokens),
        closeTurn: maybe(flag),
        why: maybe(exactly("asked", "price", "window")),
      }),
    },
    '"summary", { tail: tokens, closeTurn: true or false }',
  ],
  rewind: [{ to: text, options: exact({ facts: maybe(texts) }) }, 'id, { facts: ["family"] }'],
  offerTools: [{ tools: list(tool) }, '[{ name: "…", description: "…", inputSchema: { type: "object" } }]'],
  setReminder: [{ kind: text, on: flag }, '"kind", true or false'],
  snip: [{ ids: texts }, '["id", "first..last"]'],
  importMessages: [{ messages: list(named(message)) }, `[{ id, role: "user", parts: ${WORDS.slice(10)} }]`],
} satisfies Readonly<Record<string, readonly [Readonly<Record<string, Shape>>, string]>>

/**
 * The arguments of a command as plain data of the right shape: a copy, so that what is logged cannot change later. Throws
 * "bad-input" and names the field otherwise. What passes can be restored: these are the shapes of the log's own entries.
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

/** Refuses images and files that no provider can read: a session with one of them could never be sent again. */
export function checkMedia(where: string, content: unknown): void {
  const wrong = Array.isArray(content) ? unsoundMedia(content) : undefined
  if (wrong !== undefined)
    throw new SottoError("invalid-media", `${where}${wrong}.`, "Pass the file's bytes as base64.")
}

/** Refuses arguments of the wrong shape without copying them: for what is called often with something that grows. */
export function checkShape(command: keyof typeof COMMANDS, given: object): void {
  const wrong = object(COMMANDS[command][0])(given)
  if (wrong !== undefined) throw misused(command, wrong)
}

function misused(command: keyof typeof COMMANDS, wrong: string): SottoError {
  return badInput(command, wrong, `Call ${command}(${COMMANDS[command][1]}), with plain JSON data.`)
}

/** `wrong` begins with a dot and the path of the field. */
export function badInput(called: string, wrong: string, remedy: string): SottoError {
  return new SottoError("bad-input", `${called}: ${wrong.slice(1)}.`, remedy)
}

/** What the shape describes, with an id that can be repeated. */
export function named(shape: Shape): Shape {
  return (value) => shape(value) ?? object({ id: name })(value)
}
