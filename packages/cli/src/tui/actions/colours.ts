import { themeNamed } from "../settings/themes.js"
import { painterFor, paletteFor } from "../text/paint.js"
import { shadeIn, shadeOf } from "../text/themes.js"
import type { Core } from "./core.js"

/** The colours that everything is drawn in: those that were chosen, or those for the background. */
export class Colours {
  readonly #core: Core
  #background: "dark" | "light" | undefined

  constructor(core: Core) {
    this.#core = core
  }

  /** The terminal has said what its background is, or has not. */
  begin(background: string | undefined): void {
    const { env, config } = this.#core.workplace
    this.#background = (background === undefined ? undefined : shadeOf(background)) ?? shadeIn(env)
    this.choose(config.terminal?.theme ?? "auto")
  }

  /** Draws by the theme of that name. False if something is wrong with it, which is said. */
  choose(name: string): boolean {
    const { workplace, say, display } = this.#core
    const { theme, problems } = themeNamed(name, workplace.env, this.#background)
    for (const problem of problems) say(problem, "error")
    display().restyle(painterFor(paletteFor(workplace.env), theme))
    return problems.length === 0
  }
}
