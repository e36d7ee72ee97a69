import type { Agent } from "@sotto/core"
import type { ProjectRuntime, ThinkLevel } from "@sotto/harness"
import type { InputCompletion } from "../input/completion.js"
import type { Bindings } from "../keys/bindings.js"
import type { Highlight } from "../markdown/render.js"
import type { PageName } from "../pages/names.js"
import type { ScreenPage } from "../pages/page.js"
import type { SubagentScreens } from "../state/subagents.js"
import type { Picker, PickerItem, Ui } from "../state/ui.js"
import type { Talk } from "../talk.js"

/** What a command or a page can do to the program around it. */
export interface Around {
  readonly workplace: ProjectRuntime
  readonly agents: readonly Agent[]
  readonly bindings: Bindings
  commands(): readonly SlashCommand[]
  ui(): Ui
  talk(): Talk
  say(text: string, tone?: "quiet" | "error"): void
  /** A word in the place of the status line, until the next key. */
  hint(text: string): void
  /** A text in the conversation. */
  page(markdown: string): void
  pick(title: string, items: readonly PickerItem[], order?: Picker["order"]): Promise<string | undefined>
  /** Opens a page of the table over whatever is there. */
  open(page: PageName): void
  /** Puts a page over whatever is there. */
  show(page: ScreenPage): void
  /** Draws pages again with what has happened meanwhile. */
  renew(): void
  /** Puts a text into the terminal's clipboard: what became of it, in words. */
  copy(text: string): string
  readonly highlight: Highlight
  /** Draws in other colours. False if there is no theme by that name, which has been said then. */
  setTheme(name: string): boolean
  readonly subagents: Pick<SubagentScreens, "of">
  /** Another session in place of this one: a stored one, or a new one. */
  openSession(id?: string): Promise<void>
  /** Begins the tour. Only for a session with the rehearsal in which nothing goes on. */
  startTour(): Promise<void>
  /** A text to begin with. */
  write(text: string): void
  switchAgent(name: string): void
  switchModel(name: string): void
  /** Undefined: as the settings say. */
  setThinking(level: ThinkLevel | undefined): void
  quit(): void
}

export interface SlashCommand {
  readonly name: string
  /** What may follow, for people. */
  readonly argument?: string
  readonly help: string
  /** A command that the user has written, or a skill: what it stands for is said to the agent. */
  readonly isOwn?: true
  offers?(around: Around): readonly InputCompletion[]
  run(around: Around, argument: string): void | Promise<void>
}
