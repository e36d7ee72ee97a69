import { CommandError, type CommandName, type CommandOf, commandSchema, readCommandOf } from "@sotto/harness"
import { z } from "zod"
import type { ANSWER_SCHEMAS } from "./answer-schemas.js"
import { describedFields } from "./catalogue-schemas.js"

type AnswerName = keyof typeof ANSWER_SCHEMAS

/** The words of the API, from which requests are checked and the OpenAPI description is made. */

export const sessionParams = z.object({ id: z.string().min(1) })
export const messageParams = z.object({ id: z.string().min(1), messageId: z.string().min(1) })
export const stepParams = z.object({ id: z.string().min(1), n: z.coerce.number().int().min(1) })

const from = z.coerce.number().int().min(0)
const limit = z.coerce.number().int().min(1).max(1000)
const flag = z.enum(["true", "false", "1", "0"]).transform((text) => text === "true" || text === "1")

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
const dialect = z.enum(["anthropic", "openai", "openai-chat", "gemini"]).meta({ id: "HttpDialectName" })
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
    ...describedFields,
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

export const metricsAnswer = z.string().meta({ description: "Lines of figures. docs/server.md lists them." })

/** Describes an answer by the name of its type, which `answers.ts` exports. Objects may grow fields; known ones stay. */
export function answer(name: AnswerName): z.ZodType {
  return z.unknown().meta({ $ref: `#/components/schemas/${name}` })
}
