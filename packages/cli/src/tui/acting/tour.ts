import { rmdirSync } from "node:fs"
import { join } from "node:path"
import { filesOf, type HarnessEvent, restoreFiles, selectableAgents } from "@sotto/harness"
import { bufferWith, EMPTY, isEmpty } from "../input/buffer.js"
import type { KeyEvent } from "../input/keys.js"
import { withBuffer } from "../state/drafting.js"
import type { Core } from "./core.js"
import { switchAgent } from "./modes.js"

/** What the tour says in the middle of a turn, for somebody who only watches. */
const MEANWHILE = "And is there a licence?"
/** Milliseconds a letter: as a person types who is in no hurry. */
const LETTER = 45
/** Milliseconds between two scenes: long enough to see that one is over. */
const BREATH = 1_500

interface TourParts {
  readonly prompts: { readonly around: string; readonly plan: string }
  /** Sends what is written. */
  submit(): void
  page(markdown: string): void
}

/**
 * Plays the person's part for somebody who only watches: a message in the middle of a turn, then plan mode. What has to
 * be decided is left to the person. Whoever types takes over at once, and the tour no longer does anything by itself.
 */
export class Tour {
  readonly #core: Core
  readonly #parts: TourParts
  #scene: "around" | "plan" | "over" = "around"
  #timer: NodeJS.Timeout | undefined
  #typed: "not yet" | "typing" | "done" = "not yet"
  #isUnaided = true

  constructor(core: Core, parts: TourParts) {
    this.#core = core
    this.#parts = parts
    core.talk().say(parts.prompts.around, "next-step")
  }

  heard(event: HarnessEvent): void {
    if (this.#scene === "around" && event.type === "text") this.#beginTyping()
    if (event.type !== "turn-end") return
    this.#stopTyping()
    if (this.#scene === "around" && event.reason === "done" && this.#isUnaided)
      this.#timer = setTimeout(() => this.#plan(), BREATH)
    else if (this.#scene !== "over") this.#end()
  }

  /** The person pressed a key. True if it was meant for what the tour was typing. */
  pressed(event: KeyEvent): boolean {
    const name = event.type === "key" ? event.name : ""
    const isTyping = this.#typed === "typing"
    if (isTyping && name === "enter") {
      this.#send()
      return true
    }
    if (["enter", "up", "down"].includes(name)) return false
    this.#isUnaided = false
    if (isTyping) {
      this.#stopTyping()
      this.#write("")
    }
    return false
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#scene = "over"
  }

  /** Takes away what the stand-in wrote, unless somebody has changed it since. */
  async clear(): Promise<void> {
    const { talk, workplace } = this.#core
    const { cwd } = workplace
    const written = filesOf([talk().session.log])
    if (written.length === 0) return
    await restoreFiles(written, { cwd, content: (hash) => workplace.store().content(hash) })
    for (const folder of [".sotto/plans", ".sotto"]) removeIfEmpty(join(cwd, folder))
  }

  #beginTyping(): void {
    const { store } = this.#core
    if (this.#typed !== "not yet" || !this.#isUnaided || !isEmpty(store.get().draft.buffer)) return
    this.#typed = "typing"
    this.#typeOn(1)
  }

  #typeOn(letters: number): void {
    this.#write(MEANWHILE.slice(0, letters))
    this.#timer = setTimeout(
      () => (letters < MEANWHILE.length ? this.#typeOn(letters + 1) : this.#send()),
      LETTER,
    )
  }

  #send(): void {
    this.#stopTyping()
    this.#write(MEANWHILE)
    this.#parts.submit()
  }

  #stopTyping(): void {
    clearTimeout(this.#timer)
    if (this.#typed === "typing") this.#typed = "done"
  }

  #write(text: string): void {
    const buffer = text === "" ? EMPTY : bufferWith(text)
    this.#core.store.update((ui) => ({ ...ui, draft: withBuffer(ui.draft, buffer) }))
  }

  #plan(): void {
    const { store, talk, workplace, say } = this.#core
    const planner = selectableAgents(workplace.agents).find(({ planning }) => planning === true)
    const { draft, screen } = store.get()
    const isFree = this.#isUnaided && isEmpty(draft.buffer) && screen.turn === undefined
    if (planner === undefined || !isFree) {
      this.#end()
      return
    }
    this.#scene = "plan"
    say("The tour goes on in plan mode, which you reach by Shift+Tab.")
    switchAgent(this.#core, planner.name)
    talk().say(this.#parts.prompts.plan, "next-step")
  }

  #end(): void {
    this.#scene = "over"
    this.#parts.page(THE_END)
  }
}

const THE_END =
  "**That was the tour.** Your words can reach it in the middle of a turn, what it is told stands beside them, you decide " +
  "by the diff, and a plan waits for your word. What it wrote is taken away when you leave. Go on by yourself: " +
  "`/transcript` opens everything, `/asides` is the ledger, `/diff` undoes changes, `?` lists the keys.\n\n" +
  "**For a real model** run `sotto login`, or set `ANTHROPIC_API_KEY`, `OPENAI_API_KEY` or `GEMINI_API_KEY`, and start " +
  "`sotto` again."

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // Somebody keeps something there, or it was never made.
  }
}
