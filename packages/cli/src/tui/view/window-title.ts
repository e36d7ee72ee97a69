import type { Ui } from "../state/ui.js"

/** What the window is called: where this is, and whether it works or waits for the person. */
export function windowTitle({ screen, asking, picker }: Ui, place: string): string {
  const isAsking = asking.open.length > 0 || picker !== undefined
  const mark = isAsking ? "? " : screen.turn !== undefined ? "… " : ""
  return `${mark}sotto · ${place}`
}
