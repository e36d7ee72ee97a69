export { type Agent, type AgentPrompt, isPlanner, type PermissionRule } from "./agent/agent.js"
export { lineDiff } from "./diff/diff.js"
export type { Account, Dropped, Economy, EconomyRates, Judgement, Standing } from "./economy/economy.js"
export type { HeldResult, Result } from "./epoch/exchange.js"
export { type ErrorCode, SottoError } from "./errors.js"
export { type Absent, type Fact, removed, unavailable } from "./facts/facts.js"
export { neutralise, restoreNeutralised } from "./guard/guard.js"
export type { FrameTag } from "./guard/tags.js"
export type { Queued } from "./inbox/inbox.js"
export type { Json } from "./json.js"
export type { Aside } from "./ledger/asides.js"
export type { LedgerRow } from "./ledger/ledger.js"
export { type Damage, findDamage } from "./log/check.js"
export { type CompactionCause, type Entry, LOG_VERSION } from "./log/entry.js"
export type {
  AssistantPart,
  ContentPart,
  Delivery,
  FilePart,
  ImagePart,
  MediaPart,
  Message,
  Origin,
  Part,
  ReasoningPart,
  Receipt,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from "./message/message.js"
export type { CacheDiagnostics, Reply, Stop, Usage } from "./message/reply.js"
export { explainReminders } from "./prompt/families.js"
export {
  type Body,
  type Form,
  inline,
  type Kind,
  type Reminder,
  type Trust,
  wrapReminder,
} from "./reminder/reminder.js"
export type { Budget } from "./rules/budget.js"
export {
  type CustomFacts,
  type CustomSignals,
  type DynamicKey,
  type DynamicSignal,
  dynamic,
} from "./rules/custom.js"
export type { StandardKind } from "./rules/kinds.js"
export { parseRule } from "./rules/markdown/parse.js"
export {
  defineRule,
  type Moment,
  type Rule,
  type Signal,
  type Throttle,
  type Utterance,
} from "./rules/rule.js"
export type { KindSettings } from "./rules/settings.js"
export {
  type OnCadence,
  type OnChange,
  type OnSignal,
  onCadence,
  onChange,
  onSignal,
} from "./rules/shapes.js"
export {
  type Diagnostic,
  type FactKey,
  type FactValue,
  fieldsOf,
  type KnownSignal,
  type SignalType,
  type StandardFacts,
  type StandardSignals,
  type TaskReport,
} from "./rules/signals.js"
export { type StandardRulesOptions, standardRules } from "./rules/standard/index.js"
export type { ReadTool, ToolNames } from "./rules/standard/names.js"
export { createSession, restoreSession } from "./session/create.js"
export type { SessionOptions } from "./session/options.js"
export { type PastItem, pastOf } from "./session/past.js"
export { type Asked, RequestReader, requestsIn } from "./session/replay.js"
export { forkLog } from "./session/rewind.js"
export type { Next, SayOptions, Session, Taken } from "./session/session.js"
export type { Phase } from "./session/state.js"
export { frameOnce } from "./stateless/frame-once.js"
export { injectSystemReminders } from "./stateless/inject.js"
export { insertReminders, type ModeTexts } from "./stateless/insert.js"
export { mergeAdjacentUserMessages } from "./stateless/merge.js"
export type { AnyMessage, AnyPart } from "./stateless/message.js"
export { type AnthropicMessage, smooshReminders } from "./stateless/smoosh.js"
export { estimateTokens, type TokenCounter } from "./tokens.js"
export { type Capabilities, type Carrier, type CustomCarriers, capabilitiesOf } from "./wire/capabilities.js"
export type { Dialect } from "./wire/contract.js"
export {
  type Decoder,
  type Delta,
  type EncodeOptions,
  MalformedReply,
  type Problem,
  ProviderError,
} from "./wire/dialect.js"
export type {
  MediaBlock,
  SystemBlock,
  TextBlock,
  ToolResultBlock,
  UserBlock,
  WireMessage,
} from "./wire/message.js"
export type { DialectName, ModelChoice } from "./wire/model.js"
export type { Appended, Pins, Request } from "./wire/request.js"
export type { PinnedTool, ResultPolicy, ToolChanges, ToolDefinition } from "./wire/tool.js"
export { type Sampling, THINK_LEVELS, type ThinkLevel, type Tuning } from "./wire/tuning.js"
