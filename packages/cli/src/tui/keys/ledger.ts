import type { KeyEvent } from "../input/keys.js"
import type { Ledger } from "../state/ledger.js"
import type { Actions } from "./actions.js"

const PAGE = 10

/** Keys on the page of the ledger. */
export function ledgerKey(event: KeyEvent, actions: Actions): void {
  const { ledger } = actions.ui()
  if (ledger === undefined) return
  const change = (edit: (ledger: Ledger) => Ledger) =>
    actions.update((ui) => (ui.ledger ? { ...ui, ledger: edit(ui.ledger) } : ui))
  const name = event.type === "key" ? event.name : event.type === "text" ? event.text : ""
  if (ledger.asks) {
    if (name === "p") actions.ledger.forGood("project")
    else if (name === "u") actions.ledger.forGood("user")
    else if (name === "escape" || name === "q") change((one) => ({ ...one, asks: false }))
    return
  }
  const move = (by: number) =>
    change((one) => ({
      ...one,
      message: undefined,
      chosen: Math.max(0, Math.min(one.kinds.length - 1, one.chosen + by)),
    }))
  const steps: Readonly<Record<string, number>> = {
    up: -1,
    k: -1,
    down: 1,
    j: 1,
    pageup: -PAGE,
    pagedown: PAGE,
  }
  const by = steps[name]
  if (by !== undefined) move(by)
  else if (name === "enter" || name === " ") change((one) => ({ ...one, open: !one.open }))
  else if (name === "s") actions.ledger.forSession()
  else if (name === "f") change((one) => ({ ...one, asks: true }))
  else if (name === "escape" || name === "q") {
    if (ledger.open) change((one) => ({ ...one, open: false }))
    else actions.ledger.close()
  }
}
