import { resolve } from "node:path"
import { pathToFileURL } from "node:url"

const ESC = "\u001b"

/** What is said to a terminal, by what it does. */
export const CODES = {
  enterPage: `${ESC}[?1049h`,
  leavePage: `${ESC}[?1049l`,
  eraseRow: `${ESC}[2K`,
  /** From the cursor to the end of the screen. */
  eraseBelow: `${ESC}[J`,
  home: `${ESC}[H`,
  /** To a row of the screen, from 0. */
  row: (y: number) => `${ESC}[${y + 1};1H`,
  vertical: (by: number) => (by === 0 ? "" : `${ESC}[${Math.abs(by)}${by < 0 ? "A" : "B"}`),
  right: (by: number) => (by === 0 ? "" : `${ESC}[${by}C`),
  /** Asks in which row the cursor is. */
  askCursor: `${ESC}[6n`,
  /** Asks for the colour of the background. */
  askBackground: `${ESC}]11;?${ESC}\\`,
  /** Has the terminal tell when its window is turned to and away from. */
  tellFocus: `${ESC}[?1004h`,
  forgetFocus: `${ESC}[?1004l`,
  showCursor: `${ESC}[?25h`,
  hideCursor: `${ESC}[?25l`,
  bracketPastes: `${ESC}[?2004h`,
  unbracketPastes: `${ESC}[?2004l`,
  /** Asks whether it can tell Shift+Enter from Enter; those that cannot stay silent. */
  askKeys: `${ESC}[?u`,
  tellKeys: `${ESC}[>1u`,
  forgetKeys: `${ESC}[<u`,
  /** What is written between these two is shown at once. */
  beginDrawing: `${ESC}[?2026h`,
  endDrawing: `${ESC}[?2026l`,
} as const

/**
 * Makes the addresses of files here, for a terminal that opens them; undefined where none should be made. Over SSH the
 * address would be opened on another machine, and the console of the system shows sequences that it does not know.
 */
export function linksIn(
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
): ((path: string) => string | undefined) | undefined {
  if (env.SSH_CONNECTION || env.SSH_TTY || /^(linux|dumb|)$/.test(env.TERM ?? "")) return undefined
  // What a person could not see in the name would not be seen in the address either.
  return (path) => (/[\p{Cc}\p{Cs}]/u.test(path) ? undefined : pathToFileURL(resolve(cwd, path)).href)
}
