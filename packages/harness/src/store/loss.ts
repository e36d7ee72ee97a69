/** How many entries of a session were said to be on disk. */
export interface Acknowledgement {
  readonly id: string
  readonly entries: number
}

/** Entries of a session that had been on disk, and are not any more. */
export interface Loss {
  readonly key: number
  readonly session: string
  /** How many entries are left; 0 if the whole session is gone. */
  readonly left: number
  readonly message: string
}

/** Compares what was said to be on disk with what there is. */
export function lossesIn(
  said: readonly (Acknowledgement & { readonly key: number })[],
  entriesOf: (key: number) => number,
): readonly Loss[] {
  return said.flatMap(({ key, id, entries }) => {
    const left = entriesOf(key)
    return left < entries ? [{ key, session: id, left, message: messageFor(id, left, entries) }] : []
  })
}

function messageFor(id: string, left: number, entries: number): string {
  if (left === 0)
    return `The store was damaged or replaced: session ${id}, with ${entries} entries, is missing. Put back a copy of the store if there is one, or \`sotto sessions delete ${id}\` to hear no more of it.`
  const which = entries - left === 1 ? `entry ${left}` : `entries ${left} to ${entries - 1}`
  const verb = entries - left === 1 ? "is" : "are"
  return `The store was damaged or replaced: ${which} of session ${id}, which had been on disk, ${verb} missing. The session goes on from what is left. Put back a copy of the store first, if there is one; a copy of its log, as it was found, is in the folder "damaged" beside it once the session is opened.`
}
