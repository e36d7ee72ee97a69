import type { IncomingHttpHeaders } from "node:http"
import type { Origin } from "@sotto/core"
import type { CommandOf } from "@sotto/harness"
import type { Caller } from "./access.js"
import { ApiError } from "./errors.js"

/** True if what the caller says is said by the user: a token needs `administer` or `--as-user` for it. */
export function speaksAsUser(caller: Caller): boolean {
  if (caller.is !== "token") return caller.is === "user"
  return caller.grant.asUser === true || caller.grant.scopes.includes("administer")
}

/** Takes the origin from the credential, and from nothing that the request says. */
export function originOf(caller: Caller): Origin {
  return caller.is === "user" || speaksAsUser(caller)
    ? { kind: "human" }
    : { kind: "channel", server: caller.name }
}

/** Makes the id of a caller's message. Ids of one channel never meet those of the user or of another channel. */
export function nameFor(caller: Caller, id: string): string {
  return caller.is === "user" || speaksAsUser(caller) ? id : `${caller.name}/${id}`
}

/** What a channel may say of its message. Everything else is the user's alone, also what is added to `say` later. */
const CHANNEL_FIELDS: readonly string[] = ["type", "text", "delivery", "id"]

/** Refuses what only the user may say. */
export function checkSayFor(caller: Caller, said: CommandOf<"say">): void {
  if (speaksAsUser(caller)) return
  const field = Object.keys(said).find((name) => !CHANNEL_FIELDS.includes(name))
  if (field !== undefined)
    throw new ApiError(403, "forbidden", `A channel cannot send "${field}".`, "Send text, delivery and id.")
  // Only the user may cut the model short.
  if (said.delivery === "now")
    throw new ApiError(403, "forbidden", 'A channel cannot say something "now".', 'Use "next-step".')
}

/** True if the caller may look at a message: it may look at everything, or has said it. */
export function maySee(caller: Caller, origin: Origin): boolean {
  if (caller.is === "user") return true
  if (caller.is === "token" && caller.grant.scopes.includes("read")) return true
  const own = originOf(caller)
  return own.kind === "human" ? origin.kind === "human" : isFrom(origin, caller.name)
}

function isFrom(origin: Origin, channel: string): boolean {
  return origin.kind === "channel" && origin.server === channel
}

export function traceOf({ traceparent, tracestate }: IncomingHttpHeaders) {
  return { traceparent: String(traceparent ?? ""), tracestate: String(tracestate ?? "") }
}
