import type { Agent } from "@sotto/core"
import type { Screen } from "../../state/screen.js"
import type { Ui } from "../../state/ui.js"
import type { TextSpan } from "../../text/line.js"

export interface StatusFacts {
  readonly ui: Ui
  readonly screen: Screen
  readonly agents: readonly Agent[]
}

/** A piece of the status line. */
export interface StatusSegment {
  readonly name: string
  /** Undefined where there is nothing to say. */
  cell(facts: StatusFacts): readonly TextSpan[] | undefined
}
