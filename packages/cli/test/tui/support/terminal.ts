import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type IPty, spawn } from "@lydell/node-pty"
import type { Rehearsal } from "@sotto/rehearsal"
import xterm from "@xterm/headless"
import stringWidth from "string-width"
import { afterAll } from "vitest"
import { type Bench, reaching, TRUSTING, type Variables } from "../../support/sotto.js"

const COMMAND = fileURLToPath(new URL("../../../bin/sotto.js", import.meta.url))
const LONGEST_WAIT = 45_000

export const KEYS = {
  enter: "\r",
  altEnter: "\u001b\r",
  shiftEnter: "\u001b[13;2u",
  tab: "\t",
  shiftTab: "\u001b[Z",
  escape: "\u001b",
  up: "\u001b[A",
  down: "\u001b[B",
  left: "\u001b[D",
  right: "\u001b[C",
  backspace: "\u007f",
  ctrlC: "\u0003",
  ctrlD: "\u0004",
  ctrlJ: "\n",
  ctrlO: "\u000f",
  ctrlR: "\u0012",
  ctrlT: "\u0014",
} as const

const opened: Terminal[] = []
afterAll(() => {
  for (const terminal of opened.splice(0)) terminal.kill()
})

interface TerminalOptions {
  readonly args?: readonly string[]
  readonly env?: Variables
  readonly columns?: number
  readonly rows?: number
  /** What the terminal answers if it is asked for the colour of its background; nothing unless given. */
  readonly background?: string
}

/** The command in a terminal, with the model of a server. */
export function terminalWith(bench: Bench, server: Rehearsal, options: TerminalOptions = {}): Terminal {
  const { args = ["--model", "anthropic/claude-sonnet-4-5"], env = {} } = options
  return openTerminal(bench, { ...options, args, env: { ...reaching(server.url), ...env } })
}

export function openTerminal(bench: Bench, options: TerminalOptions = {}): Terminal {
  const { args = [], env = {}, columns = 80, rows = 24 } = options
  const own = {
    PATH: process.env.PATH ?? "",
    HOME: bench.home,
    SOTTO_HOME: bench.home,
    TERM: "xterm-256color",
    ...TRUSTING,
  }
  // Otherwise each server would be asked for titles too.
  mkdirSync(bench.home, { recursive: true })
  if (!existsSync(join(bench.home, "sotto.json")))
    writeFileSync(join(bench.home, "sotto.json"), '{"titles": false}')
  const pty = spawn(process.execPath, [COMMAND, ...args], {
    cwd: bench.cwd,
    cols: columns,
    rows,
    env: { ...own, ...env },
  })
  const terminal = new Terminal(pty, columns, rows, options.background)
  opened.push(terminal)
  return terminal
}

/** What a person in front of a terminal sees and does. */
export class Terminal {
  readonly #pty: IPty
  readonly #screen: InstanceType<typeof xterm.Terminal>
  readonly #watchers = new Set<() => void>()
  readonly exited: Promise<number>
  #raw = ""
  /** As much of it as is on the screen. */
  #drawn = ""
  #over = false

