import type { Session } from "@sotto/core"
import { dataFolder, type HarnessEvent, type ProjectRuntime, reasonOf, tourPrompts } from "@sotto/harness"
import { Colours } from "./actions/appearance.js"
import { PickerMenu, QuestionPanel } from "./actions/ask.js"
import { CompletionMenu } from "./actions/complete.js"
import { write } from "./actions/draft.js"
import { setLeave } from "./actions/modes.js"
import { Presence } from "./actions/presence.js"
import { submit } from "./actions/send.js"
import { Tour } from "./actions/tour.js"
import { goOn, OwnShell, StopControl } from "./actions/turn.js"
import { commandsOf, findCommand } from "./commands/table.js"
import type { Bindings, TerminalContext } from "./context.js"
import { openHistory } from "./input/history.js"
import type { KeyEvent } from "./input/keys.js"
import { bindingsWith, checkedKeys } from "./keys/bindings.js"
import { pressKey } from "./keys/press.js"
import { Highlighter, hasCode } from "./markdown/highlight.js"
import { PAGES } from "./pages/index.js"
import { heard, SubagentScreens } from "./state/conversation-events.js"
import { overtaken } from "./state/draft.js"
import { reduce } from "./state/reduce.js"
import { restoredScreen } from "./state/restore.js"
import type { ScreenEvent, ScreenItem } from "./state/screen.js"
import { newUi, Observable, type Ui } from "./state/ui.js"
import { Talk, type TalkListener, type TalkOptions } from "./talk.js"
import { linksIn } from "./terminal/codes.js"
import { Display } from "./terminal/display.js"
import { Keyboard } from "./terminal/keyboard.js"
import { sizeNow, TerminalWindow } from "./terminal/window.js"
import { painterFor, paletteFor } from "./text/paint.js"
import { asksAboutDiff } from "./view/ask.js"
import { needsHighlighter } from "./view/item.js"
import { welcome } from "./welcome.js"

const TICK = 120
/** Long enough to be read. */
const HINT_STAYS = 6_000

