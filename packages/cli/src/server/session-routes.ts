import { randomUUID } from "node:crypto"
import type { IncomingHttpHeaders } from "node:http"
import type { Origin, Receipt } from "@sotto/core"
import { activeTelemetry, type SessionCommand } from "@sotto/harness"
import type { Caller } from "./access.js"
import { ApiError, notFound } from "./errors.js"
import { type Route, route } from "./route.js"
import * as schema from "./schemas.js"
import type { Hub } from "./sessions/hub.js"
import type { Reading } from "./sessions/reading.js"
import { afterOf, type Streams } from "./sse.js"

export interface SessionServices {
  readonly hub: Hub
  readonly reading: Reading
  readonly streams: Streams
}

export function sessionRoutes({ hub, reading, streams }: SessionServices): readonly Route[] {
  /** Has a command carried out. False if its holder has yet to do it. */
  const done = async (id: string, command: SessionCommand) => {
    const posted = await hub.command(id, command)
    return { json: { done: posted.is === "done" }, ...(posted.is === "waiting" && { status: 202 }) }
  }
  const receiptOf = (id: string, messageId: string) => hub.feed(id).following.session.receipt(messageId)

  /** Changes or cancels a message that waits. */
  const change = async (id: string, messageId: string, command: SessionCommand) => {
    const posted = await hub.command(id, command)
    if (posted.is === "waiting") return { status: 202, json: { id: messageId, state: "queued" } }
    const receipt = receiptOf(id, messageId)
    if (posted.result !== false && receipt) return { json: receipt }
    if (receipt === undefined)
      throw notFound(
        `There is no message "${messageId}" in session ${id}.`,
        "GET /sessions/{id} lists what is queued.",
      )
    throw new ApiError(
      409,
      "not-queued",
      `The message "${messageId}" is ${receipt.state} already.`,
      "Say something new instead.",
    )
  }

  return [
    route({
      method: "post",
      path: "/sessions",
      summary: "Opens a new session",
      open: "user",
      body: schema.createBody,
      answer: schema.sessionDetail,
      status: 201,
      handle: async ({ body: { cwd, workspace, model, agent } }) => {
        const id = await hub.create({
          cwd,
          workspace,
          ...(model !== undefined && { model }),
          ...(agent !== undefined && { agent }),
        })
        return { status: 201, json: reading.detail(id) }
      },
    }),
    route({
      method: "get",
      path: "/sessions",
      summary: "The sessions, the newest first",
      open: "user",
      query: schema.listQuery,
      answer: schema.sessionList,
      handle: ({ query: { limit, before } }) => ({ json: reading.list(limit, before) }),
    }),
    route({
      method: "get",
      path: "/sessions/{id}",
      summary: "One session: what it does, what waits, what it asks",
      open: "user",
      params: schema.sessionParams,
      answer: schema.sessionDetail,
      handle: ({ params: { id } }) => ({ json: reading.detail(id) }),
    }),
    route({
      method: "post",
      path: "/sessions/{id}/say",
      summary:
        "Says something: a prompt when the session is idle, else for its inbox. The same id twice is the same message",
      open: "any",
      params: schema.sessionParams,
      body: schema.sayBody,
      answer: schema.receipt,
      handle: async ({ params: { id }, body: { text, delivery, id: given }, caller, outgoing }) => {
        const known = given ?? `m-${randomUUID()}`
        const message = nameFor(caller, known)
        const command: SessionCommand = {
          type: "say",
          text,
          id: message,
          origin: originOf(caller),
          ...(delivery !== undefined && { delivery: deliveryFor(caller, delivery) }),
        }
        // A channel could keep its turns out of the traces by a parent that is not sampled.
        if (caller.is === "user") activeTelemetry()?.sentBy(message, traceOf(outgoing.req.headers))
        const posted = await hub.command(id, command)
        if (posted.is === "waiting") return { status: 202, json: { id: known, state: "queued" } }
        const receipt = (posted.result as Receipt | undefined) ?? receiptOf(id, message)
        return { json: { ...receipt, id: known } }
      },
    }),
    route({
      method: "get",
      path: "/sessions/{id}/receipts/{messageId}",
      summary: "What has become of a message",
      open: "any",
      params: schema.messageParams,
      answer: schema.receipt,
      handle: ({ params: { id, messageId }, caller }) => {
        const { session } = hub.feed(id).following
        const name = nameFor(caller, messageId)
        const said = session.log.find((entry) => entry.type === "said" && entry.id === name)
        const isOwn = said?.type === "said" && (caller.is === "user" || isFrom(said.origin, caller.name))
        const receipt = session.receipt(name)
        if (!isOwn || receipt === undefined)
          throw notFound(`There is no message "${messageId}".`, "Use the id of the receipt that `say` gave.")
        return { json: { ...receipt, id: messageId } }
      },
    }),
    route({
      method: "post",
      path: "/sessions/{id}/agent",
      summary: "Another agent answers from the next step on",
      open: "user",
      params: schema.sessionParams,
      body: schema.agentBody,
      answer: schema.doneAnswer,
      handle: ({ params: { id }, body: { name, agent } }) =>
        done(id, { type: "agent", name: name ?? agent ?? "" }),
    }),
    route({
      method: "post",
      path: "/sessions/{id}/model",
      summary: "Another model answers from the next request that can start an epoch",
      open: "user",
      params: schema.sessionParams,
      body: schema.modelBody,
      answer: schema.doneAnswer,
      handle: ({ params: { id }, body: { model } }) => done(id, { type: "model", model }),
    }),
    route({
      method: "post",
      path: "/sessions/{id}/answer",
      summary: "Answers a question or a permission prompt, by its id",
      open: "user",
      params: schema.sessionParams,
      body: schema.answerBody,
      answer: schema.doneAnswer,
      handle: async ({ params: { id }, body: { id: question, answer } }) => {
        const isOpen = hub.feed(id) && (hub.runner(id) !== undefined || hub.isHeldElsewhere(id))
        const posted = isOpen ? await hub.command(id, { type: "answer", id: question, answer }) : undefined
        if (posted?.is === "waiting") return { status: 202, json: { done: false } }
        if (posted?.result === true) return { json: { done: true } }
        throw new ApiError(
          404,
          "unknown-question",
          `Nobody asked "${question}", or it has been answered.`,
          "GET /sessions/{id} lists the questions that are open.",
        )
      },
    }),
    route({
      method: "post",
      path: "/sessions/{id}/abort",
      summary: "Ends the turn where it is. What was said and not delivered waits for the next prompt",
      open: "user",
      params: schema.sessionParams,
      body: schema.abortBody,
      answer: schema.queueAnswer,
      handle: async ({ params: { id } }) => {
        const posted = await hub.command(id, { type: "abort" })
        return { json: { queue: reading.queue(id) }, ...(posted.is === "waiting" && { status: 202 }) }
      },
    }),
    route({
      method: "patch",
      path: "/sessions/{id}/queue/{messageId}",
      summary: "Changes a message that was not delivered yet",
      open: "user",
      params: schema.messageParams,
      body: schema.editBody,
      answer: schema.receipt,
      handle: ({ params: { id, messageId }, body: { text, delivery } }) =>
        change(id, messageId, {
          type: "edit",
          id: messageId,
          ...(text !== undefined && { text }),
          ...(delivery !== undefined && { delivery }),
        }),
    }),
    route({
      method: "delete",
      path: "/sessions/{id}/queue/{messageId}",
      summary: "Takes a message back that was not delivered yet",
      open: "user",
      params: schema.messageParams,
      answer: schema.receipt,
      handle: ({ params: { id, messageId } }) => change(id, messageId, { type: "cancel", id: messageId }),
    }),
    route({
      method: "post",
      path: "/sessions/{id}/reminders",
      summary: "Switches a kind of reminder off, or on again, for this session",
      open: "user",
      params: schema.sessionParams,
      body: schema.kindBody,
      answer: schema.doneAnswer,
      handle: ({ params: { id }, body }) => done(id, { type: "reminder", ...body }),
    }),
    route({
      method: "get",
      path: "/sessions/{id}/events",
      summary: "What happens, as server-sent events, from a number on",
      open: "user",
      params: schema.sessionParams,
      query: schema.eventsQuery,
      answer: schema.eventAnswer,
      isStream: true,
      handle: ({ params: { id }, query: { from }, outgoing, lastEvent }) => {
        const feed = hub.feed(id)
        let stop = () => {}
        const stream = streams.open(outgoing, feed, afterOf(from, lastEvent), () => stop())
        stop = feed.read({
          more: () => stream.more(),
          now: (event) => stream.now(event),
          end: () => stream.end(),
        })
        return undefined
      },
    }),
    route({
      method: "get",
      path: "/sessions/{id}/log",
      summary: "The entries of the log",
      open: "user",
      params: schema.sessionParams,
      query: schema.logQuery,
      answer: schema.logAnswer,
      handle: ({ params: { id }, query: { from, limit } }) => ({ json: reading.log(id, from, limit) }),
    }),
    route({
      method: "get",
      path: "/sessions/{id}/steps",
      summary: "The requests that were answered, a row each",
      open: "user",
      params: schema.sessionParams,
      query: schema.partQuery,
      answer: schema.rowsAnswer,
      handle: ({ params: { id }, query: { from, limit } }) => ({ json: reading.rows(id, from, limit) }),
    }),
    route({
      method: "get",
      path: "/sessions/{id}/requests/{n}",
      summary: "Request n of the session, counted from 1: as it was sent, and laid out for reading",
      open: "user",
      params: schema.stepParams,
      query: schema.requestQuery,
      answer: schema.pageAnswer,
      handle: ({ params: { id, n }, query: { from, limit, dialect, whole, body = true } }) => ({
        json: reading.request(id, n, {
          body,
          ...(from !== undefined && { from }),
          ...(limit !== undefined && { limit }),
          ...(dialect !== undefined && { dialect }),
          ...(whole !== undefined && { whole }),
        }),
      }),
    }),
    route({
      method: "get",
      path: "/sessions/{id}/requests/{n}/body",
      summary: "Only the body of request n, as it was sent",
      open: "user",
      params: schema.stepParams,
      query: schema.bodyQuery,
      answer: schema.anyAnswer,
      handle: ({ params: { id, n }, query: { dialect } }) => ({ json: reading.body(id, n, dialect) }),
    }),
    route({
      method: "get",
      path: "/sessions/{id}/ledger",
      summary: "What every rule said at every step, and why the others kept silent",
      open: "user",
      params: schema.sessionParams,
      query: schema.partQuery,
      answer: schema.ledgerAnswer,
      handle: ({ params: { id }, query: { from, limit } }) => ({ json: reading.ledger(id, from, limit) }),
    }),
    route({
      method: "get",
      path: "/sessions/{id}/asides",
      summary: "What the model was told beside the conversation",
      open: "user",
      params: schema.sessionParams,
      query: schema.asidesQuery,
      answer: schema.asidesAnswer,
      handle: ({ params: { id }, query: { step } }) => ({ json: reading.asides(id, step) }),
    }),
    route({
      method: "get",
      path: "/sessions/{id}/breaks",
      summary: "Where a request did not continue the one before it",
      open: "user",
      params: schema.sessionParams,
      answer: schema.breaksAnswer,
      handle: ({ params: { id } }) => ({ json: reading.breaks(id) }),
    }),
    route({
      method: "get",
      path: "/sessions/{id}/search",
      summary: "Where a text first stands in what was sent",
      open: "user",
      params: schema.sessionParams,
      query: schema.searchQuery,
      answer: schema.searchAnswer,
      handle: ({ params: { id }, query: { q, limit } }) => ({ json: reading.search(id, q, limit) }),
    }),
  ]
}

/** Where the message comes from, as W3C Trace Context has it. */
function traceOf({ traceparent, tracestate }: IncomingHttpHeaders) {
  return { traceparent: String(traceparent ?? ""), tracestate: String(tracestate ?? "") }
}

/** Who says it follows from the credential, and from nothing that the request says. */
function originOf(caller: Caller): Origin {
  return caller.is === "user" ? { kind: "human" } : { kind: "channel", server: caller.name }
}

/** Ids of one channel never meet those of the user or of another channel. */
function nameFor(caller: Caller, id: string): string {
  return caller.is === "user" ? id : `${caller.name}/${id}`
}

/** Only the user may cut the model short. */
function deliveryFor(caller: Caller, delivery: "next-step" | "after-turn" | "now" | "passive") {
  if (caller.is === "user" || delivery !== "now") return delivery
  throw new ApiError(403, "forbidden", 'A channel cannot say something "now".', 'Use "next-step".')
}

function isFrom(origin: Origin, channel: string): boolean {
  return origin.kind === "channel" && origin.server === channel
}
