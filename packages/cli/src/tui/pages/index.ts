import type { Around } from "../commands/command.js"
import { ledgerPage } from "./ledger/page.js"
import type { PageName } from "./names.js"
import type { Page } from "./page.js"
import { permissionsPage } from "./permissions/page.js"
import { tasksPage } from "./tasks/page.js"

/** Every page that can be opened by its name. */
export const PAGES: Readonly<Record<PageName, (around: Around) => Page>> = {
  ledger: ledgerPage,
  permissions: permissionsPage,
  tasks: tasksPage,
}
