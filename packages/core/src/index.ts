export type { Dialect } from "./dialects/contract.js"
export {
  type Decoder,
  type Delta,
  type EncodeOptions,
  MalformedReply,
  type Problem,
  ProviderError,
} from "./dialects/dialect.js"
export { summaryText } from "./epoch/place.js"
export type { Queued } from "./inbox/inbox.js"
export { type Aside, SUMMARY } from "./ledger/asides.js"
export type { LedgerRow } from "./ledger/ledger.js"
export { type Damage, findDamage } from "./log/check.js"
export { type CompactionCause, type CompactionSize, type Entry, LOG_VERSION } from "./log/entry.js"
export { explainReminders } from "./prompt/families.js"
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
export type { Phase } from "./session/machine.js"
export type { SessionOptions } from "./session/options.js"
export { type PastItem, pastOf } from "./session/past.js"
export { type LoggedRequest, RequestReader, requestsIn } from "./session/replay.js"
export { forkLog, redoable, stepOfPrompt } from "./session/rewind.js"
export type { Next, SayOptions, Session, Taken } from "./session/session.js"
export { refuseCalls } from "./session/side.js"
export { frameOnce } from "./stateless/frame-once.js"
export { injectSystemReminders } from "./stateless/inject.js"
export { insertReminders, type ModeTexts } from "./stateless/insert.js"
export { mergeAdjacentUserMessages } from "./stateless/merge.js"
export type { AnyMessage, AnyPart } from "./stateless/message.js"
export { type AnthropicMessage, smooshReminders } from "./stateless/smoosh.js"
export { lineDiff } from "./text/diff.js"
export { neutralise, restoreNeutralised } from "./text/guard/guard.js"
export { inline, wrapReminder } from "./text/reminder-text.js"
export { estimateTokens } from "./text/tokens.js"
export { type Agent, type AgentPrompt, isPlanner, type PermissionRule } from "./vocabulary/agent.js"
export {
  type Capabilities,
  type Carrier,
  type CustomCarriers,
  capabilitiesOf,
} from "./vocabulary/capabilities.js"
export type {
  Dropped,
  Economy,
  EconomyAccount,
  EconomyDecision,
  EconomyInput,
  EconomyRates,
  TokenCounter,
} from "./vocabulary/economy.js"
export { type ErrorCode, SottoError } from "./vocabulary/errors.js"
export type { HeldResult, Result } from "./vocabulary/exchange.js"
export { type Absent, type Fact, removed, unavailable } from "./vocabulary/fact.js"
export type { Json } from "./vocabulary/json.js"
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
} from "./vocabulary/message.js"
export type { DialectName, HttpDialectName, ModelChoice } from "./vocabulary/model.js"
export {
  type ModelSettings,
  type SamplingSettings,
  THINK_LEVELS,
  type ThinkLevel,
} from "./vocabulary/model-settings.js"
export type {
  Form,
  Kind,
  Reminder,
  ReminderBody,
  Trust,
} from "./vocabulary/reminder.js"
export type { CacheDiagnostics, Reply, Stop, Usage } from "./vocabulary/reply.js"
export type { Appended, Pins, Request } from "./vocabulary/request.js"
export type { Bill, SidePrices, SideQuestion, SideWay } from "./vocabulary/side.js"
export type { Signal } from "./vocabulary/signal.js"
export type { FrameTag } from "./vocabulary/tags.js"
export type { PinnedTool, ResultPolicy, ToolChanges, ToolDefinition } from "./vocabulary/tool.js"
export type {
  MediaBlock,
  SystemBlock,
  TextBlock,
  ToolResultBlock,
  UserBlock,
  WireMessage,
} from "./vocabulary/wire-message.js"
