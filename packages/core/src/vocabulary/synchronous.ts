/**
 * Tells whether a function that had to be done when it returned gave a promise instead. Swallows its rejection, which
 * would end the program.
 */
export function isThenable(returned: unknown): boolean {
  const isOne =
    returned !== null &&
    typeof returned === "object" &&
    "then" in returned &&
    typeof returned.then === "function"
  if (isOne) Promise.resolve(returned).catch(() => {})
  return isOne
}
