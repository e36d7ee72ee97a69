const ESC = "\u001b"

/** What is said to a terminal, by what it does. */
export const CODES = {
  clear: `${ESC}[H${ESC}[2J`,
  enterPage: `${ESC}[?1049h${ESC}[H${ESC}[2J`,
  leavePage: `${ESC}[?1049l`,
  /** Everything from so many rows above the cursor. */
  eraseFrom: (up: number) => `\r${up > 0 ? `${ESC}[${up}A` : ""}${ESC}[J`,
  showCursor: `${ESC}[?25h`,
  bracketPastes: `${ESC}[?2004h`,
  unbracketPastes: `${ESC}[?2004l`,
  /** Asks whether it can tell Shift+Enter from Enter; those that cannot stay silent. */
  askKeys: `${ESC}[?u`,
  tellKeys: `${ESC}[>1u`,
  forgetKeys: `${ESC}[<u`,
  /** Whatever was being drawn together is shown now. */
  endDrawing: `${ESC}[?2026l`,
} as const
