import type { TerminalContext } from "../context.js"
import { changesPage } from "./changes/page.js"
import { ledgerPage } from "./ledger/page.js"
import { mcpPage } from "./mcp/page.js"
import type { PageName } from "./names.js"
import type { ScreenPage } from "./page.js"
import { permissionsPage } from "./permissions/page.js"
import { sessionsPage } from "./sessions/page.js"
import { subagentsPage } from "./subagents/page.js"
import { tasksPage } from "./tasks/page.js"
import { ownTranscript } from "./transcript/page.js"

/** Every page that can be opened by its name. */
export const PAGES: Readonly<Record<PageName, (terminal: TerminalContext) => ScreenPage>> = {
  changes: changesPage,
  ledger: ledgerPage,
  mcp: mcpPage,
  permissions: permissionsPage,
  sessions: sessionsPage,
  subagents: subagentsPage,
  tasks: tasksPage,
  transcript: ownTranscript,
}
