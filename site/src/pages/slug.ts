/** Makes the anchor that code hosts give a heading, so that a link works in the repository and on the site. */
export function slugOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, "")
    .replaceAll(" ", "-")
}

/** Gives the headings of one page their anchors: a number tells equal ones apart. */
export function slugger(): (heading: string) => string {
  const given = new Map<string, number>()
  return (heading) => {
    const plain = slugOf(heading)
    const before = given.get(plain)
    given.set(plain, (before ?? -1) + 1)
    return before === undefined ? plain : `${plain}-${before + 1}`
  }
}
