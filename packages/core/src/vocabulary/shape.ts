import { LONE_SURROGATE } from "./unicode.js"

/**
 * Says what is wrong with a value, beginning with where: `.parts.2.text should be a text and is missing`.
 * Returns undefined if nothing is wrong.
 */
export type Shape = (value: unknown) => string | undefined

export const text: Shape = (value) => (typeof value === "string" ? undefined : should("a text", value))
export const flag: Shape = (value) =>
  typeof value === "boolean" ? undefined : should("true or false", value)
export const number: Shape = (value) => (Number.isFinite(value) ? undefined : should("a number", value))

/** Milliseconds that a date can be made of. */
export const instant: Shape = (value) =>
  Math.abs(Number.isFinite(value) ? Number(value) : Number.NaN) <= 8.64e15
    ? undefined
    : should("a time in milliseconds", value)

/** Plain data. Goes through it without calling itself: a model may nest its input as deeply as it likes. */
export const json: Shape = (value) => {
  const open: unknown[] = [value]
  while (open.length > 0) {
    const found = open.pop()
    if (typeof found === "object" && found !== null) for (const item of Object.values(found)) open.push(item)
    else if (found !== null && typeof found !== "string" && typeof found !== "boolean") {
      const wrong = number(found)
      if (wrong !== undefined) return should("plain data", found)
    }
  }
  return undefined
}

/** A name that a caller gives to a thing, and may have to repeat: neither empty nor endless. */
export const name: Shape = (value) =>
  typeof value === "string" && value !== "" && value.length <= 256 && !LONE_SURROGATE.test(value)
    ? undefined
    : should("a text of 1 to 256 whole characters", value)

export const callable: Shape = (value) =>
  typeof value === "function" ? undefined : should("a function", value)

/** Accepts a whole number from `least` on. */
export function whole(least: number, most: number = Number.MAX_SAFE_INTEGER): Shape {
  return (value) =>
    Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most
      ? undefined
      : should(`a whole number from ${least} to ${most}`, value)
}

export function exactly(...values: readonly (string | number | boolean)[]): Shape {
  const known: readonly unknown[] = values
  return (value) =>
    known.includes(value)
      ? undefined
      : should(
          values
            .map((one) => JSON.stringify(one))
            .join(", ")
            .replace(/, ([^,]*)$/, " or $1"),
          value,
        )
}

/** Accepts a field that may be missing. */
export function maybe(shape: Shape): Shape {
  return (value) => (value === undefined ? undefined : shape(value))
}

export function either(one: Shape, other: Shape): Shape {
  return (value) => (one(value) === undefined ? undefined : other(value))
}

export function list(shape: Shape): Shape {
  return (value) => {
    if (!Array.isArray(value)) return should("a list", value)
    for (const [i, item] of value.entries()) {
      const wrong = shape(item)
      if (wrong !== undefined) return `.${i}${wrong}`
    }
    return undefined
  }
}

export function tuple(...shapes: readonly Shape[]): Shape {
  return (value) => {
    if (!Array.isArray(value) || value.length !== shapes.length)
      return should(`a list of ${shapes.length}`, value)
    for (const [i, shape] of shapes.entries()) {
      const wrong = shape(value[i])
      if (wrong !== undefined) return `.${i}${wrong}`
    }
    return undefined
  }
}

/** Accepts an object with these fields, and perhaps more. */
export function object(fields: Readonly<Record<string, Shape>>): Shape {
  const entries = Object.entries(fields)
  return (value) => {
    if (!isObject(value)) return should("an object", value)
    for (const [name, shape] of entries) {
      const wrong = shape(Object.hasOwn(value, name) ? value[name] : undefined)
      if (wrong !== undefined) return `.${name}${wrong}`
    }
    return undefined
  }
}

/** Accepts an object with these fields and no others: a misspelt name is found out where it is given. */
export function exact(fields: Readonly<Record<string, Shape>>): Shape {
  const known = object(fields)
  return (value) => {
    const wrong = known(value)
    if (wrong !== undefined) return wrong
    const other = Object.keys(value as object).find((name) => !Object.hasOwn(fields, name))
    return other === undefined
      ? undefined
      : `.${other} is not known here: use ${Object.keys(fields).join(", ")}`
  }
}

/** Accepts an object whose field `tag` says which other fields it has. */
export function tagged(tag: string, shapes: Readonly<Record<string, Shape>>): Shape {
  const known = exactly(...Object.keys(shapes))
  return (value) => {
    if (!isObject(value)) return should("an object", value)
    const found = Object.hasOwn(value, tag) ? value[tag] : undefined
    const wrong = known(found)
    return wrong === undefined ? shapes[String(found)]?.(value) : `.${tag}${wrong}`
  }
}

/** Accepts an object with any names, whose values are all of one shape. */
export function map(shape: Shape): Shape {
  return (value) => {
    if (!isObject(value)) return should("an object", value)
    for (const [name, item] of Object.entries(value)) {
      const wrong = shape(item)
      if (wrong !== undefined) return `.${name}${wrong}`
    }
    return undefined
  }
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

export function should(wanted: string, value: unknown): string {
  return value === undefined
    ? ` should be ${wanted} and is missing`
    : ` should be ${wanted}, not ${named(value)}`
}

function named(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length}`
  switch (typeof value) {
    case "string":
      return JSON.stringify(value.length > 60 ? `${value.slice(0, 57)}...` : value)
    case "number":
      return Number.isFinite(value) ? `a number (${value})` : String(value)
    case "object":
      return value === null ? "null" : "an object"
    case "boolean":
      return String(value)
    default:
      return `a ${typeof value}`
  }
}
