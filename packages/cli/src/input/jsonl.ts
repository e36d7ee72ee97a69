import type { Delivery, Origin } from "@sotto/core"

/** A line of `--input jsonl`. */
export type InputCommand =
  | {
      readonly type: "say"
      readonly text: string
      readonly origin?: Origin
      readonly delivery?: Delivery
      readonly id?: string
      /** Layer 3 of the system prompt for the turn that this message opens. */
      readonly system?: string
      /** The model sees it, the user does not. */
      readonly hidden?: boolean
    }
  | { readonly type: "agent"; readonly name: string }
  | { readonly type: "model"; readonly model: string }
  | { readonly type: "answer"; readonly id: string; readonly answer: string }
  | { readonly type: "edit"; readonly id: string; readonly text?: string; readonly delivery?: Delivery }
  | { readonly type: "cancel"; readonly id: string }
  | { readonly type: "compact"; readonly focus?: string }
  | { readonly type: "rewind"; readonly id: string; readonly files: boolean }
  | { readonly type: "auto"; readonly on: boolean }
  | { readonly type: "style"; readonly name: string }
  | { readonly type: "task"; readonly id: string; readonly do: "progress" | "stop" }
  | { readonly type: "remind"; readonly text: string }
  | { readonly type: "abort" }

/** A line that is not a command. The error names the line's number, nothing of the line is done, and the run goes on. */
export class InputError extends Error {
  override readonly name = "InputError"
}

/** The fields of each command, beside its type. */
const FIELDS: Readonly<Record<InputCommand["type"], readonly string[]>> = {
  say: ["text", "origin", "delivery", "id", "system", "hidden"],
  agent: ["name"],
  model: ["model"],
  answer: ["id", "answer"],
  edit: ["id", "text", "delivery"],
  cancel: ["id"],
  compact: ["focus"],
  rewind: ["id", "files"],
  auto: ["on"],
  style: ["name"],
  task: ["id", "do"],
  remind: ["text"],
  abort: [],
}
const DELIVERIES: readonly string[] = ["next-step", "after-turn", "now", "passive"]
const ORIGINS: readonly string[] = ["human", "task-notification", "coordinator", "channel"]

export function parseCommand(line: string, number: number): InputCommand {
  const wrong = (what: string) => new InputError(`line ${number}: ${what}`)
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    throw wrong(`not JSON: ${line.slice(0, 80)}`)
  }
  if (value === null || typeof value !== "object" || Array.isArray(value)) throw wrong("not an object")
  const fields = value as Readonly<Record<string, unknown>>
  const { type, ...given } = fields
  if (!isType(type))
    throw wrong(`unknown type ${JSON.stringify(type)}; use ${Object.keys(FIELDS).join(", ")}`)
  // A stop is obeyed whatever else its line says.
  if (type !== "abort") onlyKnown(given, FIELDS[type], `"${type}"`, wrong)
  const text = (name: string): string => {
    const found = fields[name]
    if (typeof found !== "string") throw wrong(`"${type}" needs "${name}", a text`)
    return found
  }
  const id = fields.id === undefined ? {} : { id: text("id") }
  switch (type) {
    case "say":
      return {
        type: "say",
        text: words(text("text"), wrong),
        ...id,
        ...deliveryIn(fields, wrong),
        ...originIn(fields, wrong),
        ...(fields.system !== undefined && { system: text("system") }),
        ...(fields.hidden !== undefined && { hidden: flagIn(fields, "hidden", wrong) ?? false }),
      }
    case "agent":
      return { type: "agent", name: text("name") }
    case "model":
      return { type: "model", model: text("model") }
    case "answer":
      return { type: "answer", id: text("id"), answer: text("answer") }
    case "edit":
      return {
        type: "edit",
        id: text("id"),
        ...(fields.text !== undefined && { text: text("text") }),
        ...deliveryIn(fields, wrong),
      }
    case "cancel":
      return { type: "cancel", id: text("id") }
    case "compact":
      return { type: "compact", ...(fields.focus !== undefined && { focus: text("focus") }) }
    case "rewind":
      return { type: "rewind", id: text("id"), files: flagIn(fields, "files", wrong) ?? false }
    case "auto":
      if (typeof fields.on !== "boolean") throw wrong('"auto" needs "on", true or false')
      return { type: "auto", on: fields.on }
    case "style":
      return { type: "style", name: text("name") }
    case "task":
      if (fields.do !== "progress" && fields.do !== "stop") throw wrong('"task" needs "do", progress or stop')
      return { type: "task", id: text("id"), do: fields.do }
    case "remind":
      return { type: "remind", text: words(text("text"), wrong) }
    case "abort":
      return { type: "abort" }
  }
}

type Wrong = (what: string) => InputError

function isType(type: unknown): type is InputCommand["type"] {
  return typeof type === "string" && Object.hasOwn(FIELDS, type)
}

/**
 * Refuses a line with a field that means nothing. Obeying the rest would do something else than was asked:
 * `"delivry": "after-turn"` would steer the running turn.
 */
function onlyKnown(
  given: Readonly<Record<string, unknown>>,
  known: readonly string[],
  whose: string,
  wrong: Wrong,
): void {
  const unknown = Object.keys(given).find((name) => !known.includes(name))
  if (unknown === undefined) return
  const fields = known.length === 0 ? "no fields" : `the fields ${known.join(", ")}`
  throw wrong(`unknown field ${JSON.stringify(unknown)}, so nothing was done; ${whose} has ${fields}`)
}

/** A message of nothing but space would wake a model that has nothing to answer. */
function words(text: string, wrong: Wrong): string {
  if (text.trim() === "") throw wrong('"text" is empty')
  return text
}

function deliveryIn(
  fields: Readonly<Record<string, unknown>>,
  wrong: Wrong,
): { readonly delivery?: Delivery } {
  const { delivery } = fields
  if (delivery === undefined) return {}
  if (typeof delivery !== "string" || !DELIVERIES.includes(delivery))
    throw wrong(`"delivery" is one of ${DELIVERIES.join(", ")}`)
  return { delivery: delivery as Delivery }
}

function flagIn(fields: Readonly<Record<string, unknown>>, name: string, wrong: Wrong): boolean | undefined {
  const flag = fields[name]
  if (flag !== undefined && typeof flag !== "boolean") throw wrong(`"${name}" is true or false`)
  return flag
}

/** Written as `{"kind":"channel","server":"ci"}`, or only the kind where that is all. */
function originIn(fields: Readonly<Record<string, unknown>>, wrong: Wrong): { readonly origin?: Origin } {
  const { origin } = fields
  if (origin === undefined) return {}
  const { kind, ...rest } =
    typeof origin === "string" ? { kind: origin } : ((origin ?? {}) as Readonly<Record<string, unknown>>)
  if (typeof kind !== "string" || !ORIGINS.includes(kind))
    throw wrong(`"origin" has a kind: ${ORIGINS.join(", ")}`)
  onlyKnown(rest, kind === "channel" ? ["server"] : [], `an origin of kind "${kind}"`, wrong)
  if (kind !== "channel") return { origin: { kind } as Origin }
  const { server } = rest
  if (typeof server !== "string") throw wrong('an origin of kind "channel" needs "server"')
  return { origin: { kind: "channel", server } }
}
