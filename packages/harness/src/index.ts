export { dynamic, RequestReader, removed, THINK_LEVELS, type ThinkLevel } from "@sotto/core"
export { takesLevels } from "@sotto/core/models"
export { loadAgents } from "./agents/load.js"
export { selectableAgents } from "./agents/selection.js"
export { DEFAULT_STYLE, type Style } from "./agents/styles.js"
export type { TerminalSettings } from "./config/fields.js"
export { parseJsonc } from "./config/jsonc.js"
export type { Node as JsoncNode } from "./config/node.js"
export type { McpServerSettings } from "./config/outside.js"
export { isForTheUser } from "./errors.js"
export type { HarnessEvent, TurnEnd } from "./events/events.js"
export { Following, type NumberedEvent } from "./events/following.js"
export { OpenQuestions, type Question } from "./events/questions.js"
export { type Retold, retold } from "./events/retelling.js"
export { changeOf, type FileChange } from "./files/changes.js"
export {
  filesAt,
  filesOf,
  type Restored,
  recordRestored,
  restoreFiles,
  type WrittenFile,
} from "./files/rewind.js"
export { type CostReport, explainCost } from "./limits/economy.js"
export { costOf, type Price, priceIn, type Spent } from "./limits/meter.js"
export { CommandError } from "./loop/command-fields.js"
export type { Conversation } from "./loop/conversation.js"
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
} from "./loop/session-commands.js"
export type { ServerResource, ServerStatus } from "./mcp/servers.js"
export { type Completion, completions } from "./mentions/completions.js"
export { type Offered, offeredModels } from "./models/catalogue.js"
export { configuredSecrets, knownSecrets } from "./models/known-secrets.js"
export {
  isProviderName,
  KEY_VARIABLES,
  PROVIDERS,
  type Provider,
  type ProviderName,
  providerOf,
} from "./models/providers.js"
export { serveRehearsal, tourPrompts } from "./models/rehearsal.js"
export { baseOf, defaultModel, isRehearsal, resolveModel } from "./models/resolve.js"
export {
  isFromEnvironment,
  keyPlace,
  keysFile,
  readKeys,
  removeKey,
  storeKey,
  withStoredKeys,
} from "./models/stored-keys.js"
export { type KeyTrial, tryKey } from "./models/trying-keys.js"
export { openConversation } from "./opening/open.js"
export type { OpenConversation, OpenOptions } from "./opening/options.js"
export { openWorkplace, type Workplace, type WorkplaceOptions } from "./opening/workplace.js"
export { type OwnCommand, ownCommandIn } from "./own-commands/own-commands.js"
export { runTyped } from "./own-commands/shell.js"
export type { Grant, PermissionControl } from "./permissions/gate.js"
export { confine } from "./permissions/sandbox/confine.js"
export { findSandbox } from "./permissions/sandbox/find.js"
export { sandboxProblem } from "./permissions/sandbox/problem.js"
export { type Running, startAttached } from "./programs/attached.js"
export { EditorError, editText } from "./programs/editor.js"
export { childEnvironment, withheldFrom } from "./programs/environment.js"
export { findProgram } from "./programs/find-program.js"
export { confinedCommand, direct, type Launch } from "./programs/launch.js"
export { printedBy } from "./programs/printed.js"
export { birthOf, isSameProcess } from "./programs/process-identity.js"
export { ripgrepVersion } from "./programs/ripgrep.js"
export { startDetached, startPrinting, startSotto } from "./programs/start.js"
export { allowedCommand, ownProcesses } from "./programs/supervise.js"
export { describeRules, type RuleRow } from "./reminders/describe.js"
export { loadRules } from "./reminders/load.js"
export { redact } from "./secrets/redact.js"
export { redactedLines } from "./secrets/share.js"
export { type Config, loadConfig } from "./settings/load.js"
export { type RetentionSettings, retentionSettings } from "./settings/retention.js"
export { type Archived, type ArchiveReport, archiveSessions, type Retention } from "./store/archive.js"
export { exportText, LARGEST_EXPORT } from "./store/archive-files.js"
export type { Repair, SessionHolder, WaitingSession } from "./store/contract.js"
export { type CopiedSession, type CopyReport, copySessions } from "./store/copy.js"
export { StoreError } from "./store/error.js"
export { forkSession } from "./store/fork.js"
export { type OpencodeSession, opencodeSessions } from "./store/opencode.js"
export { placeIn, storePlace } from "./store/place.js"
export type { Outcome } from "./store/posted.js"
export { prepareStore } from "./store/postgres.js"
export { withoutPassword } from "./store/postgres-address.js"
export { readSession, readStored } from "./store/read.js"
export { type SchemaState, schemaState } from "./store/schema-state.js"
export { isShared, openExistingStore, openStore, type Store, type StoreOptions } from "./store/store.js"
export type { SessionSummary } from "./store/summary.js"
export { type Verification, verifyStore } from "./store/verify.js"
export type { SubagentControl } from "./subagents/watch.js"
export type { TaskControl } from "./tasks/control.js"
export type { Task } from "./tasks/task.js"

export { activeTelemetry, endTelemetry, startTelemetry } from "./telemetry/active.js"
export { telemetryAsked } from "./telemetry/asked.js"

export { durationIn, sizeIn, sizeText } from "./text/amounts.js"

export { fileReason, reasonOf } from "./text/errors.js"
export { printable } from "./text/printable.js"
export { editDistance } from "./text/text.js"
export { forgetTrust, readAnswers, readKept, trustFile } from "./trust/answers.js"
export type { TrustChange } from "./trust/changes.js"
export {
  decideTrust,
  folderFor,
  type Trust,
  type TrustQuestion,
  trustedThrough,
  trustNow,
} from "./trust/decide.js"
export type { TrustItem } from "./trust/item.js"
export { configFolder, dataFolder, type Environment } from "./workspace/folders.js"
export { projectFolders } from "./workspace/place.js"
export {
  appendPrivate,
  openPrivate,
  privateFolder,
  readPrivate,
  replacePrivate,
} from "./workspace/private-files.js"
export { IrregularFile, readRegularFile, readRegularText } from "./workspace/regular-file.js"
export { type WorksIn, Workspaces, wrongName } from "./workspace/workspaces.js"
