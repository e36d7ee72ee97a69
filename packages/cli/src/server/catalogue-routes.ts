import type { Origin } from "@sotto/core"
import type { Price } from "@sotto/core/prices"
import { defaultModel, type Environment, forkSession, offeredModels, StoreError } from "@sotto/harness"
import * as schema from "./catalogue-schemas.js"
import { ApiError, notFound } from "./errors.js"
import { type ApiRoute, route } from "./route.js"
import { answer, sessionParams } from "./schemas.js"
import { waitForAnswer } from "./sessions/answers.js"
import type { Hub } from "./sessions/hub.js"
import type { SessionReader } from "./sessions/session-reader.js"
import { maySee, nameFor, speaksAsUser } from "./speaker.js"

export interface CatalogueServices {
  readonly hub: Hub
  readonly reading: SessionReader
  readonly env: Environment
}

/** Seconds after which a session that is open elsewhere without work may be free: its server gives it back by then. */
const FREE_AFTER = 10

/** Routes about sessions as a whole: what they are called, what they cost together, and whether they are kept. */
export function catalogueRoutes({ hub, reading, env }: CatalogueServices): readonly ApiRoute[] {
  return [
    route({
      method: "patch",
      path: "/sessions/{id}",
      summary: "Renames or labels a session. What is given replaces what was there",
      operationId: "describeSession",
      scope: "administer",
      params: sessionParams,
      body: schema.describeBody,
      answer: answer("SessionListItem"),
      handle: async ({ params: { id }, body, sessions }) => {
        if (body.labels) sessions.checkNew((await hub.store.about(id)).cwd, body.labels)
        await hub.store.describe(id, described(body))
        return { json: await reading.catalogue.item(id) }
      },
    }),
    route({
      method: "delete",
      path: "/sessions/{id}",
      summary: "Removes a session with those of its subagents, for good",
      operationId: "deleteSession",
      scope: "administer",
      params: sessionParams,
      answer: schema.removedAnswer,
      handle: async ({ params: { id } }) => {
        if (!(await hub.release(id))) throw atWork(id)
        try {
          const removed = await hub.store.delete(id)
          hub.forget(removed)
          return { json: { removed } }
        } catch (error) {
          if (!(error instanceof StoreError && error.code === "locked")) throw error
          const { state } = await reading.catalogue.item(id)
          throw state === "running" || state === "asking" ? atWork(id) : openElsewhere(error)
        }
      },
    }),
    route({
      method: "post",
      path: "/sessions/{id}/fork",
      summary: "Makes a new session that begins as this one is, or was before a prompt",
      operationId: "forkSession",
      scope: "administer",
      params: sessionParams,
      body: schema.forkBody,
      answer: answer("SessionListItem"),
      status: 201,
      handle: async ({ params: { id }, body: { at, ...about }, sessions }) => {
        const { cwd, labels = [] } = await hub.store.about(id)
        sessions.checkNew(cwd, about.labels ?? labels)
        const made = await forkSession(hub.store, id, at)
        if (Object.keys(about).length > 0) await hub.store.describe(made, described(about))
        return { status: 201, json: await reading.catalogue.item(made) }
      },
    }),
    route({
      method: "get",
      path: "/sessions/{id}/answer",
      summary: "The model's final words of the turn that had a message. Waits for them if asked to",
      operationId: "turnAnswer",
      scope: ["read", "talk"],
      isForChannels: true,
      mayWait: true,
      params: sessionParams,
      query: schema.answerQuery,
      answer: schema.turnAnswer,
      handle: async ({ params: { id }, query: { after, wait }, caller, outgoing }) => {
        const asked = {
          isOwn: (origin: Origin) => maySee(caller, origin),
          milliseconds: wait * 1000,
          outgoing,
        }
        // A caller that may read finds its own message by its own name for it, and any other by its whole name.
        const found =
          (await waitForAnswer(hub, id, { ...asked, message: nameFor(caller, after) })) ??
          (await waitForAnswer(hub, id, { ...asked, message: after }))
        if (found === undefined)
          throw notFound(`There is no message "${after}".`, "Use the id of the receipt that `say` gave.")
        if (found.is === "cancelled")
          throw new ApiError(409, "cancelled", `The message "${after}" was taken back.`, "Say something new.")
        if (found.is === "answered")
          return { json: { id: after, state: "answered", text: found.text, reason: found.reason } }
        const now = speaksAsUser(caller) && { session: (await reading.catalogue.item(id)).state }
        return { status: 202, json: { id: after, state: found.state, ...now } }
      },
    }),
    route({
      method: "get",
      path: "/totals",
      summary: "What sessions have used together, by state, label and model. metadata.NAME=VALUE filters too",
      operationId: "totals",
      scope: "read",
      isLimitable: true,
      query: schema.totalsQuery,
      answer: schema.totalsAnswer,
      handle: async ({ query, sessions }) => ({
        json: await reading.catalogue.totals({ ...schema.filterOf(query), sessions }),
      }),
    }),
    route({
      method: "get",
      path: "/models",
      summary: "The models of the configuration, and those that Sotto knows",
      operationId: "models",
      scope: "read",
      isLimitable: true,
      answer: schema.modelsAnswer,
      handle: () => {
        const { models, model } = reading.configured
        const chosen = defaultModel(env, { model })
        return {
          json: {
            default: chosen,
            models: offeredModels(reading.configured, env, [chosen]).map(
              ({ name, contextWindow, dialect, price, isKnown: _, ...can }) => ({
                id: name,
                ...(dialect && { dialect }),
                window: contextWindow,
                ...(price && { price: shownPrice(price) }),
                ...can,
                isConfigured: name in models || name === model,
              }),
            ),
          },
        }
      },
    }),
  ]
}

/** Gives a price without what it will be. */
function shownPrice({ after: _, ...price }: Price) {
  return price
}

/** Takes an empty title for none. */
function described({ title, ...rest }: { readonly title?: string | undefined }) {
  return { ...rest, ...(title !== undefined && { title: title === "" ? null : title }) }
}

function atWork(id: string): ApiError {
  return new ApiError(
    409,
    "at-work",
    `Session ${id} is at work.`,
    "Abort its turn with POST /sessions/{id}/abort, or wait for its end.",
  )
}

function openElsewhere({ message, remedy }: StoreError): ApiError {
  return new ApiError(
    503,
    "locked",
    message.replace(` ${remedy}`, ""),
    "A server gives a session without work back within half a minute; a terminal keeps it until it is closed.",
    FREE_AFTER,
  )
}
