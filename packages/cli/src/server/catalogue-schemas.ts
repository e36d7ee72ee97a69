import { labelProblem, metadataProblem } from "@sotto/harness"
import { z } from "zod"

// Schemas of routes about sessions as a whole: how they are named, labelled, listed and added up.

/** Makes a schema that a check of the store's explains: what the store keeps and what the API takes are the same. */
function keptBy<T extends z.ZodType>(schema: T, problem: (value: unknown) => string | undefined) {
  return schema.superRefine((value, context) => {
    const why = problem(value)
    if (why !== undefined) context.addIssue(why)
  })
}

const title = z
  .string()
  .max(80)
  .regex(/^\P{Cc}*$/u, "should be one line")
  .transform((text) => text.trim())
const labels = keptBy(z.array(z.string()), labelProblem).meta({
  description: "A set of at most 20 texts of at most 64 characters.",
})
const metadata = keptBy(z.record(z.string(), z.string()), metadataProblem).meta({
  description: "Texts by name, at most 4096 bytes together. A name has at most 64 characters.",
})

export const describedFields = {
  title: title.optional().meta({ description: "An empty one leaves the name to Sotto." }),
  labels: labels.optional(),
  metadata: metadata.optional(),
}

/** What may be changed of a session. What is given replaces what was there. */
export const describeBody = z
  .strictObject(describedFields)
  .refine((given) => Object.keys(given).length > 0, "needs title, labels or metadata")

const state = z.enum(["idle", "running", "asking", "waiting"])

const METADATA = "metadata."

/** Which sessions are meant. Several labels have to be there all. */
const filterFields = {
  q: z.string().optional().meta({
    description: "Keeps sessions with all of these words in their title, first prompt, folder or id.",
  }),
  state: state.optional(),
  label: z
    .union([z.string(), z.array(z.string())])
    .transform((given) => [given].flat())
    .optional()
    .meta({ description: "Keeps sessions with this label. May be repeated: then with all of them." }),
  cwd: z.string().optional().meta({ description: "Keeps sessions of this folder." }),
  parent: z.string().optional().meta({ description: "Lists the sessions of this session's subagents." }),
}

/** Makes the schema of a query with a filter. `metadata.NAME=VALUE` has any name, so it is no field of its own. */
function filtered<T extends z.ZodRawShape>(fields: T) {
  return z
    .object({ ...fields, ...filterFields })
    .catchall(z.string())
    .superRefine((query, context) => {
      for (const name of Object.keys(query))
        if (!(name in fields || name in filterFields || name.startsWith(METADATA)))
          context.addIssue(`there is no "${name}"`)
    })
}

export const listQuery = filtered({
  limit: z.coerce.number().int().min(1).max(1000).default(50),
  before: z.string().optional(),
})
export const totalsQuery = filtered({})

/** Makes the filter of a query. */
export function filterOf(query: z.infer<typeof totalsQuery>) {
  const { q, state: wanted, label, cwd, parent } = query
  const named = Object.entries(query).filter(([name]) => name.startsWith(METADATA))
  return {
    metadata: Object.fromEntries(named.map(([name, value]) => [name.slice(METADATA.length), String(value)])),
    ...(q !== undefined && { words: q }),
    ...(wanted && { state: wanted }),
    ...(label && { labels: label }),
    ...(cwd !== undefined && { cwd }),
    ...(parent !== undefined && { parent }),
  }
}

export const removedAnswer = z.object({
  removed: z.array(z.string()).meta({ description: "Its id, and those of its subagents' sessions." }),
})

export const forkBody = z
  .strictObject({
    at: z.string().min(1).optional().meta({
      description:
        "The id of a prompt: the new session is as this one was before it. Without it, as it is now.",
    }),
    ...describedFields,
  })
  .default({})

/** The longest wait for an answer. Proxies end a silent connection soon after. */
const LONGEST_WAIT = 60

export const answerQuery = z.strictObject({
  after: z.string().min(1).meta({ description: "The id of the message." }),
  wait: z.coerce
    .number()
    .min(0)
    .max(LONGEST_WAIT)
    .default(0)
    .meta({
      description: `Seconds to wait for the end of its turn, at most ${LONGEST_WAIT}.`,
    }),
})
export const turnAnswer = z
  .object({
    id: z.string(),
    state: z.enum(["answered", "queued", "delivered"]),
    text: z.string().optional().meta({ description: "The model's final words of the turn that had it." }),
    reason: z.string().optional().meta({ description: "Why the turn ended, as in the event `turn-end`." }),
    session: state.optional().meta({ description: "What the session does. A channel is not told." }),
  })
  .meta({ description: "With status 202 the answer is not there yet, and there is no text." })

const total = {
  sessions: z.number(),
  steps: z.number(),
  tokens: z.object({ sent: z.number(), read: z.number(), output: z.number() }),
  cost: z.number().meta({ description: "Dollars, without requests to models whose price is not known." }),
}
export const totalsAnswer = z
  .object({
    ...total,
    unpriced: z
      .array(z.string())
      .meta({ description: "Models that were asked and whose price is not known." }),
    assumed: z.record(z.string(), z.string()).optional().meta({
      description: "Models whose own price is not known, each with the model whose price was taken for it.",
    }),
    byState: z.array(z.object({ state, ...total })),
    byLabel: z.array(z.object({ label: z.string(), ...total })),
    byModel: z.array(z.object({ model: z.string(), ...total })),
  })
  .meta({ description: "Sessions are counted without their subagents', and their use with it." })

const rates = {
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
  cacheWriteHour: z.number(),
}
const model = z.object({
  id: z.string().meta({ description: "As `provider/model`." }),
  dialect: z.string().optional().meta({ description: "The API that it is asked by." }),
  window: z.number().meta({ description: "Tokens that fit into a request and its answer." }),
  price: z
    .object({
      ...rates,
      long: z.object({ ...rates, over: z.number() }).optional(),
      until: z.string().optional().meta({ description: "The last day on which it holds." }),
      assumed: z
        .string()
        .optional()
        .meta({ description: "The model whose price it is, because its own is not known." }),
    })
    .optional()
    .meta({ description: "Dollars for a million tokens; absent where it is not known." }),
  images: z.boolean(),
  documents: z.boolean(),
  thinks: z.boolean(),
  isReachable: z.boolean().meta({ description: "There is a key for it, or it is on this machine." }),
  isConfigured: z.boolean().meta({ description: "The configuration names it." }),
})
export const modelsAnswer = z.object({
  default: z.string().meta({ description: "The model of a session that names none." }),
  models: z.array(model),
})
