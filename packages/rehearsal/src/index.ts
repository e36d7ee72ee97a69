export type { Problem } from "@sotto/core"
export type { HttpDialectName } from "./dialects/dialect.js"
export {
  type AnsweredRequest,
  type Performance,
  type Refused,
  type RehearseOptions,
  rehearse,
} from "./rehearse.js"
export { EXPECTATION_FAILED, type Fault, type PlainError } from "./reply/failure.js"
export { type ServerSentEvent, writeFrame } from "./reply/frame.js"
export type { BilledTokens, ReplyPart, ReplyStop, ScriptedReply } from "./reply/reply.js"
export { defineScript, parseScript, ScriptError } from "./script/parse.js"
export { SCRIPT_IS_OVER } from "./script/play.js"
export type {
  Expectation,
  Pattern,
  Script,
  ScriptedCall,
  ScriptedFailure,
  ScriptFor,
  ScriptStep,
} from "./script/script.js"
export type { RehearsalOptions } from "./server/options.js"
export type { BilledRequest, RequestSeen } from "./server/record.js"
export { type Rehearsal, startRehearsal } from "./server/start.js"
export { TOUR_PROMPTS } from "./tour/prompts.js"
export { WHO_SPEAKS } from "./tour/tour.js"
