import type { Around } from "../commands/command.js"
import { ledgerPage } from "./ledger/page.js"
import type { Page } from "./page.js"
import { permissionsPage } from "./permissions/page.js"
import { tasksPage } from "./tasks/page.js"

/** Every page that can be opened by its name. */
export const PAGES = {
  ledger: ledgerPage,
  permissions: permissionsPage,
  tasks: tasksPage,
} as const satisfies Readonly<Record<string, (around: Around) => Page>>

export type PageName = keyof typeof PAGES
