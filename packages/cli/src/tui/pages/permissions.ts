import { reasonOf } from "@sotto/harness"
import { readPermissions, removePermission, settingsFiles } from "../../settings/write.js"
import type { TerminalContext } from "../context.js"
import { type ListRow, listFrame, listRoom, stepOf, within } from "./list.js"
import { type PageKind, pageOf, type ScreenPage } from "./page.js"

/** Something that was allowed: what, where that is kept, and how it is taken back. */
interface Granted extends ListRow {
  revoke(): boolean
}

interface State {
  readonly grants: readonly Granted[]
  readonly chosen: number
  /** The grant is taken back by one more key. */
  readonly asks: boolean
  readonly message: string | undefined
}

export function permissionsPage(terminal: TerminalContext): ScreenPage {
  const { cwd, env, config } = terminal.workplace
  const { user, root } = settingsFiles(cwd, env, config.files)
  const read = (chosen: number, message?: string): State => {
    const grants = [...ofSession(terminal), ...ofFile(terminal, user, root)]
    return { grants, chosen: within(chosen, Math.max(0, grants.length - 1)), asks: false, message }
  }
  const revoked = ({ grants, chosen }: State): State => {
    const grant = grants[chosen]
    if (grant === undefined) return read(chosen)
    try {
      const done = grant.revoke()
      return read(
        chosen,
        done ? `${grant.label} is asked about again` : `${grant.label} was not there any more`,
      )
    } catch (error) {
      return read(chosen, reasonOf(error))
    }
  }
  const kind: PageKind<State> = {
    name: "permissions",
    view: ({ grants, chosen, asks, message }, size) =>
      listFrame(
        {
          title: "Permissions",
          about: "what you have allowed here, and where that is kept",
          rows: grants,
          chosen,
          empty: "Nothing was allowed beyond the rules: everything else is asked about.",
          foot: asks ? "Take this back? y yes · any other key no" : (message ?? KEYS),
        },
        size,
      ),
    key: (state, { move, name }, size) => {
      if (state.asks) return name === "y" ? revoked(state) : { ...state, asks: false }
      if (move === "close") return "close"
      const step = stepOf(move, listRoom(size))
      if (step !== undefined) return read(state.chosen + step)
      const takesBack = (name === "r" || name === "d" || name === "delete") && state.grants.length > 0
      return takesBack ? { ...state, asks: true, message: undefined } : state
    },
  }
  return pageOf(kind, read(0))
}

const KEYS = "↑↓ choose · r take it back · Esc back"

function ofSession(terminal: TerminalContext): readonly Granted[] {
  const { permissions } = terminal.talk()
  const mode: readonly Granted[] = permissions.acceptsEdits
    ? [
        {
          label: "edit *",
          detail: "by the mode “accept edits”, until it is switched (Shift+Tab)",
          revoke: () => {
            permissions.acceptEdits(false)
            return true
          },
        },
      ]
    : []
  return [
    ...mode,
    ...permissions.granted().map(({ id, permission, what, isPattern }) => ({
      label: `${permission} ${what}`,
      detail: `${isPattern ? "and what fits the pattern" : "exactly this"}; in memory, until this session ends`,
      revoke: () => permissions.revoke(id),
    })),
  ]
}

function ofFile(terminal: TerminalContext, user: string, root: string): readonly Granted[] {
  return readPermissions(user, root).map((rule) => ({
    label: `${rule.permission} ${rule.pattern}`,
    detail: `always in ${root}; in ${user}`,
    revoke: () => {
      const removed = removePermission(user, root, rule)
      terminal.talk().permissions.withdraw(rule.permission, rule.pattern)
      return removed
    },
  }))
}
