import type { Question } from "@sotto/harness"
import { isEmpty } from "../input/buffer.js"
import { settingsFiles } from "../settings/places.js"
import { writePermission } from "../settings/write.js"
import { ARMING, armed, asked, closed, optionsOf } from "../state/open-questions.js"
import { fits } from "../view/ask.js"
import { type Core, guarded } from "./core.js"
import { setLeave } from "./modes.js"

/** Below a question stand its answers, what is being written and the status line. */
const ROWS_BELOW = 6

/** Puts questions to the person, and takes their answers and nothing else for one. */
export class QuestionPanel {
  readonly #core: Core
  #arming: NodeJS.Timeout | undefined

  constructor(core: Core) {
    this.#core = core
  }

  ask(question: Question): void {
    const { store, dispatch, workplace } = this.#core
    const { columns, rows, draft } = store.get()
    const options = optionsOf(question, settingsFiles(workplace.cwd, workplace.env, workplace.config.files))
    const printed = !fits({ question, options }, { width: columns }, rows - ROWS_BELOW)
    if (question.kind === "permission") dispatch({ type: "asked", call: question.call })
    if (printed) dispatch({ type: "question", question })
    const isWriting = !isEmpty(draft.buffer)
    store.update((ui) => ({ ...ui, asking: asked(ui.asking, { question, options, printed }, isWriting) }))
  }

  /** Once the question is in sight it takes a while until a key can be meant for it. */
  drawn(): void {
    const { store } = this.#core
    if (store.get().asking.focus !== "arming" || this.#arming !== undefined) return
    this.#arming = setTimeout(() => {
      this.#arming = undefined
      store.update((ui) => ({ ...ui, asking: armed(ui.asking) }))
    }, ARMING)
  }

  answer(option: number, words: string): void {
    const { store, talk, hint } = this.#core
    const [posed] = store.get().asking.open
    const chosen = posed?.options[option]
    if (posed === undefined || chosen === undefined) return
    const { question } = posed
    if (question.kind === "question" && chosen.words !== undefined && words === "") {
      hint("An answer needs a word at least. Esc goes back.")
      return
    }
    const answer = chosen.answer(words)
    if (answer.startsWith("always ") && question.kind === "permission")
      this.#remember(question.permission, words)
    if (chosen.leave !== undefined && chosen.leave !== store.get().leave) setLeave(this.#core, chosen.leave)
    this.over(question.id)
    talk().answer(question.id, answer)
  }

  over(id: string): void {
    clearTimeout(this.#arming)
    this.#arming = undefined
    const { store, dispatch } = this.#core
    const posed = store.get().asking.open.find(({ question }) => question.id === id)
    if (posed?.question.kind === "permission") dispatch({ type: "answered", call: posed.question.call })
    store.update((ui) => ({ ...ui, asking: closed(ui.asking, id) }))
  }

  #remember(permission: string, pattern: string): void {
    const { workplace, say } = this.#core
    guarded(this.#core, () => {
      const { user, root } = settingsFiles(workplace.cwd, workplace.env, workplace.config.files)
      writePermission(user, root, permission, pattern)
      say(`${permission} ${pattern} is allowed from now on in ${root}, by ${user}`)
    })
  }
}
