export { isForTheUser } from "./errors.js"
export type { Grant, PermissionControl } from "./execution/permissions/gate.js"
export { patternCovers } from "./execution/permissions/pattern.js"
export { confine } from "./execution/permissions/sandbox/confine.js"
export { findSandbox } from "./execution/permissions/sandbox/find.js"
export { sandboxProblem } from "./execution/permissions/sandbox/problem.js"
export { type AttachedProgram, startAttached } from "./execution/programs/attached.js"
export { EditorError, editText } from "./execution/programs/editor.js"
export { childEnvironment, withheldFrom } from "./execution/programs/environment.js"
export { findProgram } from "./execution/programs/find-program.js"
export { confinedCommand, direct, type Launch } from "./execution/programs/launch.js"
export { printedBy } from "./execution/programs/printed.js"
export { birthOf, isSameProcess } from "./execution/programs/process-identity.js"
export { ripgrepVersion } from "./execution/programs/ripgrep.js"
export { startDetached, startPrinting, startSotto, startSottoHere } from "./execution/programs/start.js"
export { allowedCommand, ownProcesses } from "./execution/programs/supervise.js"
export { type Offered, offeredModels } from "./models/catalogue.js"
export { configuredSecrets, knownSecrets } from "./models/known-secrets.js"
export {
  capabilitiesIn,
  type ModelFacts,
  type Price,
  priceIn,
  sourcedPriceIn,
} from "./models/model-facts.js"
export {
  isProviderName,
  KEY_VARIABLES,
  PROVIDERS,
  type Provider,
  type ProviderName,
  providerOf,
} from "./models/providers.js"
export { serveRehearsal, tourPrompts } from "./models/rehearsal.js"
export { baseOf, defaultModel, isRehearsal, nearestModel, resolveModel } from "./models/resolve.js"
export {
  isFromEnvironment,
  keyPlace,
  keysFile,
  readKeys,
  removeKey,
  storeKey,
  withStoredKeys,
} from "./models/stored-keys.js"
export { type KeyTrial, tryKey } from "./models/try-key.js"
export { type Awaitable, allThere, whenThere } from "./platform/awaitable.js"
export { proxyNames } from "./platform/network/fetch.js"
export { proxySettings } from "./platform/network/proxy-settings.js"
export { loginsFile, readLogins } from "./platform/secrets/server-logins.js"
export { redactedLines } from "./platform/secrets/share.js"
export { durationIn, sizeIn, sizeText } from "./platform/text/amounts.js"
export { fileReason, reasonOf } from "./platform/text/errors.js"
export { printable } from "./platform/text/printable.js"
export { closest } from "./platform/text/text.js"
export { configFolder, dataFolder, type Environment } from "./platform/workspace/folders.js"
export {
  appendPrivate,
  openPrivate,
  privateFolder,
  readPrivate,
  replacePrivate,
} from "./platform/workspace/private-files.js"
export { projectFolders } from "./platform/workspace/project.js"
export { IrregularFile, readRegularFile, readRegularText } from "./platform/workspace/regular-file.js"
export { type SessionWorkspace, WorkspaceNames, wrongName } from "./platform/workspace/workspace-names.js"
export {
  costReport,
  figuresOf,
  type SubagentAccount,
  subagentAccounts,
  sumOfAccounts,
} from "./session/limits/tree-account.js"
export { CommandError } from "./session/loop/command-fields.js"
export type { Conversation } from "./session/loop/conversation.js"
export { promptsOf, type RewindOptions } from "./session/loop/loop.js"
export {
  type CommandName,
  type CommandOf,
  commandSchema,
  readCommand,
  readCommandOf,
  SESSION_COMMANDS,
  type SessionCommand,
  takesTime,
  unknownQuestion,
} from "./session/loop/session-commands.js"
export { openConversation } from "./session/open/open.js"
export type { OpenConversation, OpenOptions } from "./session/open/options.js"
export {
  openProjectRuntime,
  type ProjectRuntime,
  type ProjectRuntimeOptions,
} from "./session/open/project-runtime.js"
export { storeTranscript } from "./session/open/session.js"
export type { SubagentControl } from "./session/subagents/watch.js"
export { activeTelemetry, endTelemetry, startTelemetry, watchSessions } from "./session/telemetry/active.js"
export { telemetryAsked } from "./session/telemetry/asked.js"
export { loadAgents } from "./settings/agents/load.js"
export { selectableAgents } from "./settings/agents/selection.js"
export { DEFAULT_STYLE, type Style } from "./settings/agents/styles.js"
export { ConfigError } from "./settings/config/error.js"
export type { TerminalSettings } from "./settings/config/fields.js"
export { parseJsonc } from "./settings/config/jsonc.js"
export { MCP_FILE } from "./settings/config/mcp-file.js"
export type { Node as JsoncNode } from "./settings/config/node.js"
export type { McpServerSettings, TenantLimits, WebhookSettings } from "./settings/config/outside.js"
export type { McpServerConfig } from "./settings/config/variables.js"
export { type Config, loadConfig } from "./settings/load.js"
export {
  forgetUpdate,
  keepUpdate,
  type ModelUpdate,
  parseUpdate,
  readUpdate,
  updateFile,
} from "./settings/model-update.js"
export {
  type RetentionSettings,
  retentionSettings,
  tenantSettings,
  webhookSettings,
} from "./settings/server-settings.js"
export { forgetTrust, readAnswers, readKept, trustFile } from "./settings/trust/answers.js"
export type { TrustChange } from "./settings/trust/changes.js"
export {
  decideTrust,
  type FolderTrust,
  folderFor,
  type TrustQuestion,
  trustedThrough,
  trustNow,
} from "./settings/trust/decide.js"
export type { TrustItem } from "./settings/trust/item.js"
export { checkSettings } from "./settings/trust/survey.js"
export { LinkError } from "./sources/mcp/link-error.js"
export { type LoginOptions, logIn, logOut, whyNoLogin } from "./sources/mcp/login/log-in.js"
export { promptName } from "./sources/mcp/prompts.js"
export { McpServers, type ServerResource, type ServerStatus } from "./sources/mcp/servers.js"
export { type Completion, completions } from "./sources/mentions/completions.js"
export type { InvokedCommand, OwnCommand } from "./sources/own-commands/own-commands.js"
export { runTyped } from "./sources/own-commands/shell.js"
export { describeRules, type RuleRow } from "./sources/reminders/describe.js"
export { loadRules } from "./sources/reminders/load.js"
export { changedFiles } from "./sources/snapshots/changed.js"
export type { FileChange } from "./sources/snapshots/file-changes.js"
export type { ChangedFile, FileVersion } from "./sources/snapshots/version.js"
export { type Archived, type ArchiveReport, archiveSessions, type Retention } from "./store/archive.js"
export { exportText, LARGEST_EXPORT } from "./store/archive-files.js"
export type {
  BlobStore,
  Mailbox,
  Repair,
  SessionCatalogue,
  SessionHolder,
  SessionLeases,
  SessionLog,
  StoreUpkeep,
  WaitingSession,
} from "./store/contract.js"
export { type CopiedSession, type CopyReport, copySessions } from "./store/copy.js"
export { lostSession, StoreError, type StoreErrorCode, unknownSession } from "./store/error.js"
export { forkSession } from "./store/fork.js"
export { labelProblem, metadataProblem } from "./store/labels.js"
export { type OpencodeSession, opencodeSessions } from "./store/opencode.js"
export { placeIn, storePlace } from "./store/place.js"
export type { Outcome, Posted } from "./store/posted.js"
export { prepareStore } from "./store/postgres.js"
export { withoutPassword } from "./store/postgres-address.js"
export { readSession, readStored } from "./store/read.js"
export { type SchemaState, schemaState, workerGrants } from "./store/schema-state.js"
export { isShared, openExistingStore, openStore, type Store, type StoreOptions } from "./store/store.js"
export type { SessionSummary } from "./store/summary.js"
export { type Verification, verifyStore } from "./store/verify.js"
export type { AttachedEvent } from "./tools/events/attached.js"
export {
  type AccountFigures,
  asidesOf,
  type CompactedEvent,
  type HarnessEvent,
  type RestoreReport,
  type TurnEnd,
} from "./tools/events/events.js"
export { LogFollower, type NumberedEvent } from "./tools/events/log-follower.js"
export { OpenQuestions, type Question } from "./tools/events/questions.js"
export { type Retold, retold } from "./tools/events/retell.js"
export type { TaskControl } from "./tools/tasks/control.js"
export type { Task } from "./tools/tasks/task.js"
