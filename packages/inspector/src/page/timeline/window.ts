/** The part of a session that is in view, in steps. Both ends belong to it; fractions are fine while zooming. */
export interface TimeWindow {
  readonly from: number
  readonly to: number
}

export function wholeOf(total: number): TimeWindow {
  return { from: 1, to: Math.max(1, total) }
}

/** Makes a window smaller (factor below 1) or larger around a place. One step is the smallest, the whole the largest. */
export function zoomed({ from, to }: TimeWindow, factor: number, around: number, total: number): TimeWindow {
  const size = to - from + 1
  const next = Math.min(total, Math.max(1, size * factor))
  const share = size === 0 ? 0.5 : (around - from + 0.5) / size
  // What is rounded could lose the very place.
  return including(fitted(around + 0.5 - share * next, next, total), around, total)
}

export function shifted({ from, to }: TimeWindow, steps: number, total: number): TimeWindow {
  return fitted(from + steps, to - from + 1, total)
}

/** Shows a step that is not in view. */
export function including(window: TimeWindow, n: number, total: number): TimeWindow {
  if (n >= window.from && n <= window.to) return window
  const size = window.to - window.from + 1
  return fitted(n - Math.floor(size / 2), size, total)
}

function fitted(from: number, size: number, total: number): TimeWindow {
  const whole = Math.max(1, Math.round(size))
  const first = Math.round(Math.min(Math.max(1, from), Math.max(1, total - whole + 1)))
  return { from: first, to: Math.min(Math.max(1, total), first + whole - 1) }
}