/** The terminal UI: what happens becomes what is shown, and what is typed becomes what happens. */
export class App {
  readonly #store: Observable<Ui>
  readonly #display: Display
  readonly #window: TerminalWindow
  readonly #terminal: TerminalContext
  readonly #highlighter = new Highlighter()
  readonly #questions: QuestionPanel
  readonly #picker: PickerMenu
  readonly #shell: OwnShell
  readonly #stop: StopControl
  readonly #colours: Colours
  readonly #presence: Presence
  readonly #completion: CompletionMenu
  readonly #subagents = new SubagentScreens()
  readonly #keyProblems: readonly string[]
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
    const { columns, rows } = sizeNow()
    const { keys = {}, links = true } = workplace.config.terminal ?? {}
    const checked = checkedKeys(keys)
    const bindings = bindingsWith(checked.keys)
    this.#keyProblems = checked.problems
    this.#talk = talk
    const ui = newUi(screenOf(talk, workplace, bindings), columns, rows, workplace.now())
    this.#store = new Observable({ ...ui, leave: leaveOf(talk) })
    const { stdout, stdin } = process
    const link = links ? linksIn(workplace.cwd, workplace.env) : undefined
    this.#display = new Display({
      store: this.#store,
      agents: workplace.agents,
      paint: painterFor(paletteFor(workplace.env)),
      highlighter: this.#highlighter,
      ...(link && { link }),
      stdout,
      drawn: () => this.#questions.drawn(),
    })
    const keyboard = new Keyboard(stdin, stdout, (event) => this.#key(event))
    this.#window = new TerminalWindow(this.#display, keyboard, this.#store)
    this.#terminal = this.#contextWith(workplace, bindings)
    this.#questions = new QuestionPanel(this.#terminal)
    this.#picker = new PickerMenu(this.#terminal)
    this.#shell = new OwnShell(this.#terminal)
    this.#stop = new StopControl(this.#terminal, this.#shell)
    this.#colours = new Colours(this.#terminal)
    this.#completion = new CompletionMenu(this.#terminal)
    this.#presence = new Presence(this.#store, workplace, stdout)
  }

  #contextWith(workplace: ProjectRuntime, bindings: Bindings): TerminalContext {
    const store = this.#store
    const terminal: TerminalContext = {
      workplace,
      history: openHistory(dataFolder(workplace.env), workplace.cwd),
      bindings,
      display: this.#display,
      window: this.#window,
      highlight: this.#highlighter.highlight,
      subagents: this.#subagents,
      talk: this.talk,
      ui: store.get,
      update: (change) => store.update(change),
      dispatch: (event) => this.#dispatch(event),
      say: (text, tone = "quiet") => this.#dispatch({ type: "line", tone, text }),
      page: (markdown) => this.#dispatch({ type: "page", markdown }),
      hint: (text) => this.#hint(text),
      copy: (text) => this.#presence.copy(text),
      pick: (title, items, order) => this.#picker.pick(title, items, order),
      ask: (title, items, done, order) => this.#picker.ask(title, items, done, order),
      picked: (value) => this.#picker.picked(value),
      answer: (option, words) => this.#questions.answer(option, words),
      open: (name) => terminal.show(PAGES[name](terminal)),
      show: (page) => store.update((ui) => ({ ...ui, pages: [...ui.pages, page] })),
      renew: () => store.update(withRenewedPages),
      commands: () => commandsOf(terminal),
      command: (name) => void findCommand(name, terminal)?.run(terminal, ""),
      submit: (delivery) => submit(terminal, this.#shell, delivery),
      accept: (carryOut) => {
        const isCommand = this.#completion.accept()
        if (isCommand && carryOut) terminal.submit("next-step")
      },
      interrupt: () => this.#stop.interrupt(),
      interruptOrLeave: () => this.#stop.interruptOrLeave(),
      escapedIdle: () => {
        if (this.#stop.escapedTwice()) terminal.command("rewind")
      },
      setTheme: (name) => this.#colours.choose(name),
      openSession: (id) => this.#openSession(id),
      startTour: () => this.#startTour(),
      quit: () => this.#end(),
    }
    return terminal
  }

  static async open(workplace: ProjectRuntime, options: TalkOptions): Promise<App> {
    let app: App | undefined
    const { talk } = await App.#opened(workplace, options, () => app)
    app = new App(workplace, talk)
    return app
  }

  /** Opens a conversation. The app hears its events only while it shows this conversation. */
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
          app.#questions.ask(question)
          if (asksAboutDiff(question)) app.#loadColours()
          app.#tour?.asked(question)
          app.#presence.call("needs your answer")
        }),
      settled: (id) => tell((app) => app.#questions.over(id)),
      background: (running) => tell((app) => app.#dispatch({ type: "background", running })),
      subagent: (session, event) => tell((app) => app.#hearSubagent(session, event)),
    }
    own.talk = await Talk.open(workplace, options, listener)
    return { talk: own.talk }
  }

  async start(): Promise<void> {
    if (this.#store.get().screen.items.some(needsHighlighter)) await this.#highlighter.load()
    await this.#window.open((colour) => this.#colours.begin(colour))
    this.#presence.open()
    for (const notice of this.#terminal.workplace.notices) this.#terminal.say(notice, "error")
    for (const problem of this.#keyProblems) this.#terminal.say(`sotto.json: terminal.${problem}`, "error")
    // A page that is open tells how servers are.
    this.#terminal.workplace.mcp.onChange(() => this.#terminal.renew())
    goOn(this.#terminal)
    this.#keepTicking()
  }

  setAuto(): void {
    setLeave(this.#terminal, "auto")
  }

  /** Sends a prompt, or carries out a command, as if the person had typed it. */
  say(prompt: string): void {
    write(this.#terminal, prompt)
    this.#terminal.submit("next-step")
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

  /** Returns the conversation on the screen. */
  readonly talk = (): Talk => this.#talk

  #dispatch(event: HarnessEvent | ScreenEvent): void {
    const now = this.#terminal.workplace.now()
    this.#store.update((ui) => ({ ...ui, now, screen: reduce(ui.screen, event, now) }))
    if (event.type === "typed-begins" || event.type === "typed-ends") this.#keepTicking()
  }

  #hint(text: string): void {
    clearTimeout(this.#hinting)
    this.#store.update((ui) => ({ ...ui, hint: text }))
    // It stands in place of the status line, which has to come back without a key, too.
    this.#hinting = setTimeout(() => this.#unhint(), HINT_STAYS)
    this.#hinting.unref()
  }

  #unhint(): void {
    clearTimeout(this.#hinting)
    this.#store.update((ui) => (ui.hint === undefined ? ui : { ...ui, hint: undefined }))
  }

  #hear(event: HarnessEvent): void {
    if (event.type === "rewound" || event.type === "redone") {
      this.#show(this.#talk)
      return
    }
    const now = this.#terminal.workplace.now()
    this.#store.update((ui) => ({ ...ui, now, screen: heard(ui.screen, event, this.#talk, now) }))
    if (event.type === "delivered" && this.#store.get().draft.editing === event.id) {
      this.#store.update((ui) => ({ ...ui, draft: overtaken(ui.draft) }))
      this.#hint("That message has just been delivered as it was. Enter sends this as a new one.")
    }
    this.#terminal.renew()
    this.#tour?.heard(event)
    if (event.type === "turn-end") this.#presence.call("has finished")
    const { screen } = this.#store.get()
    if (event.type === "text" && !this.#highlighter.isReady && hasCode(screen.text)) this.#loadColours()
    this.#keepTicking()
  }

  /** Colours what is being drawn, which does not wait as what is printed does. */
  #loadColours(): void {
    void this.#highlighter.load().then(() => this.#tick())
  }

  #hearSubagent(session: Session, event: HarnessEvent): void {
    this.#subagents.hear(session, event, this.#terminal.workplace.now())
    this.#terminal.renew()
  }

  readonly #tick = (): void => {
    const now = this.#terminal.workplace.now()
    this.#store.update((ui) => withRenewedPages({ ...ui, now }))
  }

  /** Draws the time anew while something goes on. An idle terminal is left alone. */
  #keepTicking(): void {
    const { screen } = this.#store.get()
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
    this.#tour = new Tour(this.#terminal, prompts)
  }

  #key(event: KeyEvent): void {
    if (event.type === "focus") {
      this.#presence.turned(event.isHere)
      return
    }
    this.#unhint()
    const before = this.#store.get()
    if (isForTour(event, before)) this.#tour?.leave()
    else this.#press(event)
    if (this.#store.get().draft.buffer !== before.draft.buffer) void this.#completion.look()
    this.#display.echo()
  }

  #press(event: KeyEvent): void {
    const deed = this.#terminal.bindings.deedFor(event)
    // Whatever is in front: this is the way out.
    if (deed?.name === "interrupt-or-leave") deed.run(this.#terminal)
    else if (this.#early) this.#early.push(event)
    else {
      this.#stop.somethingElse()
      pressKey(event, this.#terminal, this.#picker.all)
    }
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
    const { talk } = await App.#opened(this.#terminal.workplace, options, () => this)
    this.#tour?.stop()
    await this.#tour?.clear()
    this.#tour = undefined
    this.#talk = talk
    await before.close().catch((error: unknown) => this.#terminal.say(reasonOf(error), "error"))
    if (talk.session.view().length > 0) await this.#highlighter.load()
    this.#show(talk)
    goOn(this.#terminal)
  }

  /** Shows a conversation from its beginning, on a screen of its own. */
  #show(talk: Talk): void {
    const screen = screenOf(talk, this.#terminal.workplace, this.#terminal.bindings)
    const anew = ({ columns, rows, now, draft }: Ui): Ui => ({
      ...newUi(screen, columns, rows, now),
      draft,
      leave: leaveOf(talk),
      tour: this.#tour?.isOn ?? false,
    })
    this.#picker.picked(undefined)
    this.#display.replace(() => this.#store.update(anew))
    this.#keepTicking()
  }
}

/** Tells whether Esc is for the tour: what is in front of the conversation, or written with an answer, is closed first. */
function isForTour(event: KeyEvent, { tour, pages, picker, asking, draft, screen }: Ui): boolean {
  const isEscape = event.type === "key" && event.name === "escape"
  const isCovered = pages.length > 0 || picker !== undefined || screen.typed !== undefined
  const isWritten = asking.entry !== undefined || draft.offer !== undefined || draft.editing !== undefined
  return isEscape && tour && !isCovered && !isWritten
}

function screenOf(talk: Talk, workplace: ProjectRuntime, bindings: Bindings): Ui["screen"] {
  const screen = restoredScreen(talk.session)
  const asked = reduce(screen, { type: "model-is", ...talk.model() }, 0)
  const known = reduce(asked, { type: "account-is", account: talk.account() }, 0)
  const first: ScreenItem = { is: "page", markdown: welcome(known, workplace, bindings) }
  return { ...known, items: [first, ...known.items], waiting: talk.waiting() }
}

function leaveOf({ conversation, permissions }: Talk): Ui["leave"] {
  return conversation.auto ? "auto" : permissions.acceptsEdits ? "edits" : "ask"
}

function withRenewedPages(ui: Ui): Ui {
  return ui.pages.length === 0 ? ui : { ...ui, pages: ui.pages.map((page) => page.renewed()) }
}
