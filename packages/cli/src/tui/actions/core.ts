import type { HarnessEvent, ProjectRuntime } from "@sotto/harness"
import { reasonOf } from "@sotto/harness"
import type { History } from "../input/history.js"
import type { ScreenEvent } from "../state/screen.js"
import type { Observable, Ui } from "../state/ui.js"
import type { Talk } from "../talk.js"
import type { Display } from "../terminal/display.js"

/** What everything that acts has in common. */
export interface Core {
  readonly store: Observable<Ui>
  readonly workplace: ProjectRuntime
  readonly history: History
  display(): Display
  talk(): Talk
  dispatch(event: HarnessEvent | ScreenEvent): void
  /** A line in the conversation. */
  say(text: string, tone?: "quiet" | "error"): void
  /** A word in the place of the status line, until the next key or for some seconds. */
  hint(text: string): void
}

/** Says what went wrong instead of ending the program over it. */
export function guarded(core: Core, work: () => void): void {
  try {
    work()
  } catch (error) {
    core.say(reasonOf(error), "error")
  }
}
