import { reasonOf } from "./errors.js"
import { should } from "./shape.js"

/** Plain data: what survives being written to a log and read back. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/** Nested deeper, data could be logged by a program with a large stack and not be read by one with a small stack. */
const DEEPEST = 1_000

/** The message says where the data is not plain, and why: `.signal.at should be plain data, not a Date`. */
class NotPlain extends Error {}

/**
 * Copies plain JSON data deeply; throws NotPlain for whatever JSON would change or drop, except that a field whose
 * value is undefined is left out. Every getter is read once, and later changes of the original do not reach the copy.
 */
export function plain<T>(value: T): T {
  const path: (string | number)[] = []
  const wrong = (why: string) => new NotPlain(path.map((name) => `.${name}`).join("") + why)

  const copy = (found: unknown): unknown => {
    if (typeof found === "string" || typeof found === "boolean" || found === null) return found
    // JSON has no -0.
    if (typeof found === "number" && Number.isFinite(found)) return found + 0
    if (typeof found !== "object") throw wrong(should("plain data", found))
    if (path.length > DEEPEST) {
      path.length = 3
      throw wrong(` is nested more than ${DEEPEST} deep, or contains itself`)
    }
    if (Array.isArray(found)) {
      const items: unknown[] = []
      for (let i = 0; i < found.length; i++) {
        path.push(i)
        items.push(copy(found[i]))
        path.pop()
      }
      return items
    }
    const prototype = Object.getPrototypeOf(found)
    if (prototype !== null && Object.getPrototypeOf(prototype) !== null)
      throw wrong(` should be plain data, not a ${prototype.constructor.name}`)
    const fields: Record<string, unknown> = {}
    for (const name of Object.keys(found)) {
      path.push(name)
      const field = (found as Record<string, unknown>)[name]
      if (field !== undefined) {
        const copied = copy(field)
        if (name === "__proto__") Object.defineProperty(fields, name, { value: copied, ...OWN })
        else fields[name] = copied
      }
      path.pop()
    }
    return fields
  }

  try {
    return copy(value) as T
  } catch (error) {
    throw error instanceof NotPlain ? error : wrong(` cannot be read: ${reasonOf(error)}`)
  }
}

/** Copies data that is known to be plain. */
export function copied<T>(value: T): T {
  if (Array.isArray(value)) return value.map(copied) as T
  if (value === null || typeof value !== "object") return value
  const copy = { ...value } as Record<string, unknown>
  for (const name in copy) if (typeof copy[name] === "object") copy[name] = copied(copy[name])
  return copy as T
}

/** True unless a number or the nesting is beyond what a log can hold. `room`: a reply has levels of its own around it. */
export function isStorable(value: unknown, room = DEEPEST - 20): boolean {
  if (typeof value === "number") return Number.isFinite(value)
  if (value === null || typeof value !== "object") return true
  return room > 0 && Object.values(value).every((inner) => isStorable(inner, room - 1))
}

/** As an assignment would make it, for the one name that an assignment takes for something else. */
const OWN = { enumerable: true, configurable: true, writable: true }

/** Compares two pieces of plain data; the order of keys counts. */
export function sameJson<T>(a: T, b: T): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b)
}

/** Sorts the keys of every object, so that equal values have equal text. */
export function sortKeys(value: Json): Json {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (value === null || typeof value !== "object") return value
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, inner]) => [key, sortKeys(inner)]))
}

/** Reads a field that the object itself has: "constructor" is a name like any other. */
export function ownField<T>(fields: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : undefined
}
