import { resolve } from "node:path"
import { parseArgs } from "node:util"
import { err, out } from "../screen/printer.js"
import { addChannel, readChannels, removeChannel } from "../server/channels.js"
import { type AccessToken, addToken, readTokens, removeToken, SCOPES, type Scope } from "../server/tokens.js"
import { EXIT, UsageError } from "../usage.js"
import type { CommandOptions } from "./subcommand.js"

const DAY_MS = 24 * 60 * 60_000

export const TOKEN_OPTIONS = {
  scope: {
    type: "string",
    value: "LIST",
    help: "what it may do: look (read), say something and end turns (talk), answer questions (answer),\neverything else (administer)",
  },
  session: { type: "string", multiple: true, value: "ID", help: "only this session; may be repeated" },
  label: {
    type: "string",
    multiple: true,
    value: "LABEL",
    help: "only sessions with this label; may be repeated",
  },
  folder: {
    type: "string",
    multiple: true,
    value: "DIR",
    help: "only sessions in this folder or below it; may be repeated",
  },
  expires: { type: "string", value: "DAYS", help: "it is of no use after so many days" },
  "as-user": {
    type: "boolean",
    help: "what it says is said by you; else by a channel of its name, unless it may administer",
  },
} as const satisfies CommandOptions

/** Runs `sotto serve channel add|remove|list`: credentials of those who may only send messages. */
export function channel([action, name]: readonly string[]): number {
  if (action === "add" && name !== undefined) {
    const taken = readTokens(process.env).map((one) => one.name)
    out.line(addChannel(process.env, name, taken))
    err.line(`This token lets the channel "${name}" send messages. It is shown only now.`)
  } else if (action === "remove" && name !== undefined) removeChannel(process.env, name)
  else if (action === "list" || action === undefined)
    for (const { name: known, created } of readChannels(process.env))
      out.line(`${known}  ${new Date(created).toISOString()}`)
  else throw new UsageError("sotto serve channel add NAME, remove NAME or list.")
  return EXIT.done
}

/** Runs `sotto serve token add|remove|list`: credentials of those who may do a part of what the user may. */
export function token(args: readonly string[]): number {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: TOKEN_OPTIONS,
    allowPositionals: true,
  })
  const [action, name] = positionals
  if (action === "add" && name !== undefined) {
    const { session, label, folder, expires } = values
    const scopes = scopesIn(values.scope)
    const granted = {
      scopes,
      ...(values["as-user"] && { asUser: true }),
      ...(session && { sessions: session }),
      ...(label && { labels: label }),
      ...(folder && { folders: folder.map((one) => resolve(one)) }),
      ...(expires !== undefined && { expires: Date.now() + daysIn(expires) * DAY_MS }),
    }
    const taken = readChannels(process.env).map((one) => one.name)
    out.line(addToken(process.env, name, granted, taken))
    err.line(`This token lets "${name}" ${scopes.join(", ")}. It is shown only now.`)
  } else if (action === "remove" && name !== undefined) removeToken(process.env, name)
  else if (action === "list" || action === undefined)
    for (const one of readTokens(process.env)) out.line(described(one))
  else throw new UsageError("sotto serve token add NAME --scope LIST, remove NAME or list.")
  return EXIT.done
}

function scopesIn(given: string | undefined): readonly Scope[] {
  const names = given?.split(",") ?? []
  const isScope = (name: string): name is Scope => SCOPES.some((one) => one === name)
  if (names.length === 0 || !names.every(isScope))
    throw new UsageError(`--scope: name some of ${SCOPES.join(", ")}, with commas between them.`)
  return names
}

function daysIn(given: string): number {
  const days = Number(given)
  if (!/^\d+$/.test(given) || days < 1)
    throw new UsageError(`--expires ${given}: use a number of days, from 1 on.`)
  return days
}

function described({
  name,
  scopes,
  asUser,
  sessions,
  labels,
  folders,
  created,
  expires,
}: AccessToken): string {
  const limits = [
    ...(sessions ?? []).map((one) => `session ${one}`),
    ...(labels ?? []).map((one) => `label ${one}`),
    ...(folders ?? []).map((one) => `folder ${one}`),
  ]
  return [
    name,
    scopes.join(","),
    ...(asUser ? ["as user"] : []),
    limits.length === 0 ? "all sessions" : limits.join(", "),
    `since ${new Date(created).toISOString()}`,
    ...(expires === undefined ? [] : [`until ${new Date(expires).toISOString()}`]),
  ].join("  ")
}
