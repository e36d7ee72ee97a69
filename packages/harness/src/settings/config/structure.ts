import { ConfigError } from "./error.js"
import type { Node } from "./node.js"
import { type At, type FieldShape, inside, mismatch, type Read } from "./shape.js"

export function list<T>(of: FieldShape<T>): FieldShape<readonly T[]> {
  const expects = `a list, each entry ${of.expects}`
  return {
    expects,
    schema: { type: "array", items: of.schema },
    read: (node, at) => {
      if (node.is !== "list") throw mismatch(node, at, expects)
      return node.items.map((item, i) => of.read(item, inside(at, String(i))))
    },
  }
}

/** Takes any names, one shape for all values. */
export function record<T>(of: FieldShape<T>): FieldShape<Readonly<Record<string, T>>> {
  const expects = `an object, each value ${of.expects}`
  return {
    expects,
    schema: { type: "object", additionalProperties: of.schema },
    read: (node, at) => {
      if (node.is !== "map") throw mismatch(node, at, expects)
      return Object.fromEntries(
        [...node.entries].map(([key, { value }]) => [key, of.read(value, inside(at, key))]),
      )
    },
  }
}

type Fields = Readonly<Record<string, FieldShape<unknown>>>
type Found<F extends Fields, R extends keyof F> = { readonly [K in R]: Read<F[K]> } & {
  readonly [K in Exclude<keyof F, R>]?: Read<F[K]>
}

/** Takes known names only: a misspelt field is an error, not a setting without effect. */
export function object<const F extends Fields, R extends keyof F & string = never>(
  fields: F,
  ...required: readonly R[]
): FieldShape<Found<F, R>> {
  const known = Object.keys(fields)
  const expects = `an object with ${known.join(", ")}`
  const properties = Object.fromEntries(Object.entries(fields).map(([key, { schema }]) => [key, schema]))
  return {
    expects,
    schema: {
      type: "object",
      properties,
      ...(required.length > 0 && { required }),
      additionalProperties: false,
    },
    read: (node, at) => {
      if (node.is !== "map") throw mismatch(node, at, expects)
      for (const key of required) if (!node.entries.has(key)) throw missing(node, at, key)
      const found = [...node.entries].map(([key, { line, value }]) => {
        const shape = Object.hasOwn(fields, key) ? fields[key] : undefined
        if (shape === undefined) throw unknownField(at, line, key, known)
        return [key, shape.read(value, inside(at, key))]
      })
      // Every value was read by the shape of its field, which is what the type says.
      return Object.fromEntries(found) as Found<F, R>
    },
  }
}

/** Takes the first shape where `isFirst` says so, else the second: so that errors are about the one that was meant. */
export function either<A, B>(
  first: FieldShape<A>,
  second: FieldShape<B>,
  isFirst: (node: Node) => boolean,
): FieldShape<A | B> {
  return {
    expects: `${first.expects}, or ${second.expects}`,
    schema: { anyOf: [first.schema, second.schema] },
    read: (node, at) => (isFirst(node) ? first.read(node, at) : second.read(node, at)),
  }
}

function missing(node: Node, at: At, key: string): ConfigError {
  return new ConfigError(at.file, node.line, inside(at, key).field, "This is missing.", `Add "${key}".`)
}

function unknownField(at: At, line: number, key: string, known: readonly string[]): ConfigError {
  const near = known.find((one) => one.toLowerCase() === key.toLowerCase().replace(/[-_]/g, ""))
  const remedy = near === undefined ? `Use: ${known.join(", ")}.` : `Did you mean "${near}"?`
  return new ConfigError(at.file, line, inside(at, key).field, "There is no such field.", remedy)
}
