import { patternCovers, type Question } from "@sotto/harness"
import { settingsFiles, writePermission } from "../../settings/write.js"
import { guarded, type TerminalContext } from "../context.js"
import { isEmpty } from "../input/buffer.js"
import { ARMING, armed, asked, closed, optionsOf } from "../state/open-questions.js"
import { type Picker, type PickerItem, picker } from "../state/ui.js"
import { fits } from "../view/ask.js"
import { setLeave } from "./modes.js"

/** Below a question stand its answers, what is being written and the status line. */
const ROWS_BELOW = 6

/** Puts questions to the person, and takes their answers and nothing else for one. */
export class QuestionPanel {
  readonly #terminal: TerminalContext
  #arming: NodeJS.Timeout | undefined

  constructor(terminal: TerminalContext) {
    this.#terminal = terminal
  }

  ask(question: Question): void {
    const { ui, update, dispatch, workplace } = this.#terminal
    const { columns, rows, draft } = ui()
    const options = optionsOf(question, settingsFiles(workplace.cwd, workplace.env, workplace.config.files))
    const printed = !fits({ question, options }, { width: columns }, rows - ROWS_BELOW)
    if (question.kind === "permission") dispatch({ type: "asked", call: question.call })
    if (printed) dispatch({ type: "question", question })
    const isWriting = !isEmpty(draft.buffer)
    update((ui) => ({ ...ui, asking: asked(ui.asking, { question, options, printed }, isWriting) }))
  }

  /** Starts to wait once the question is in sight: it takes a while until a key can be meant for it. */
  drawn(): void {
    const { ui, update } = this.#terminal
    if (ui().asking.focus !== "arming" || this.#arming !== undefined) return
    this.#arming = setTimeout(() => {
      this.#arming = undefined
      update((ui) => ({ ...ui, asking: armed(ui.asking) }))
    }, ARMING)
  }

  answer(option: number, words: string): void {
    const { ui, talk, hint } = this.#terminal
    const [posed] = ui().asking.open
    const chosen = posed?.options[option]
    if (posed === undefined || chosen === undefined) return
    const { question } = posed
    if (question.kind === "question" && chosen.words !== undefined && words === "") {
      hint("An answer needs a word at least. Esc goes back.")
      return
    }
    const answer = chosen.answer(words)
    if (answer.startsWith("always ") && question.kind === "permission") {
      if (!patternCovers(words, question)) {
        hint(`Nothing was stored: ${words} does not match ${question.target}. Change it, or Esc goes back.`)
        return
      }
      this.#remember(question.permission, words)
    }
    if (chosen.leave !== undefined && chosen.leave !== ui().leave) setLeave(this.#terminal, chosen.leave)
    this.over(question.id)
    talk().answer(question.id, answer)
  }

  over(id: string): void {
    clearTimeout(this.#arming)
    this.#arming = undefined
    const { ui, update, dispatch } = this.#terminal
    const posed = ui().asking.open.find(({ question }) => question.id === id)
    if (posed?.question.kind === "permission") dispatch({ type: "answered", call: posed.question.call })
    update((ui) => ({ ...ui, asking: closed(ui.asking, id) }))
  }

  #remember(permission: string, pattern: string): void {
    const { workplace, say } = this.#terminal
    guarded(this.#terminal, () => {
      const { user, root } = settingsFiles(workplace.cwd, workplace.env, workplace.config.files)
      writePermission(user, root, permission, pattern)
      say(`${permission} ${pattern} is allowed from now on in ${root}, by ${user}`)
    })
  }
}

/** One list at a time to choose from. */
export class PickerMenu {
  readonly #terminal: TerminalContext
  #all: readonly PickerItem[] = []
  #done: ((value: string | undefined) => void) | undefined

  constructor(terminal: TerminalContext) {
    this.#terminal = terminal
  }

  get all(): readonly PickerItem[] {
    return this.#all
  }

  pick(title: string, items: readonly PickerItem[], order?: Picker["order"]): Promise<string | undefined> {
    return new Promise((resolve) => this.ask(title, items, resolve, order))
  }

  /** The same for what must have happened before the next key is looked at, which may have come together with the choice. */
  ask(
    title: string,
    items: readonly PickerItem[],
    done: (value: string | undefined) => void,
    order: Picker["order"] = "best first",
  ): void {
    this.picked(undefined)
    this.#all = items
    this.#terminal.update((ui) => ({ ...ui, picker: picker(title, items, order) }))
    this.#done = done
  }

  picked(value: string | undefined): void {
    const done = this.#done
    this.#done = undefined
    this.#terminal.update((ui) => (ui.picker ? { ...ui, picker: undefined } : ui))
    done?.(value)
  }
}
