import { CommandError, type CommandName, type CommandOf, commandSchema, readCommandOf } from "@sotto/harness"
import { z } from "zod"

/** The words of the API, from which requests are checked and the OpenAPI description is made. */

const DELIVERY = z.enum(["next-step", "after-turn", "now", "passive"])

export const sessionParams = z.object({ id: z.string().min(1) })
export const messageParams = z.object({ id: z.string().min(1), messageId: z.string().min(1) })
export const stepParams = z.object({ id: z.string().min(1), n: z.coerce.number().int().min(1) })

const from = z.coerce.number().int().min(0)
const limit = z.coerce.number().int().min(1).max(1000)
const flag = z.enum(["true", "false", "1", "0"]).transform((text) => text === "true" || text === "1")

const state = z.enum(["idle", "running", "asking", "waiting"])
export const listQuery = z.strictObject({
  limit: limit.default(50),
  before: z.string().optional(),
  q: z.string().optional().meta({
    description: "Keeps sessions with all of these words in their title, first prompt, folder or id.",
  }),
  state: state.optional(),
})
export const partQuery = z.strictObject({
  from: z.coerce.number().int().min(1).default(1),
  limit: limit.default(200),
})
export const logQuery = z.strictObject({ from: from.default(0), limit: limit.optional() })
export const asidesQuery = z.strictObject({ step: z.coerce.number().int().min(1).optional() })
export const eventsQuery = z.strictObject({
  from: from
    .optional()
    .meta({ description: "The number of the last event that you have. Events after it follow." }),
})
export const searchQuery = z.strictObject({ q: z.string().min(1), limit: limit.default(50) })
const dialect = z.enum(["anthropic", "openai", "openai-chat", "gemini"])
export const bodyQuery = z.strictObject({ dialect: dialect.optional() })
export const requestQuery = z.strictObject({
  from: from.optional(),
  limit: limit.optional(),
  dialect: dialect.optional(),
  whole: z.string().optional(),
  body: flag.optional().meta({ description: "false leaves out the body as it was sent." }),
})

export const toolsQuery = z.strictObject({
  whole: z.string().optional().meta({ description: "The id of the one call to give with its whole texts." }),
})
const compared = z
  .string()
  .regex(/^[st]\/[^/]+(\/[1-9]\d*)?$/)
  .meta({
    description: "s/ID/N for request N of a session, t/ID/N for call N of a trace; without N the last.",
  })
export const compareQuery = z.strictObject({ a: compared, b: compared })

export const createBody = z
  .strictObject({
    cwd: z.string().min(1).optional().meta({ description: "The absolute path of the folder to work in." }),
    workspace: z.string().min(1).optional().meta({
      description: "Instead of cwd: the name of a workspace that this server has, as other servers may.",
    }),
    model: z.string().min(1).optional(),
    agent: z.string().min(1).optional(),
  })
  .refine(({ cwd, workspace }) => (cwd === undefined) !== (workspace === undefined), "needs cwd or workspace")

/**
 * Makes the schema of a command's body, without the fields that the path or the credential gives: checked by the table
 * of all commands.
 */
export function commandBody<T extends CommandName>(type: T, leftOut: readonly string[] = []) {
  return z
    .unknown()
    .meta(commandSchema(type, leftOut))
    .transform((given, context): CommandOf<T> => {
      try {
        return readCommandOf(type, given === undefined ? {} : given, leftOut)
      } catch (error) {
        if (!(error instanceof CommandError)) throw error
        context.addIssue(error.message)
        return z.NEVER
      }
    })
}
export const editBody = commandBody("edit", ["id"]).refine(
  ({ text, delivery }) => text !== undefined || delivery !== undefined,
  "needs text or delivery",
)
export const onceBody = z.strictObject({ once: z.string().min(1).max(200) })
export const pathBody = z.strictObject({ path: z.string().min(1) })

/* Answers. Objects may grow fields; those that are listed are promised. */

const origin = z.union([
  z.object({ kind: z.enum(["human", "coordinator", "task-notification"]) }),
  z.object({ kind: z.literal("channel"), server: z.string() }),
])

export const errorAnswer = z.object({
  error: z.object({ code: z.string(), message: z.string(), remedy: z.string().optional() }),
})
export const healthAnswer = z.object({ status: z.literal("ok"), version: z.string() })
const counts = z
  .object({ open: z.number(), atWork: z.number() })
  .meta({ description: "Sessions that this server has open, and those of them that have something to do." })
