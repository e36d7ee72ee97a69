/** Gives headings the anchors that code hosts give them, so that a link works in the repository and on the site. */
export function slugger(): (heading: string) => string {
  const given = new Map<string, number>()
  return (heading) => {
    const plain = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, "")
      .replaceAll(" ", "-")
    const before = given.get(plain)
    given.set(plain, (before ?? -1) + 1)
    return before === undefined ? plain : `${plain}-${before + 1}`
  }
}
