import { useEffect, useRef } from "preact/hooks"

export interface KeyHelp {
  readonly keys: string
  readonly what: string
}

/** What the keys do, as the help shows it. */
export const KEYS: readonly KeyHelp[] = [
  { keys: "1 … 6", what: "Timeline, step, ledger, breaks, charts, findings" },
  { keys: "j k", what: "Next and previous step (also arrow keys in lists and grids)" },
  { keys: "Enter", what: "Open the selected step" },
  { keys: "o", what: "Show what the tools of the selected step did" },
  { keys: "n p", what: "Next and previous break" },
  { keys: "+ - 0", what: "Zoom in, zoom out, show everything" },
  { keys: "← →", what: "Move the window of the timeline, or along the ledger" },
  { keys: "/", what: "Search" },
  { keys: "i", what: "Write to the session" },
  { keys: "e", what: "Save as one HTML file" },
  { keys: "t", what: "Light, dark, or as the system has it" },
  { keys: "Esc", what: "Close, or leave a field" },
  { keys: "?", what: "This help" },
]

export type KeyTable = Readonly<Record<string, (event: KeyboardEvent) => void>>

/** Binds keys while the component is shown. Keys in fields belong to the field, except Escape, which leaves it. */
export function useKeys(table: KeyTable): void {
  const current = useRef(table)
  current.current = table
  useEffect(() => {
    const heard = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
      const target = event.target instanceof HTMLElement ? event.target : undefined
      if (target?.matches("input, textarea, select, [contenteditable]")) {
        if (event.key === "Escape") target.blur()
        return
      }
      const act = current.current[event.key]
      if (act === undefined) return
      // A button or link that has the focus takes Enter and the space bar itself.
      if (
        (event.key === "Enter" || event.key === " ") &&
        target?.matches("button, a[href], summary, [role=gridcell]")
      )
        return
      event.preventDefault()
      act(event)
    }
    document.addEventListener("keydown", heard)
    return () => document.removeEventListener("keydown", heard)
  }, [])
}
