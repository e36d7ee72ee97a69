import type { Delivery } from "@sotto/core"
import { type HarnessEvent, type ProjectRuntime, reasonOf } from "@sotto/harness"
import type { InputCompletion } from "./input/completion.js"
import type { History } from "./input/history.js"
import type { KeyEvent } from "./input/keys.js"
import type { Highlight } from "./markdown/render.js"
import type { PageMove, PageName, ScreenPage } from "./pages/page.js"
import type { SubagentScreens } from "./state/conversation-events.js"
import type { ScreenEvent } from "./state/screen.js"
import type { Picker, PickerItem, Ui } from "./state/ui.js"
import type { Talk } from "./talk.js"
import type { Painter } from "./text/paint.js"

/**
 * Everything that keys, actions, slash commands and pages can use and do. The app makes one, and nothing else of the app
 * is passed around. Its functions do not depend on `this`, so that each user takes out those that it needs.
 */
export interface TerminalContext {
  readonly workplace: ProjectRuntime
  readonly history: History
  readonly bindings: Bindings
  readonly display: DrawnScreen
  readonly window: LentWindow
  readonly highlight: Highlight
  readonly subagents: Pick<SubagentScreens, "of">

  /** Returns the conversation on the screen: /clear and /resume put another one in its place. */
  talk(): Talk
  /** Returns what is drawn. */
  ui(): Ui
  /** Changes what is drawn. */
  update(change: (ui: Ui) => Ui): void
  /** Changes the conversation on the screen by what has happened. */
  dispatch(event: HarnessEvent | ScreenEvent): void
  /** Puts a line into the conversation. */
  say(text: string, tone?: "quiet" | "error"): void
  /** Puts a text into the conversation. */
  page(markdown: string): void
  /** Puts a word in the place of the status line, until the next key or for some seconds. */
  hint(text: string): void
  /** Puts a text into the terminal's clipboard. Returns what became of it, in words. */
  copy(text: string): string

  /** Has the person choose from a list. Returns undefined if they chose nothing. */
  pick(title: string, items: readonly PickerItem[], order?: Picker["order"]): Promise<string | undefined>
  /** Does the same, but calls back before the next key is looked at, which may have come together with the choice. */
  ask(
    title: string,
    items: readonly PickerItem[],
    done: (value: string | undefined) => void,
    order?: Picker["order"],
  ): void
  /** Closes the list with the value that was chosen, if one was. */
  picked(value: string | undefined): void
  /** Answers the question in front. */
  answer(option: number, words: string): void

  /** Opens a page of the table over whatever is there. */
  open(page: PageName): void
  /** Puts a page over whatever is there. */
  show(page: ScreenPage): void
  /** Draws pages again with what has happened meanwhile. */
  renew(): void

  /** Lists every slash command that there is here, each name once. */
  commands(): readonly SlashCommand[]
  /** Carries out a slash command as if its name had been typed. */
  command(name: string): void
  /** Sends what is written, or carries it out. */
  submit(delivery: Delivery): void
  /** Puts what is offered into the draft, and carries it out if it is a command and that is wanted. */
  accept(carryOut: boolean): void

  /** Ends the turn, or the person's own command. */
  interrupt(): void
  /** Ends the turn or the program, as Ctrl+C does. */
  interruptOrLeave(): void
  /** Hears of Esc while nothing goes on. */
  escapedIdle(): void

  /** Draws in other colours. Returns false if something is wrong with the theme, which has been said then. */
  setTheme(name: string): boolean
  /** Opens a stored session, or a new one, in place of this one. */
  openSession(id?: string): Promise<void>
  /** Begins the tour. Only for a session with the rehearsal in which nothing goes on. */
  startTour(): Promise<void>
  quit(): void
}

/** The screen for those who change how it is drawn. */
interface DrawnScreen {
  /** Draws everything again. */
  repaint(): void
  /** Changes what the lines on the screen look like, and draws those again. */
  reshape(change: () => void): void
  /** Draws in other colours. */
  restyle(paint: Painter): void
}

/** The terminal for those who give it to another program for a while. */
interface LentWindow {
  /** True while another program has the terminal. */
  readonly isLent: boolean
  lend<T>(work: () => Promise<T>): Promise<T>
  /** Gives it to the shell, as Ctrl+Z does. */
  suspend(): void
}

/** What is typed after a slash. */
export interface SlashCommand {
  readonly name: string
  /** Other names that people know it by. */
  readonly aliases?: readonly string[]
  /** What may follow, for people. */
  readonly argument?: string
  readonly help: string
  /** A command that the user has written, or a skill: what it stands for is said to the agent. */
  readonly isOwn?: true
  offers?(terminal: TerminalContext): readonly InputCompletion[]
  run(terminal: TerminalContext, argument: string): void | Promise<void>
}

/** Something that keys do while a message is written. Its name is what a key is bound to. */
export interface Deed {
  readonly name: string
  /** The keys that do it, unless the user has chosen others: "ctrl+r", "shift+tab". */
  readonly keys: readonly string[]
  /** For the list of keys; an action without it is left out of the list. */
  readonly help?: string
  /** How the keys are written in that list, where their names alone would not say it. */
  readonly shown?: string
  /** Returns false if it does not apply now: then the key does what it would do unbound. */
  run(terminal: TerminalContext): boolean | undefined
}

/** Which key does what. */
export interface Bindings {
  deedFor(event: KeyEvent): Deed | undefined
  moveFor(event: KeyEvent): PageMove | undefined
  /** Every deed with the keys it has. */
  readonly deeds: readonly Deed[]
}

/** Says what went wrong instead of ending the program over it. */
export function guarded({ say }: Pick<TerminalContext, "say">, work: () => void): void {
  try {
    work()
  } catch (error) {
    say(reasonOf(error), "error")
  }
}
