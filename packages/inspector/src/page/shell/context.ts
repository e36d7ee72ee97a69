import { createContext } from "preact"
import { useContext } from "preact/hooks"
import type { SessionDetail, TraceDetail } from "../../contract.js"
import type { Subject } from "../../embedded.js"
import type { DataReader } from "../data/reader.js"
import type { Rows } from "../data/rows.js"
import type { Live } from "../live/live.js"
import type { PageRoute } from "../route/route.js"

/** What every view of a subject needs. */
export interface SubjectContext {
  readonly reader: DataReader
  readonly subject: Subject
  readonly rows: Rows
  readonly session?: SessionDetail
  readonly trace?: TraceDetail
  readonly live: Live
  /** "step" or "call". */
  readonly word: string
  go(route: PageRoute): void
  /** The step that is selected, and how to select another. */
  readonly selected: number
  select(n: number): void
}

export const ShownContext = createContext<SubjectContext | undefined>(undefined)

export function useShown(): SubjectContext {
  const shown = useContext(ShownContext)
  if (shown === undefined) throw new Error("A view is shown outside of a subject.")
  return shown
}
