import type { TerminalContext } from "../context.js"
import { themeNamed } from "../settings/themes.js"
import type { Shows } from "../state/ui.js"
import { painterFor, paletteFor } from "../text/paint.js"
import { shadeIn, shadeOf } from "../text/theme.js"

/** The colours that everything is drawn in: those that were chosen, or those for the background. */
export class Colours {
  readonly #terminal: TerminalContext
  #background: "dark" | "light" | undefined

  constructor(terminal: TerminalContext) {
    this.#terminal = terminal
  }

  begin(background: string | undefined): void {
    const { env, config } = this.#terminal.workplace
    this.#background = (background === undefined ? undefined : shadeOf(background)) ?? shadeIn(env)
    this.choose(config.terminal?.theme ?? "auto")
  }

  /** Draws by the theme of that name. False if something is wrong with it, which is said. */
  choose(name: string): boolean {
    const { workplace, say, display } = this.#terminal
    const { theme, problems } = themeNamed(name, workplace.env, this.#background)
    for (const problem of problems) say(problem, "error")
    display.restyle(painterFor(paletteFor(workplace.env), theme))
    return problems.length === 0
  }
}

/** Shows a part of the conversation, or hides it again, and says so. */
export function toggle(terminal: TerminalContext, what: keyof Shows): void {
  const on = !terminal.ui().shows[what]
  setShown(terminal, what, on)
  terminal.hint(TOGGLED[what][on ? "on" : "off"])
}

/** Changes what is on the screen; what has scrolled away stays as it is. */
export function setShown({ ui, update, display }: TerminalContext, what: keyof Shows, on: boolean): void {
  if (ui().shows[what] === on) return
  display.reshape(() => update((before) => ({ ...before, shows: { ...before.shows, [what]: on } })))
}

const TOGGLED: Readonly<Record<keyof Shows, Readonly<Record<"on" | "off", string>>>> = {
  asides: {
    on: "asides are shown where they were told; Ctrl+R hides them",
    off: "asides are hidden again",
  },
  unfolded: {
    on: "calls are shown in full from now on; Ctrl+O folds them",
    off: "calls are shown in short again",
  },
}
