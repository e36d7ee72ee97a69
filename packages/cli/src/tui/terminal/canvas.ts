/** As much of a terminal as Ink needs to see. */
interface Sight {
  readonly isTTY: true
  readonly columns: number
  readonly rows: number
  write(data: string): boolean
  on(): void
  off(): void
}

// Ink clears the terminal, and what has scrolled away with it, when a frame is as high as the screen. The frame never
// is; but while a window shrinks Ink would think so before we could draw a lower one.
const ENDLESS = 100_000

/**
 * The terminal as Ink is to see it: of a fixed size, so that a window that changes is redrawn by the stage, all at
 * once, and not half by Ink.
 */
export function canvasFor(
  stdout: NodeJS.WriteStream,
  columns: number,
  drawn: () => void,
): NodeJS.WriteStream {
  const sight: Sight = {
    isTTY: true,
    columns,
    rows: ENDLESS,
    write: (data) => {
      const written = stdout.write(data)
      drawn()
      return written
    },
    on: () => undefined,
    off: () => undefined,
  }
  return sight as unknown as NodeJS.WriteStream
}
