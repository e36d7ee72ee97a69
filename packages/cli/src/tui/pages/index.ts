import type { TerminalContext } from "../context.js"
import { changesPage } from "./changes.js"
import { keysPage } from "./keys.js"
import { ledgerPage } from "./ledger.js"
import { mcpPage } from "./mcp.js"
import type { PageName, ScreenPage } from "./page.js"
import { permissionsPage } from "./permissions.js"
import { sessionsPage } from "./sessions.js"
import { subagentsPage } from "./subagents.js"
import { tasksPage } from "./tasks.js"
import { ownTranscript } from "./transcript.js"

/** Every page that can be opened by its name. */
export const PAGES: Readonly<Record<PageName, (terminal: TerminalContext) => ScreenPage>> = {
  changes: changesPage,
  keys: keysPage,
  ledger: ledgerPage,
  mcp: mcpPage,
  permissions: permissionsPage,
  sessions: sessionsPage,
  subagents: subagentsPage,
  tasks: tasksPage,
  transcript: ownTranscript,
}
