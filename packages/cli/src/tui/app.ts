import type { Session } from "@sotto/core"
import {
  dataFolder,
  type HarnessEvent,
  type ProjectRuntime,
  priceIn,
  reasonOf,
  tourPrompts,
} from "@sotto/harness"
import { QuestionPanel } from "./actions/answer.js"
import { clipboardImage } from "./actions/clipboard.js"
import { Colours } from "./actions/colours.js"
import { CompletionMenu } from "./actions/complete.js"
import type { Core } from "./actions/core.js"
import { editOutside } from "./actions/edit.js"
import { mentionsIn } from "./actions/mentions.js"
import {
  nextAgent,
  nextLevel,
  nextMode,
  setLeave,
  setThinking,
  switchAgent,
  switchModel,
} from "./actions/modes.js"
import { PickerMenu } from "./actions/pick.js"
import { Presence } from "./actions/presence.js"
import { goOn } from "./actions/resume.js"
import { searchHistory } from "./actions/search.js"
import { submit } from "./actions/send.js"
import { OwnShell } from "./actions/shell.js"
import { StopControl } from "./actions/stop.js"
import { Tour } from "./actions/tour.js"
import { type Around, commandsOf, findCommand } from "./commands/index.js"
import { bufferWith } from "./input/buffer.js"
import { openHistory } from "./input/history.js"
import type { KeyEvent } from "./input/keys.js"
import { paste } from "./input/paste.js"
import type { Actions } from "./keys/actions.js"
import { type Bindings, bindingsWith } from "./keys/bindings.js"
import { draftKey } from "./keys/draft.js"
import { checkedKeys } from "./keys/own-keys.js"
import { pageKey } from "./keys/page.js"
import { pickerKey } from "./keys/picker.js"
import { questionKey } from "./keys/question.js"
import { Highlighter, hasCode } from "./markdown/highlight.js"
import { PAGES } from "./pages/index.js"
import { heard } from "./state/conversation-events.js"
import { overtaken, travelled, withBuffer } from "./state/draft.js"
import { reduce } from "./state/reduce.js"
import { restoredScreen } from "./state/restore.js"
import type { ScreenEvent, ScreenItem } from "./state/screen.js"
import { SubagentScreens } from "./state/subagents.js"
import { newUi, Observable, type Shows, type Ui } from "./state/ui.js"
import { Talk, type TalkListener, type TalkOptions } from "./talk.js"
import { Display } from "./terminal/display.js"
import { Keyboard } from "./terminal/keyboard.js"
import { linksIn } from "./terminal/links.js"
import { sizeNow, TerminalWindow } from "./terminal/window.js"
import { painterFor, paletteFor } from "./text/paint.js"
import { needsHighlighter } from "./view/item.js"
import { welcome } from "./welcome.js"

const TICK = 120
/** Long enough to be read. */
const HINT_STAYS = 6_000

/** The terminal UI: what happens becomes what is shown, and what is typed becomes what happens. */
export class App implements Core {
  readonly store: Observable<Ui>
  readonly workplace: ProjectRuntime
  readonly history
  readonly #highlighter = new Highlighter()
  readonly #display: Display
  readonly #window: TerminalWindow
  readonly #answering = new QuestionPanel(this)
  readonly #picking = new PickerMenu(this)
  readonly #shell = new OwnShell(this)
  readonly #stopping = new StopControl(this, () => this.#end(), this.#shell)
  readonly #bindings: Bindings
  readonly #keyProblems: readonly string[]
  readonly #colours = new Colours(this)
  readonly #presence: Presence
  readonly #subagents = new SubagentScreens()
  readonly #completing: CompletionMenu
  readonly #actions: Actions
  #talk: Talk
  /** Keys that were pressed while another session is being opened: they are meant for that one. */
  #early: KeyEvent[] | undefined
  #tour: Tour | undefined
  #ticking: NodeJS.Timeout | undefined
  #hinting: NodeJS.Timeout | undefined
  #end: () => void = () => undefined
  readonly ended = new Promise<void>((resolve) => {
    this.#end = resolve
  })