  constructor(pty: IPty, cols: number, rows: number, background?: string) {
    this.#pty = pty
    this.#screen = new xterm.Terminal({ cols, rows, scrollback: 20_000, allowProposedApi: true })
    this.#screen.unicode.register(modernWidths)
    this.#screen.unicode.activeVersion = modernWidths.version
    // Where the cursor is, if it is asked: as a terminal answers.
    this.#screen.onData((answer) => {
      if (answer.endsWith("R") && !this.#over) pty.write(answer)
    })
    pty.onData((data) => {
      this.#raw += data
      if (background !== undefined && data.includes("\u001b]11;?"))
        pty.write(`\u001b]11;${background}\u001b\\`)
      this.#screen.write(data, () => {
        this.#drawn += data
        this.#look()
      })
    })
    this.exited = new Promise((resolve) => {
      pty.onExit(({ exitCode }) => {
        this.#over = true
        // Only when the screen has taken in all that was written before.
        this.#screen.write("", () => {
          this.#look()
          resolve(exitCode)
        })
      })
    })
  }

  /** Everything that was written to the terminal, as it was written. */
  get raw(): string {
    return this.#raw
  }

  /** What was put into the clipboard last. */
  get clipboard(): string | undefined {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the sequence as it is written
    const copied = [...this.#raw.matchAll(/\u001b\]52;c;([A-Za-z0-9+/=]*)\u001b\\/g)].at(-1)?.[1]
    return copied === undefined ? undefined : Buffer.from(copied, "base64").toString("utf8")
  }

  type(text: string): void {
    this.#pty.write(text)
  }

  paste(text: string): void {
    this.#pty.write(`\u001b[200~${text}\u001b[201~`)
  }

  resize(columns: number, rows: number): void {
    this.#screen.resize(columns, rows)
    this.#pty.resize(columns, rows)
  }

  signal(name: string): void {
    this.#pty.kill(name)
  }

  kill(): void {
    if (!this.#over) this.#pty.kill("SIGKILL")
  }

  /** What is on the screen now. */
  screen(): string {
    const { active } = this.#screen.buffer
    return this.#text(active.baseY, active.baseY + this.#screen.rows)
  }

  /** The screen and all that has scrolled away above it. */
  all(): string {
    const { active } = this.#screen.buffer
    return this.#text(0, active.baseY + this.#screen.rows)
  }

  /** The row that the cursor is in, up to the cursor. */
  beforeCursor(): string {
    const { active } = this.#screen.buffer
    const row = active.getLine(active.baseY + active.cursorY)
    return row?.translateToString(false, 0, active.cursorX) ?? ""
  }

  /** Whether a text on the screen is drawn dim, bold or in a colour. */
  styleOf(text: string): {
    readonly dim: boolean
    readonly bold: boolean
    readonly colour: number | undefined
  } {
    const { active } = this.#screen.buffer
    for (let y = active.baseY + this.#screen.rows - 1; y >= 0; y--) {
      const row = active.getLine(y)
      const at = row?.translateToString(true).indexOf(text) ?? -1
      const cell = at < 0 ? undefined : row?.getCell(at)
      if (cell)
        return {
          dim: cell.isDim() !== 0,
          bold: cell.isBold() !== 0,
          colour: cell.isFgDefault() ? undefined : cell.getFgColor(),
        }
    }
    throw new Error(`There is no ${JSON.stringify(text)} on the screen.`)
  }

  /** Waits until it is on the screen, or until what it says of the screen is so. */
  async see(wanted: string | RegExp | ((screen: string) => boolean)): Promise<string> {
    return this.#when(() => this.screen(), wanted)
  }

  /** Waits until it is on the screen or above it. */
  async seeAnywhere(wanted: string | RegExp | ((screen: string) => boolean)): Promise<string> {
    return this.#when(() => this.all(), wanted)
  }

  #when(text: () => string, wanted: string | RegExp | ((screen: string) => boolean)): Promise<string> {
    const isThere = (screen: string) =>
      typeof wanted === "function"
        ? wanted(screen)
        : typeof wanted === "string"
          ? screen.includes(wanted)
          : wanted.test(screen)
    return new Promise((resolve, reject) => {
      const done = (settle: () => void) => {
        clearTimeout(timer)
        this.#watchers.delete(look)
        settle()
      }
      const fail = (why: string) =>
        done(() => reject(new Error(`${why}: no ${String(wanted)} on the screen:\n${this.screen()}`)))
      const look = () => {
        const now = text()
        if (isThere(now)) done(() => resolve(now))
        else if (this.#over) fail("It ended")
      }
      const timer = setTimeout(() => fail("Waited too long"), LONGEST_WAIT)
      this.#watchers.add(look)
      if (!this.#isDrawing) look()
    })
  }

  #text(from: number, to: number): string {
    const { active } = this.#screen.buffer
    const rows = Array.from(
      { length: to - from },
      (_, i) => active.getLine(from + i)?.translateToString(true) ?? "",
    )
    return rows.join("\n").trimEnd()
  }

  /** True in the middle of a frame, which a terminal would not show. */
  get #isDrawing(): boolean {
    const isDrawing = this.#drawn.lastIndexOf("\u001b[?2026h") > this.#drawn.lastIndexOf("\u001b[?2026l")
    return isDrawing && !this.#over
  }

  #look(): void {
    if (this.#isDrawing) return
    for (const look of [...this.#watchers]) look()
  }
}

/** Emoji take two columns in the terminals that people use. */
const modernWidths = {
  version: "modern",
  wcwidth: (point: number): 0 | 1 | 2 => {
    if (point < 0x20) return 0
    if (point < 0x7f) return 1
    return Math.min(2, stringWidth(String.fromCodePoint(point))) as 0 | 1 | 2
  },
  charProperties(point: number, preceding: number): number {
    const own = this.wcwidth(point)
    const before = (preceding >> 1) & 3
    const joins = own === 0 && preceding !== 0 && before !== 0
    const width = joins && before > own ? before : own
    return (width << 1) | (joins ? 1 : 0)
  },
}
