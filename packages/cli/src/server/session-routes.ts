import { randomUUID } from "node:crypto"
import type { Receipt } from "@sotto/core"
import {
  activeTelemetry,
  type CommandName,
  type CommandOf,
  SESSION_COMMANDS,
  type SessionCommand,
  unknownQuestion,
} from "@sotto/harness"
import type { Caller } from "./access.js"
import { filterOf, listQuery } from "./catalogue-schemas.js"
import { ApiError, apiError, notFound } from "./errors.js"
import { LIMITS, tooLarge } from "./limits.js"
import { type ApiRoute, route } from "./route.js"
import * as schema from "./schemas.js"
import type { Hub } from "./sessions/hub.js"
import type { SessionReader } from "./sessions/session-reader.js"
import { checkSayFor, maySee, nameFor, originOf, speaksAsUser, traceOf } from "./speaker.js"
import { afterOf, type Streams } from "./sse.js"
import type { Tenants } from "./tenants.js"

export interface SessionServices {
  readonly hub: Hub
  readonly reading: SessionReader
  readonly streams: Streams
  readonly tenants: Tenants
}

/** Commands with a route that is written out below: who may use it, its path or its answer differs from the others'. */
const WRITTEN_OUT = ["say", "answer", "edit", "cancel", "abort"] as const
type Uniform = Exclude<CommandName, (typeof WRITTEN_OUT)[number]>
const UNIFORM = (Object.keys(SESSION_COMMANDS) as CommandName[]).filter(
  (type): type is Uniform => !WRITTEN_OUT.some((other) => other === type),
)
const PATHS: Partial<Record<CommandName, string>> = { reminder: "reminders" }

