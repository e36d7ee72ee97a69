import type { ModelChoice } from "@sotto/core"
import { about, flag, type JsonSchema, name, oneOf, text, words } from "../../settings/config/shape.js"
import type { TaskControl } from "../../tools/tasks/control.js"
import {
  CommandError,
  type CommandFields,
  delivery,
  type FieldTable,
  type Given,
  messageId,
  origin,
  parts,
  readFields,
  schemaOf,
} from "./command-fields.js"
import type { Conversation } from "./conversation.js"
import { checkMedia } from "./said-media.js"

/** What commands are carried out on: an open session. */
export interface CommandTarget {
  readonly conversation: Conversation
  readonly tasks: TaskControl
  modelNamed(name: string): ModelChoice
}

/** Runs the part of a command that enters something in the log. A posted command counts as carried out from there on. */
export type Once = (enter: () => void) => void

interface CommandEntry<F extends CommandFields, R extends keyof F & string> extends FieldTable<F> {
  /** What it does, in a sentence without a full stop. */
  readonly summary: string
  readonly required: readonly R[]
  /** True if it returns a promise. It then runs what enters something by `once`. */
  readonly takesTime?: boolean
  /** Returns plain data: a receipt, for example, or nothing. Throws if there is nothing to carry it out on. */
  carryOut(given: Given<F, R>, target: CommandTarget, once: Once): unknown
}

function entry<const F extends CommandFields, const R extends keyof F & string = never>(
  one: CommandEntry<F, R>,
): CommandEntry<F, R> {
  return one
}

const waiting = about(name, "The id of a message that waits.")

const RESTORING = {
  edited: about(
    oneOf("refuse", "skip", "overwrite"),
    "What becomes of files that somebody else has changed since: nothing is done at all, they are left, or they are overwritten. `skip` for rewind unless given, else `refuse`.",
  ),
  preview: about(flag, "True if the answer says what would become of files, and nothing is done."),
}

/**
 * Every command that a session takes from outside. JSONL, HTTP, ACP and commands that are posted through the store are
 * read by this table, so a new command, such as one that gives a standing order, is one entry here and one row in
 * `packages/cli/test/commands.test.ts`. HTTP gives it the path `POST /sessions/{id}/NAME` unless `session-routes.ts` writes
 * a route out, ACP the method `_sotto/NAME`. What an editor says is a prompt of the protocol.
 */
export const SESSION_COMMANDS = {
  say: entry({
    summary:
      "Says something: a prompt when the session is idle, else for its inbox. The same id twice is the same message",
    fields: {
      text: about(words, "The words. Not empty."),
      parts: about(
        parts,
        "Instead of text: texts, images (PNG, JPEG, GIF, WebP) and files (PDF). The user sees a part with `ignored`, the model does not.",
      ),
      origin: about(origin, "Who says it; a human unless given."),
      delivery: about(delivery, "When it reaches the model; `next-step` unless given."),
      id: about(messageId, "Yours to choose: the same id twice is the same message."),
      system: about(text, "Added to the system prompt, for the turn that this message opens."),
      hidden: about(flag, "The model sees it, the user does not."),
    },
    required: [],
    oneOf: ["text", "parts"],
    carryOut: ({ text, parts = [], ...options }, { conversation, modelNamed }) => {
      const { session } = conversation
      // A message that is sent again was checked for the model of its time.
      if (options.id === undefined || session.receipt(options.id) === undefined)
        checkMedia(parts, () => modelNamed(session.model))
      return conversation.say(text ?? parts, options)
    },
  }),
  agent: entry({
    summary: "Another agent answers from the next step on",
    fields: { name: about(name, "The agent's name.") },
    required: ["name"],
    aliases: { agent: "name" },
    carryOut: ({ name }, { conversation }) => conversation.switchAgent(name),
  }),
  model: entry({
    summary: "Another model answers from the next request that can start an epoch",
    fields: { model: about(name, "As `provider/model`.") },
    required: ["model"],
    carryOut: ({ model }, { conversation, modelNamed }) => conversation.switchModel(modelNamed(model)),
  }),
  answer: entry({
    summary: "Answers a question or a permission prompt, by its id",
    fields: { id: about(name, "The id of the question."), answer: about(text, "The answer.") },
    required: ["id", "answer"],
    carryOut: ({ id, answer }, { conversation }) => {
      if (!conversation.answer(id, answer)) throw unknownQuestion(id)
    },
  }),
  edit: entry({
    summary: "Changes a message that was not delivered yet",
    fields: {
      id: waiting,
      text: about(words, "Other words."),
      delivery: about(delivery, "Another time to reach the model."),
    },
    required: ["id"],
    carryOut: ({ id, text, delivery }, { conversation }) => {
      const patch = { ...(text !== undefined && { content: text }), ...(delivery && { delivery }) }
      if (!conversation.edit(id, patch)) throw notQueued(id)
    },
  }),
  cancel: entry({
    summary: "Takes a message back that was not delivered yet",
    fields: { id: waiting },
    required: ["id"],
    carryOut: ({ id }, { conversation }) => {
      if (!conversation.cancel(id)) throw notQueued(id)
    },
  }),
  compact: entry({
    summary: "Puts a summary in the place of what was said, at the next boundary",
    fields: { focus: about(text, "What the summary should keep.") },
    required: [],
    carryOut: ({ focus }, { conversation }) => conversation.compact(focus),
  }),
  undo: entry({
    summary: "Goes back to before the newest turn, with what it did to files. A turn that runs is aborted",
    fields: { files: about(flag, "False leaves files as they are."), ...RESTORING },
    required: [],
    takesTime: true,
    carryOut: (options, { conversation }, once) => conversation.undo({ ...options, once }),
  }),
  redo: entry({
    summary: "Takes the newest rewind or undo back, with what it did to files, until something new is said",
    fields: { files: about(flag, "False leaves files as they are."), ...RESTORING },
    required: [],
    takesTime: true,
    carryOut: (options, { conversation }, once) => conversation.redo({ ...options, once }),
  }),
  rewind: entry({
    summary: "Goes back to before the turn that a prompt opened. A turn that runs is aborted",
    fields: {
      to: about(name, "The id of the prompt."),
      files: about(flag, "True if what was done to files since is undone too, by tools and by commands."),
      ...RESTORING,
    },
    required: ["to"],
    aliases: { id: "to" },
    takesTime: true,
    carryOut: ({ to, ...options }, { conversation }, once) => conversation.rewind(to, { ...options, once }),
  }),
  auto: entry({
    summary: "Allows what would be asked, or asks again. What is denied stays denied",
    fields: { on: about(flag, "True if what would be asked is allowed.") },
    required: ["on"],
    carryOut: ({ on }, { conversation }) => conversation.setAuto(on),
  }),
  style: entry({
    summary: "The agent writes in another style from now on",
    fields: { name: about(name, "The style's name; `default` is the agent's own.") },
    required: ["name"],
    carryOut: ({ name }, { conversation }) => conversation.setStyle(name),
  }),
  task: entry({
    summary: "Stops a background task, or has the model told what is new of it",
    fields: {
      id: about(name, "The task's id, or the name of a member of the team."),
      do: about(oneOf("progress", "stop"), "What to do."),
    },
    required: ["id", "do"],
    takesTime: true,
    carryOut: async ({ id, do: what }, { tasks }) => {
      const done = what === "stop" ? await tasks.stop(id) : tasks.progress(id)
      if (!done) throw new CommandError("unknown-task", `there is no task "${id}" that runs`)
    },
  }),
  remind: entry({
    summary: "Has the model told something at the next boundary, in these words, whatever the budget",
    fields: { text: about(words, "The words. Not empty.") },
    required: ["text"],
    carryOut: ({ text }, { conversation }) => conversation.remind(text),
  }),
  reminder: entry({
    summary: "Switches a kind of reminder off, or on again, for this session",
    fields: { kind: about(name, "The kind."), on: about(flag, "False switches it off.") },
    required: ["kind", "on"],
    carryOut: ({ kind, on }, { conversation }) => conversation.setReminder(kind, on),
  }),
  abort: entry({
    summary: "Ends the turn where it is. What was said and not delivered waits for the next prompt",
    fields: {},
    required: [],
    carryOut: (_, { conversation }) => conversation.abort("the user aborted"),
  }),
}