  private constructor(workplace: ProjectRuntime, talk: Talk) {
    const { stdout, stdin } = process
    const { columns, rows } = sizeNow()
    this.workplace = workplace
    this.#talk = talk
    this.history = openHistory(dataFolder(workplace.env), workplace.cwd)
    const { keys = {}, links = true } = workplace.config.terminal ?? {}
    const checked = checkedKeys(keys)
    this.#bindings = bindingsWith(checked.keys)
    this.#keyProblems = checked.problems
    const ui = newUi(this.#screenOf(talk), columns, rows, workplace.now())
    this.store = new Observable({ ...ui, leave: leaveOf(talk) })
    const link = links ? linksIn(workplace.cwd, workplace.env) : undefined
    this.#display = new Display({
      store: this.store,
      agents: workplace.agents,
      paint: painterFor(paletteFor(workplace.env)),
      highlighter: this.#highlighter,
      ...(link && { link }),
      stdout,
      drawn: () => this.#answering.drawn(),
    })
    this.#presence = new Presence(this, stdout)
    this.#window = new TerminalWindow(
      this.#display,
      new Keyboard(stdin, stdout, (event) => this.#key(event)),
      this.store,
    )
    const around = this.#around()
    this.#completing = new CompletionMenu(this, around, mentionsIn(workplace))
    this.#actions = this.#actionsWith(around)
  }

  static async open(workplace: ProjectRuntime, options: TalkOptions): Promise<App> {
    let app: App | undefined
    const { talk } = await App.#opened(workplace, options, () => app)
    app = new App(workplace, talk)
    return app
  }

  /** What happens in a conversation is for whoever shows it, and for nobody before and after that. */
  static async #opened(
    workplace: ProjectRuntime,
    options: TalkOptions,
    showing: () => App | undefined,
  ): Promise<{ readonly talk: Talk }> {
    const own: { talk?: Talk } = {}
    const tell = (work: (app: App) => void) => {
      const app = showing()
      if (app && app.#talk === own.talk) work(app)
    }
    const listener: TalkListener = {
      event: (event) => tell((app) => app.#hear(event)),
      asked: (question) =>
        tell((app) => {
          app.#answering.ask(question)
          app.#tour?.asked(question)
          app.#presence.call("needs your answer")
        }),
      settled: (id) => tell((app) => app.#answering.over(id)),
      background: (running) => tell((app) => app.dispatch({ type: "background", running })),
      subagent: (session, event) => tell((app) => app.#hearSubagent(session, event)),
    }
    own.talk = await Talk.open(workplace, options, listener)
    return { talk: own.talk }
  }

  async start(): Promise<void> {
    if (this.store.get().screen.items.some(needsHighlighter)) await this.#highlighter.load()
    await this.#window.open((colour) => this.#colours.begin(colour))
    this.#presence.open()
    for (const notice of this.workplace.notices) this.say(notice, "error")
    for (const problem of this.#keyProblems) this.say(`sotto.json: terminal.${problem}`, "error")
    this.#goOn()
    this.#keepTicking()
  }

  setAuto(): void {
    setLeave(this, "auto")
  }

  /** True while another program has the terminal. */
  get isLent(): boolean {
    return this.#window.isLent
  }

  /** Leaves the terminal as it was found. Safe to call at any time. */
  stop(): void {
    clearInterval(this.#ticking)
    clearTimeout(this.#hinting)
    this.#tour?.stop()
    this.#presence.close()
    this.#window.close()
  }

  async close(): Promise<void> {
    this.#shell.stop()
    await this.#tour?.clear()
    await this.#talk.close()
  }

  // As values and not as methods, because whoever acts takes only those that it needs.
  readonly display = (): Display => this.#display
  readonly talk = (): Talk => this.#talk

  readonly dispatch = (event: HarnessEvent | ScreenEvent): void => {
    const now = this.workplace.now()
    this.store.update((ui) => ({ ...ui, now, screen: reduce(ui.screen, event, now) }))
    if (event.type === "typed-begins" || event.type === "typed-ends") this.#keepTicking()
  }

  readonly say = (text: string, tone: "quiet" | "error" = "quiet"): void => {
    this.dispatch({ type: "notice", tone, text })
  }

  readonly hint = (text: string): void => {
    clearTimeout(this.#hinting)
    this.store.update((ui) => ({ ...ui, hint: text }))
    // It stands in place of the status line, which has to come back without a key, too.
    this.#hinting = setTimeout(() => this.#unhint(), HINT_STAYS)
    this.#hinting.unref()
  }

  #unhint(): void {
    clearTimeout(this.#hinting)
    this.store.update((ui) => (ui.hint === undefined ? ui : { ...ui, hint: undefined }))
  }

  #screenOf(talk: Talk): Ui["screen"] {
    const { config } = this.workplace
    const screen = restoredScreen(talk.session, (model) => priceIn(config, model))
    const known = reduce(screen, { type: "model-is", ...talk.model() }, 0)
    const first: ScreenItem = { is: "page", markdown: welcome(known, this.workplace, this.#bindings) }
    return { ...known, items: [first, ...known.items], waiting: talk.waiting() }
  }

  #hear(event: HarnessEvent): void {
    if (event.type === "rewound") {
      this.#show(this.#talk)
      return
    }
    const now = this.workplace.now()
    this.store.update((ui) => ({ ...ui, now, screen: heard(ui.screen, event, this.#talk, now) }))
    if (event.type === "delivered" && this.store.get().draft.editing === event.id) {
      this.store.update((ui) => ({ ...ui, draft: overtaken(ui.draft) }))
      this.hint("That message has just been delivered as it was. Enter sends this as a new one.")
    }
    this.#renew()
    this.#tour?.heard(event)
    if (event.type === "turn-end") this.#presence.call("has finished")
    const { screen } = this.store.get()
    if (event.type === "text" && !this.#highlighter.isReady && hasCode(screen.text))
      void this.#highlighter.load().then(() => this.#tick())
    this.#keepTicking()
  }

  #hearSubagent(session: Session, event: HarnessEvent): void {
    this.#subagents.hear(session, event, this.workplace.now())
    this.#renew()
  }

  readonly #renew = (): void => this.store.update(withRenewedPages)

  readonly #tick = (): void => {
    const now = this.workplace.now()
    this.store.update((ui) => withRenewedPages({ ...ui, now }))
  }

  /** Only while something goes on: an idle terminal is left alone. */
  #keepTicking(): void {
    const { screen } = this.store.get()
    const isWorking = screen.turn !== undefined || screen.typed !== undefined || screen.background > 0
    if (isWorking) this.#ticking ??= setInterval(this.#tick, TICK)
    else {
      clearInterval(this.#ticking)
      this.#ticking = undefined
    }
  }

  async #startTour(): Promise<void> {
    const prompts = await tourPrompts()
    await this.#tour?.clear()
    // The key may have been pressed twice.
    if (this.#tour?.isOn) return
    this.#tour = new Tour(this, {
      prompts,
      page: (markdown) => this.dispatch({ type: "page", markdown }),
      showAsides: (on) => this.#setShown("asides", on),
    })
  }

  /** Tells whether Esc is for the tour: what is in front of the conversation, or written with an answer, is closed first. */
  #isForTour(event: KeyEvent, { tour, pages, picker, asking, draft, screen }: Ui): boolean {
    const isEscape = event.type === "key" && event.name === "escape"
    const isCovered = pages.length > 0 || picker !== undefined || screen.typed !== undefined
    const isWritten = asking.entry !== undefined || draft.offer !== undefined || draft.editing !== undefined
    return isEscape && tour && !isCovered && !isWritten
  }

  #key(event: KeyEvent): void {
    if (event.type === "focus") {
      this.#presence.turned(event.isHere)
      return
    }
    this.#unhint()
    const before = this.store.get()
    if (this.#isForTour(event, before)) this.#tour?.leave()
    else this.#dispatchKey(event, before)
    if (this.store.get().draft.buffer !== before.draft.buffer) void this.#completing.look()
    this.#display.echo()
  }

  #dispatchKey(event: KeyEvent, before: Ui): void {
    const deed = this.#bindings.deedFor(event)
    // Whatever is in front: this is the way out.
    if (deed?.name === "interrupt-or-leave") deed.run(this.#actions)
    else if (this.#early) this.#early.push(event)
    else {
      this.#stopping.somethingElse()
      if (before.pages.length > 0) pageKey(event, this.#actions, this.#bindings)
      else if (before.asking.open.length > 0 && questionKey(event, this.#actions)) return
      else if (before.picker) pickerKey(event, this.#picking.all, this.#actions)
      else draftKey(event, this.#actions, this.#bindings)
    }
  }

  #actionsWith(around: Around): Actions {
    const { store } = this
    return {
      ui: store.get,
      update: (change) => store.update(change),
      submit: (delivery) => submit(this, around, this.#shell, delivery),
      interrupt: () => this.#stopping.interrupt(),
      interruptOrLeave: () => this.#stopping.interruptOrLeave(),
      leave: () => this.#end(),
      suspend: () => this.#window.suspend(),
      redraw: () => this.#display.repaint(),
      nextAgent: () => nextAgent(this),
      nextMode: () => nextMode(this, (title, items, done) => this.#picking.ask(title, items, done)),
      nextLevel: () => nextLevel(this),
      editOutside: () => void editOutside(this, this.#window),
      searchHistory: () => searchHistory(this, this.#picking),
      toggle: (what) => this.#toggle(what),
      command: (name) => void findCommand(name, around)?.run(around, ""),
      escapedIdle: () => {
        if (this.#stopping.escapedTwice()) void findCommand("rewind", around)?.run(around, "")
      },
      paste: (text) => this.#paste(text),
      pasteImage: () => void this.#pasteImage(),
      travel: (by) => this.#travel(by),
      accept: (carryOut) => {
        const isCommand = this.#completing.accept()
        if (isCommand && carryOut) submit(this, around, this.#shell, "next-step")
      },
      answer: (option, words) => this.#answering.answer(option, words),
      picked: (value) => this.#picking.picked(value),
    }
  }

  #around(): Around {
    const around: Around = {
      workplace: this.workplace,
      agents: this.workplace.agents,
      bindings: this.#bindings,
      commands: () => commandsOf(around),
      ui: this.store.get,
      talk: this.talk,
      say: this.say,
      hint: this.hint,
      page: (markdown) => this.dispatch({ type: "page", markdown }),
      pick: (title, items, order) => this.#picking.pick(title, items, order),
      open: (name) => around.show(PAGES[name](around)),
      show: (page) => this.store.update((ui) => ({ ...ui, pages: [...ui.pages, page] })),
      renew: this.#renew,
      copy: (text) => this.#presence.copy(text),
      highlight: this.#highlighter.highlight,
      setTheme: (name) => this.#colours.choose(name),
      subagents: this.#subagents,
      openSession: (id) => this.#openSession(id),
      startTour: () => this.#startTour(),
      write: (text) => this.store.update((ui) => ({ ...ui, draft: withBuffer(ui.draft, bufferWith(text)) })),
      switchAgent: (name) => switchAgent(this, name),
      switchModel: (name) => switchModel(this, name),
      setThinking: (level) => setThinking(this, level),
      quit: () => this.#end(),
    }
    return around
  }

  #paste(text: string): void {
    const { cwd } = this.workplace
    this.store.update((ui) => ({ ...ui, draft: withBuffer(ui.draft, paste(ui.draft.buffer, text, cwd)) }))
  }

  async #pasteImage(): Promise<void> {
    const image = await clipboardImage(this.workplace.env)
    if ("path" in image) this.#paste(image.path)
    else this.hint(image.why)
  }

  #toggle(what: keyof Shows): void {
    const on = !this.store.get().shows[what]
    this.#setShown(what, on)
    this.hint(TOGGLED[what][on ? "on" : "off"])
  }

  /** What is on the screen changes with it; what has scrolled away stays as it is. */
  #setShown(what: keyof Shows, on: boolean): void {
    if (this.store.get().shows[what] === on) return
    this.#display.reshape(() => this.store.update((ui) => ({ ...ui, shows: { ...ui.shows, [what]: on } })))
  }

  #travel(by: 1 | -1): void {
    const { draft, screen } = this.store.get()
    const next = travelled(draft, by, screen.waiting, this.history.entries)
    if (next) this.store.update((ui) => ({ ...ui, draft: next }))
  }

  /** Opens another conversation in this one's place. If it cannot be opened, this one goes on. */
  async #openSession(id?: string): Promise<void> {
    if (this.#early) return
    const early: KeyEvent[] = []
    this.#early = early
    try {
      await this.#replaceTalk(id)
    } finally {
      this.#early = undefined
      for (const event of early) this.#key(event)
    }
  }

  async #replaceTalk(id?: string): Promise<void> {
    const before = this.#talk
    const options: TalkOptions = id === undefined ? { model: before.model().model } : { session: id }
    const { talk } = await App.#opened(this.workplace, options, () => this)
    this.#tour?.stop()
    await this.#tour?.clear()
    this.#tour = undefined
    this.#talk = talk
    await before.close().catch((error: unknown) => this.say(reasonOf(error), "error"))
    if (talk.session.view().length > 0) await this.#highlighter.load()
    this.#show(talk)
    this.#goOn()
  }

  /** A conversation from its beginning, on a screen of its own. */
  #show(talk: Talk): void {
    const screen = this.#screenOf(talk)
    const anew = ({ columns, rows, now, draft }: Ui): Ui => ({
      ...newUi(screen, columns, rows, now),
      draft,
      leave: leaveOf(talk),
      tour: this.#tour?.isOn ?? false,
    })
    this.#picking.picked(undefined)
    this.#display.replace(() => this.store.update(anew))
    this.#keepTicking()
  }

  #goOn(): void {
    goOn(this, (title, items) => this.#picking.pick(title, items))
  }
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

function leaveOf({ conversation, permissions }: Talk): Ui["leave"] {
  return conversation.auto ? "auto" : permissions.acceptsEdits ? "edits" : "ask"
}

function withRenewedPages(ui: Ui): Ui {
  return ui.pages.length === 0 ? ui : { ...ui, pages: ui.pages.map((page) => page.renewed()) }
}