export function sessionRoutes({ hub, reading, streams, tenants }: SessionServices): readonly ApiRoute[] {
  /** Has a command carried out, and answers with what it returns. `done` is false if its holder has yet to do it. */
  const done = async (id: string, command: SessionCommand) => {
    const posted = await hub.command(id, command)
    if (posted.is === "waiting") return { json: { done: false }, status: 202 }
    return { json: { done: true, ...(posted.result ?? {}) } }
  }

  /** The route of a command that is like the others: its fields in the body, at the path of its name. */
  const commandRoute = (type: Uniform) =>
    route({
      method: "post",
      path: `/sessions/{id}/${PATHS[type] ?? type}`,
      summary: SESSION_COMMANDS[type].summary,
      operationId: type,
      scope: "administer",
      params: schema.sessionParams,
      body: schema.commandBody(type),
      answer: schema.answer(["rewind", "undo", "redo"].includes(type) ? "RewindAnswer" : "DoneAnswer"),
      mayWait: true,
      handle: ({ params: { id }, body }) => done(id, body),
    })
  const receiptOf = async (id: string, messageId: string) =>
    (await hub.feed(id)).following.session.receipt(messageId)

  /** Changes or cancels a message that waits. A caller that does not speak as the user has only its own. */
  const change = async (
    id: string,
    messageId: string,
    caller: Caller,
    commandFor: (message: string) => SessionCommand,
  ) => {
    const message = nameFor(caller, messageId)
    let isChanged = true
    try {
      const posted = await hub.command(id, commandFor(message))
      if (posted.is === "waiting") return { status: 202, json: { id: messageId, state: "queued" } }
    } catch (error) {
      if (apiError(error).code !== "not-queued") throw error
      isChanged = false
    }
    const receipt = await receiptOf(id, message)
    if (isChanged && receipt) return { json: { ...receipt, id: messageId } }
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
      operationId: "createSession",
      summary: "Opens a new session",
      scope: "administer",
      isLimitable: true,
      body: schema.createBody,
      answer: schema.answer("SessionDetail"),
      status: 201,
      handle: async ({ body: { cwd, workspace, model, agent, title, labels, metadata }, sessions }) => {
        const folder = hub.folderAt({ cwd, workspace })
        sessions.checkNew(folder, labels ?? [])
        const id = await hub.create({
          cwd: folder,
          ...(model !== undefined && { model }),
          ...(agent !== undefined && { agent }),
          about: { ...(title && { title }), ...(labels && { labels }), ...(metadata && { metadata }) },
        })
        return { status: 201, json: await reading.detail(id) }
      },
    }),
    route({
      method: "get",
      path: "/sessions",
      operationId: "listSessions",
      summary: "The sessions, the newest first",
      scope: "read",
      isLimitable: true,
      query: listQuery,
      answer: schema.answer("SessionList"),
      handle: async ({ query, sessions }) => ({
        json: await reading.catalogue.list(query.limit, query.before, { ...filterOf(query), sessions }),
      }),
    }),
    route({
      method: "get",
      path: "/sessions/{id}",
      operationId: "getSession",
      summary: "One session: what it does, what waits, what it asks",
      scope: "read",
      params: schema.sessionParams,
      answer: schema.answer("SessionDetail"),
      handle: async ({ params: { id } }) => ({ json: await reading.detail(id) }),
    }),
    route({
      method: "post",
      path: "/sessions/{id}/say",
      summary: SESSION_COMMANDS.say.summary,
      operationId: "say",
      scope: "talk",
      isForChannels: true,
      params: schema.sessionParams,
      body: schema.commandBody("say", ["origin"]),
      most: LIMITS.message,
      answer: schema.answer("MessageReceipt"),
      mayWait: true,
      handle: async ({ params: { id }, body, caller, outgoing }) => {
        checkSayFor(caller, body)
        checkWords(body)
        tenants.begin(caller, id)
        const known = body.id ?? `m-${randomUUID()}`
        const message = nameFor(caller, known)
        const command: SessionCommand = { ...body, id: message, origin: originOf(caller) }
        // A channel could keep its turns out of the traces by a parent that is not sampled.
        if (speaksAsUser(caller)) activeTelemetry()?.sentBy(message, traceOf(outgoing.req.headers))
        const posted = await hub.command(id, command).finally(() => {
          // It may wait in the inbox, or another server runs it.
          if (hub.runner(id)?.isAtWork !== true) tenants.ended(id)
        })
        if (posted.is === "waiting") return { status: 202, json: { id: known, state: "queued" } }
        const receipt = (posted.result as Receipt | undefined) ?? (await receiptOf(id, message))
        return { json: { ...receipt, id: known } }
      },
    }),
    route({
      method: "get",
      path: "/sessions/{id}/receipts/{messageId}",
      operationId: "getReceipt",
      summary: "What has become of a message",
      scope: ["read", "talk"],
      isForChannels: true,
      params: schema.messageParams,
      answer: schema.answer("MessageReceipt"),
      handle: async ({ params: { id, messageId }, caller }) => {
        const { session } = (await hub.feed(id)).following
        // A caller that may read finds its own message by its own name for it, and any other by its whole name.
        const names = [nameFor(caller, messageId), messageId]
        const said = names
          .map((name) => session.log.find((entry) => entry.type === "said" && entry.id === name))
          .find((entry) => entry?.type === "said" && maySee(caller, entry.origin))
        const receipt = said?.type === "said" ? session.receipt(said.id) : undefined
        if (receipt === undefined)
          throw notFound(`There is no message "${messageId}".`, "Use the id of the receipt that `say` gave.")
        return { json: { ...receipt, id: messageId } }
      },
    }),
    ...UNIFORM.map(commandRoute),
    route({
      method: "post",
      path: "/sessions/{id}/answer",
      summary: SESSION_COMMANDS.answer.summary,
      operationId: "answer",
      scope: "answer",
      params: schema.sessionParams,
      body: schema.commandBody("answer"),
      answer: schema.answer("DoneAnswer"),
      mayWait: true,
      handle: async ({ params: { id }, body }) => {
        // A session that is at rest has asked nothing, and is not opened for the answer.
        await hub.feed(id)
        if (hub.runner(id) === undefined && !(await hub.isHeldElsewhere(id))) throw unknownQuestion(body.id)
        return done(id, body)
      },
    }),
    route({
      method: "post",
      path: "/sessions/{id}/abort",
      summary: SESSION_COMMANDS.abort.summary,
      operationId: "abort",
      scope: "talk",
      params: schema.sessionParams,
      body: schema.commandBody("abort"),
      answer: schema.answer("QueueAnswer"),
      mayWait: true,
      handle: async ({ params: { id }, body, caller }) => {
        const posted = await hub.command(id, body)
        const queue = (await reading.queue(id)).filter(({ origin }) => maySee(caller, origin))
        return { json: { queue }, ...(posted.is === "waiting" && { status: 202 }) }
      },
    }),
    route({
      method: "patch",
      path: "/sessions/{id}/queue/{messageId}",
      summary: SESSION_COMMANDS.edit.summary,
      operationId: "edit",
      scope: "talk",
      params: schema.messageParams,
      body: schema.editBody,
      answer: schema.answer("MessageReceipt"),
      mayWait: true,
      handle: ({ params: { id, messageId }, body, caller }) =>
        change(id, messageId, caller, (message) => ({ ...body, id: message })),
    }),
    route({
      method: "delete",
      path: "/sessions/{id}/queue/{messageId}",
      summary: SESSION_COMMANDS.cancel.summary,
      operationId: "cancel",
      scope: "talk",
      params: schema.messageParams,
      answer: schema.answer("MessageReceipt"),
      mayWait: true,
      handle: ({ params: { id, messageId }, caller }) =>
        change(id, messageId, caller, (message) => ({ type: "cancel", id: message })),
    }),
    route({
      method: "get",
      path: "/sessions/{id}/events",
      operationId: "events",
      summary: "What happens, as server-sent events, from a number on",
      scope: "read",
      params: schema.sessionParams,
      query: schema.eventsQuery,
      answer: schema.answer("SessionStreamEvent"),
      isStream: true,
      handle: async ({ params: { id }, query: { from }, outgoing, lastEvent }) => {
        const feed = await hub.feed(id)
        let stop = () => {}
        const stream = streams.open(outgoing, feed, afterOf(from, lastEvent), () => stop())
        const stopReading = feed.read({
          more: () => {
            stream.more()
            reading.changed()
          },
          now: (event) => stream.now(event),
          end: () => stream.end(),
        })
        const stopWatching = reading.watch(id, (now) => stream.now({ type: "state", ...now }))
        stop = () => {
          stopReading()
          stopWatching()
        }
        return undefined
      },
    }),
    route({
      method: "get",
      path: "/sessions/{id}/log",
      operationId: "getLog",
      summary: "The entries of the log",
      scope: "read",
      params: schema.sessionParams,
      query: schema.logQuery,
      answer: schema.answer("LogPart"),
      handle: async ({ params: { id }, query: { from, limit } }) => ({
        json: await reading.log(id, from, limit),
      }),
    }),
    route({
      method: "get",
      path: "/sessions/{id}/steps",
      operationId: "getSteps",
      summary: "The requests that were answered, a row each",
      scope: "read",
      params: schema.sessionParams,
      query: schema.partQuery,
      answer: schema.answer("StepRows"),
      handle: async ({ params: { id }, query: { from, limit } }) => ({
        json: await reading.rows(id, from, limit),
      }),
    }),
    route({
      method: "get",
      path: "/sessions/{id}/requests/{n}",
      operationId: "getRequest",
      summary: "Request n of the session, counted from 1: as it was sent, and laid out for reading",
      scope: "read",
      params: schema.stepParams,
      query: schema.requestQuery,
      answer: schema.answer("StepRequest"),
      handle: async ({ params: { id, n }, query: { from, limit, dialect, whole, body = true } }) => ({
        json: await reading.request(id, n, {
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
      path: "/sessions/{id}/requests/{n}/tools",
      operationId: "getRequestTools",
      summary: "What the model called in its answer to request n: arguments, results, changes of files",
      scope: "read",
      params: schema.stepParams,
      query: schema.toolsQuery,
      answer: schema.answer("ToolsAnswer"),
      handle: async ({ params: { id, n }, query: { whole } }) => ({
        json: await reading.tools(id, n, whole),
      }),
    }),
    route({
      method: "get",
      path: "/sessions/{id}/requests/{n}/body",
      operationId: "getRequestBody",
      summary: "Only the body of request n, as it was sent",
      scope: "read",
      params: schema.stepParams,
      query: schema.bodyQuery,
      answer: schema.answer("FreeObject"),
      handle: async ({ params: { id, n }, query: { dialect } }) => ({
        json: await reading.body(id, n, dialect),
      }),
    }),
    route({
      method: "get",
      path: "/sessions/{id}/ledger",
      operationId: "getLedger",
      summary: "What every rule said at every step, and why the others kept silent",
      scope: "read",
      params: schema.sessionParams,
      query: schema.partQuery,
      answer: schema.answer("LedgerPart"),
      handle: async ({ params: { id }, query: { from, limit } }) => ({
        json: await reading.ledger(id, from, limit),
      }),
    }),
    route({
      method: "get",
      path: "/sessions/{id}/asides",
      operationId: "getAsides",
      summary: "What the model was told beside the conversation",
      scope: "read",
      params: schema.sessionParams,
      query: schema.asidesQuery,
      answer: schema.answer("AsidesAnswer"),
      handle: async ({ params: { id }, query: { step } }) => ({ json: await reading.asides(id, step) }),
    }),
    route({
      method: "get",
      path: "/sessions/{id}/breaks",
      operationId: "getBreaks",
      summary: "Where a request did not continue the one before it",
      scope: "read",
      params: schema.sessionParams,
      answer: schema.answer("BreakList"),
      handle: async ({ params: { id } }) => ({ json: await reading.breaks(id) }),
    }),
    route({
      method: "get",
      path: "/sessions/{id}/search",
      operationId: "search",
      summary: "Where a text first stands in what was sent",
      scope: "read",
      params: schema.sessionParams,
      query: schema.searchQuery,
      answer: schema.answer("SearchAnswer"),
      handle: async ({ params: { id }, query: { q, limit } }) => ({
        json: await reading.search(id, q, limit),
      }),
    }),
  ]
}

/** Refuses more words than any other request may have. Only the data of images and files may be longer. */
function checkWords(said: CommandOf<"say">): void {
  const words = JSON.stringify(said, (name, value: unknown) => (name === "data" ? "" : value))
  if (Buffer.byteLength(words) > LIMITS.body) throw tooLarge(LIMITS.body)
}