/** The name of a command. */
export type CommandName = keyof typeof SESSION_COMMANDS

/** A command for a session, as plain data: what can be sent to the process that runs it. */
export type SessionCommand = {
  readonly [T in CommandName]: Readonly<{ type: T }> & Parameters<(typeof SESSION_COMMANDS)[T]["carryOut"]>[0]
}[CommandName]

/** The command of one name. */
export type CommandOf<T extends CommandName> = Extract<SessionCommand, { readonly type: T }>

/** Reads a command with its `type`, such as a line of JSONL. Throws a CommandError that says what is wrong. */
export function readCommand(value: unknown): SessionCommand {
  const { type, ...given } = (value ?? {}) as Readonly<Record<string, unknown>>
  if (value === null || typeof value !== "object" || Array.isArray(value))
    throw new CommandError("bad-command", "not an object")
  if (typeof type !== "string" || !Object.hasOwn(SESSION_COMMANDS, type)) {
    const known = Object.keys(SESSION_COMMANDS).join(", ")
    throw new CommandError("bad-command", `unknown type ${JSON.stringify(type)}; use ${known}`)
  }
  return readCommandOf(type as CommandName, given)
}

/** Reads the fields of a command whose name is known. Fields that the way in gives by itself are left out of it. */
export function readCommandOf<T extends CommandName>(
  type: T,
  given: unknown,
  leftOut: readonly string[] = [],
): CommandOf<T> {
  return { type, ...readFields(type, tableOf(type, leftOut), given) } as CommandOf<T>
}

/** Makes the JSON schema of what `readCommandOf` accepts. */
export function commandSchema(type: CommandName, leftOut: readonly string[] = []): JsonSchema {
  return schemaOf(tableOf(type, leftOut))
}

function tableOf(type: CommandName, leftOut: readonly string[]): FieldTable {
  const { fields, required, oneOf, aliases }: FieldTable = SESSION_COMMANDS[type]
  const isIn = (field: string) => !leftOut.includes(field)
  return {
    fields: Object.fromEntries(Object.entries(fields).filter(([field]) => isIn(field))),
    required: required.filter(isIn),
    ...(oneOf && { oneOf: oneOf.filter(isIn) }),
    ...(aliases && { aliases }),
  }
}

/** Carries out a command. */
export function carryOut(
  command: SessionCommand,
  target: CommandTarget,
  once: Once = (enter) => enter(),
): unknown {
  const { type, ...given } = command
  // The type says which fields the command has; the compiler does not follow that through the table.
  return SESSION_COMMANDS[type].carryOut(given as never, target, once)
}

/** True if carrying out the command returns a promise. */
export function takesTime({ type }: SessionCommand): boolean {
  const { takesTime = false }: { readonly takesTime?: boolean } = SESSION_COMMANDS[type]
  return takesTime
}

/** Makes the error that refuses an answer to a question that is not open. */
export function unknownQuestion(id: string): CommandError {
  return new CommandError("unknown-question", `nobody asked "${id}", or it has been answered`)
}

function notQueued(id: string): CommandError {
  return new CommandError("not-queued", `"${id}" is not queued`)
}
