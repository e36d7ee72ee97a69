import type { PageMove } from "../keys/page-keys.js"

/** How far a movement goes in a list of which so many rows are in sight; undefined if it is none within a list. */
export function stepOf(move: PageMove | undefined, room: number): number | undefined {
  switch (move) {
    case "up":
      return -1
    case "down":
      return 1
    case "page-up":
      return -Math.max(1, room - 1)
    case "page-down":
      return Math.max(1, room - 1)
    case "top":
      return Number.NEGATIVE_INFINITY
    case "bottom":
      return Number.POSITIVE_INFINITY
    default:
      return undefined
  }
}

export function within(value: number, last: number): number {
  return Math.max(0, Math.min(last, value))
}

/** The first of `room` rows so that the chosen one is among them, in the middle where possible. */
export function firstAround(chosen: number, count: number, room: number): number {
  return Math.max(0, Math.min(chosen - Math.floor(room / 2), count - room))
}
