/**
 * Puts what was typed after a command's name into the places that its text names: `$ARGUMENTS` is all of it, `$1` to
 * `$9` are its words, where quotes keep words together. Without such a place it follows the text. `\$` is a dollar.
 */
export function expand(text: string, typed: string): string {
  const words = wordsIn(typed)
  let isUsed = false
  const filled = text.replace(/\\\$|\$ARGUMENTS\b|\$([1-9])(?!\d)/g, (found, place: string | undefined) => {
    if (found === "\\$") return "$"
    isUsed = true
    return place === undefined ? typed : (words[Number(place) - 1] ?? "")
  })
  return isUsed || typed === "" ? filled : `${filled}\n\n${typed}`
}

/** Takes a line apart at spaces. Quotes keep words together. */
export function wordsIn(typed: string): readonly string[] {
  return [...typed.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? "",
  )
}