export const liveAnswer = z.object({ status: z.literal("live") })
export const readyAnswer = z.object({ status: z.literal("ready"), sessions: counts })
export const metricsAnswer = z.string().meta({ description: "Lines of figures. docs/server.md lists them." })
export const drainAnswer = z.object({ status: z.literal("draining"), sessions: counts })
export const receipt = z.object({
  id: z.string(),
  seq: z
    .number()
    .optional()
    .meta({ description: "Absent while the process that holds the session has yet to take it." }),
  state: z.enum(["queued", "delivered", "cancelled"]),
  step: z.number().optional(),
})
const summary = z.object({
  id: z.string(),
  title: z.string().optional(),
  begun: z.string().optional().meta({
    description: "Beginning of the first prompt. A list has it only for sessions without a title.",
  }),
  cwd: z.string(),
  model: z.string(),
  agent: z.string(),
  state: state.meta({ description: "waiting: it has something to do, and no process has it open." }),
  holder: z
    .object({ worker: z.string().optional(), host: z.string(), pid: z.number() })
    .optional()
    .meta({ description: "The process that has it open: a terminal, or a server." }),
  questions: z.array(z.looseObject({ id: z.string(), kind: z.enum(["permission", "question", "plan"]) })),
  createdAt: z.number(),
  updatedAt: z.number(),
  steps: z.number(),
  tokens: z.object({ sent: z.number(), read: z.number(), output: z.number() }).meta({
    description:
      "Of every request of it and its subagents, as the provider reported them; read: from its cache, of those that were sent.",
  }),
  cost: z.number().optional().meta({
    description:
      "Dollars for every request of it and its subagents; absent where the price of a model is not known.",
  }),
})
export const sessionList = z.object({ sessions: z.array(summary), more: z.boolean() })
const queued = z.object({ id: z.string(), text: z.string(), delivery: DELIVERY, origin, at: z.number() })
export const sessionDetail = summary.extend({
  seq: z.number(),
  dialect: z.string(),
  dialects: z.array(z.string()),
  turns: z.number(),
  agents: z.array(z.string()),
  queue: z.array(queued),
  canSteer: z.boolean(),
  breaks: z.number(),
})
export const queueAnswer = z.object({ queue: z.array(queued) })
export const doneAnswer = z.object({
  done: z.boolean().meta({ description: "false: it waits for the process that holds the session." }),
})
export const rewindAnswer = doneAnswer.extend({
  restored: z
    .array(z.looseObject({ path: z.string() }))
    .optional()
    .meta({ description: "The files that were put back." }),
  conflicts: z
    .array(z.object({ path: z.string(), why: z.string() }))
    .optional()
    .meta({ description: "The files that were left as they are." }),
})
export const logAnswer = z.object({
  entries: z.array(z.looseObject({ type: z.string(), seq: z.number(), at: z.number() })),
  total: z.number(),
})
export const asidesAnswer = z.object({
  asides: z.array(z.looseObject({ turn: z.number(), step: z.number(), kind: z.string(), text: z.string() })),
})
export const rowsAnswer = z.object({
  rows: z.array(z.looseObject({ n: z.number() })),
  total: z.number(),
  more: z.boolean().optional().meta({ description: "True while a long session is still read: total grows." }),
})
export const pageAnswer = z.looseObject({
  row: z.looseObject({ n: z.number() }),
  segments: z.array(z.looseObject({ path: z.string(), text: z.string() })),
  body: z.unknown().optional().meta({ description: "The request as it was sent." }),
})
export const toolsAnswer = z.object({
  tools: z.array(
    z.looseObject({
      id: z.string(),
      name: z.string(),
      changes: z.array(z.looseObject({ path: z.string() })),
    }),
  ),
})
const pair = z.object({ a: z.number(), b: z.number() })
const segment = z.looseObject({ path: z.string(), text: z.string() })
export const compareAnswer = z.object({
  a: z.looseObject({ n: z.number() }),
  b: z.looseObject({ n: z.number() }),
  same: z
    .object({ segments: z.number(), tokens: z.number() })
    .meta({ description: "The common start of the two requests." }),
  segments: pair,
  onlyTokens: pair,
  changes: z.array(z.object({ a: segment.optional(), b: segment.optional() })),
  left: z.number().meta({ description: "How many more changes there are." }),
})
export const ledgerAnswer = z.object({
  kinds: z.array(
    z.object({
      kind: z.string(),
      on: z.boolean(),
      spoke: z.number(),
      tokens: z.number(),
      kept: z.number().meta({ description: "How often it was throttled, over budget, or failed." }),
    }),
  ),
  steps: z.array(
    z.object({
      n: z.number(),
      turn: z.number(),
      step: z.number(),
      cells: z.array(z.looseObject({ kind: z.string() })),
    }),
  ),
  total: z.number(),
})
export const breaksAnswer = z.object({ breaks: z.array(z.looseObject({ n: z.number(), cause: z.string() })) })
export const searchAnswer = z.object({ hits: z.array(z.looseObject({ n: z.number() })), more: z.boolean() })
export const eventAnswer = z.looseObject({ type: z.string() }).meta({
  description:
    "An object of --output jsonl, or of type `state`: what the session does. Its number is the event's id; one without an id is of this moment only.",
})
const trace = z.object({
  id: z.string(),
  name: z.string(),
  kind: z.enum(["recording", "proxy"]),
  calls: z.number(),
  updatedAt: z.number(),
})
export const traceList = z.object({ traces: z.array(trace) })
export const traceDetail = trace
  .extend({ report: z.looseObject({ version: z.literal(1) }), seq: z.number() })
  .loose()
export const linkAnswer = z.object({ once: z.string(), path: z.string() })
export const anyAnswer = z.looseObject({})
