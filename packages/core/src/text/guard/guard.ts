import { eachOpening, type Take } from "./openings.js"
import { SEAMS } from "./seams.js"
import { eachSpeaker } from "./speakers.js"

/**
 * What is looked for, one after the other. Each finds the same places whether they have been escaped or not, so each
 * can be undone exactly; undoing them in the reverse order undoes all.
 */
const PASSES: readonly ((text: string, take: Take) => void)[] = [eachOpening, ...SEAMS, eachSpeaker]

/**
 * Makes outside text unable to open or close a frame, or to imitate a chat template or the start of a turn, by one
 * backslash right after the opening character ("<\system-reminder>"). Text that has the backslash already gets one
 * more, so that restoring is the exact inverse. Nothing is ever deleted.
 */
export function neutralise(text: string): { text: string; count: number } {
  let count = 0
  let safe = text
  for (const each of PASSES) {
    const pieces: string[] = []
    let done = 0
    each(safe, (end) => {
      pieces.push(safe.slice(done, end))
      done = end
    })
    if (pieces.length === 0) continue
    count += pieces.length
    pieces.push(safe.slice(done))
    safe = pieces.join("\\")
  }
  return { text: safe, count }
}

/** Restores the text as it was: the exact inverse of `neutralise`. */
export function restoreNeutralised(text: string): string {
  if (!text.includes("\\")) return text
  let restored = text
  for (const each of PASSES.toReversed()) {
    const pieces: string[] = []
    let done = 0
    each(restored, (end, isInert) => {
      if (!isInert) return
      pieces.push(restored.slice(done, end))
      done = end + 1
    })
    if (pieces.length > 0) restored = pieces.join("") + restored.slice(done)
  }
  return restored
}
