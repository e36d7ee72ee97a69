import { isObject } from "../json.js"

export type Path = readonly (string | number)[]

/** Reads a value field by field; what is wrong is reported with the path to it. */
export class FieldReader {
  readonly #value: Readonly<Record<string, unknown>>
  readonly #path: Path
  readonly #wrong: Wrong

  constructor(value: unknown, path: Path, known: readonly string[], wrong: Wrong) {
    if (!isObject(value)) throw wrong(path, `should be a mapping, and is ${shown(value)}`)
    const unknown = Object.keys(value).find((key) => !known.includes(key))
    if (unknown !== undefined)
      throw wrong([...path, unknown], `is not a known field. Known are: ${known.join(", ")}`)
    this.#value = value
    this.#path = path
    this.#wrong = wrong
  }

  has(name: string): boolean {
    return this.#value[name] !== undefined
  }

  text(name: string): string | undefined {
    return this.#read(name, "a text", (value) => (typeof value === "string" ? value : undefined))
  }

  required(name: string): string {
    const text = this.text(name)
    if (text === undefined || text === "") throw this.#wrong([...this.#path, name], "is missing")
    return text
  }

  number(name: string): number | undefined {
    return this.#read(name, "a number from 0 on", (value) =>
      typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined,
    )
  }

  flag(name: string): boolean | undefined {
    return this.#read(name, "true or false", (value) => (typeof value === "boolean" ? value : undefined))
  }

  oneOf<T extends string>(name: string, allowed: readonly T[]): T | undefined {
    return this.#read(name, `one of ${allowed.join(", ")}`, (value) => allowed.find((one) => one === value))
  }

  /** A list of things, or one of them. */
  list<T>(name: string, item: (value: unknown, path: Path) => T): readonly T[] | undefined {
    const value = this.#value[name]
    if (value === undefined) return undefined
    const at = [...this.#path, name]
    return Array.isArray(value) ? value.map((one, i) => item(one, [...at, i])) : [item(value, at)]
  }

  mapping<T>(name: string): { readonly [key: string]: T } | undefined {
    return this.#read(name, "a mapping", (value) =>
      isObject(value) ? (value as { [key: string]: T }) : undefined,
    )
  }

  #read<T>(name: string, wanted: string, accept: (value: unknown) => T | undefined): T | undefined {
    const value = this.#value[name]
    if (value === undefined) return undefined
    const accepted = accept(value)
    if (accepted === undefined)
      throw this.#wrong([...this.#path, name], `should be ${wanted}, and is ${shown(value)}`)
    return accepted
  }
}

/** Makes the error for what is wrong at a path. */
export type Wrong = (path: Path, what: string) => Error

export function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 60 ? `${text.slice(0, 57)}...` : text
}
