import { join } from "node:path"
import { fileURLToPath } from "node:url"
import ts from "typescript"

const root = fileURLToPath(new URL("../../../../", import.meta.url))
const cli = join(root, "packages/cli")

/** A part of JSON Schema: what the types of answers need. */
export interface TypeSchema {
  readonly $ref?: string
  readonly description?: string
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly items?: TypeSchema
  readonly prefixItems?: readonly TypeSchema[]
  readonly properties?: Readonly<Record<string, TypeSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: TypeSchema | boolean
  readonly anyOf?: readonly TypeSchema[]
  readonly oneOf?: readonly TypeSchema[]
  readonly discriminator?: {
    readonly propertyName: string
    readonly mapping: Readonly<Record<string, string>>
  }
}

export const REF = "#/components/schemas/"

/** Makes a schema of every type that a module exports, and of every named type inside them. */
export function typeSchemas(file = join(cli, "src/server/answers.ts")): Record<string, TypeSchema> {
  const config = ts.readConfigFile(join(cli, "tsconfig.json"), ts.sys.readFile)
  const base = ts.parseJsonConfigFileContent(config.config, ts.sys, cli)
  const program = ts.createProgram([file], {
    ...base.options,
    ...{ noEmit: true, composite: false, incremental: false, rootDir: root },
    // From the source, so that no schema depends on what was built when.
    customConditions: ["@sotto/source"],
  })
  const source = program.getSourceFile(file)
  const checker = program.getTypeChecker()
  const module = source && checker.getSymbolAtLocation(source)
  if (module === undefined) throw new Error(`${file} is no module`)
  const reader = new TypeReader(checker)
  for (const symbol of checker.getExportsOfModule(module)) {
    const real = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
    reader.add(symbol.name, checker.getDeclaredTypeOfSymbol(real))
  }
  const named = Object.entries(reader.schemas).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(named)
}

/** Turns types into schemas. Named types become components, which may refer to themselves. */
class TypeReader {
  readonly schemas: Record<string, TypeSchema> = {}
  readonly #checker: ts.TypeChecker
  readonly #types = new Map<string, ts.Type>()

  constructor(checker: ts.TypeChecker) {
    this.#checker = checker
  }

  add(name: string, type: ts.Type): TypeSchema {
    const known = this.#types.get(name)
    if (known === undefined) {
      this.#types.set(name, type)
      const description = this.#describe(type.aliasSymbol ?? type.symbol)
      this.schemas[name] = { ...description, ...this.#shape(type, name) }
    } else if (known !== type) throw new Error(`Two types have the name ${name}.`)
    return { $ref: `${REF}${name}` }
  }

  #of(type: ts.Type): TypeSchema {
    const name = this.#nameOf(type)
    return name === undefined ? this.#shape(type, "") : this.add(name, type)
  }

  /** Finds the name of a type that this repository has declared. A type with arguments has none. */
  #nameOf(type: ts.Type): string | undefined {
    const isAlias = type.aliasSymbol !== undefined && (type.aliasTypeArguments ?? []).length === 0
    const isInterface =
      (type.symbol?.flags ?? 0) & ts.SymbolFlags.Interface &&
      this.#checker.getTypeArguments(type as ts.TypeReference).length === 0
    const symbol = isAlias ? type.aliasSymbol : isInterface ? type.symbol : undefined
    const file = symbol?.declarations?.[0]?.getSourceFile().fileName ?? ""
    return file.includes("/packages/") && !file.includes("/node_modules/") ? symbol?.name : undefined
  }

  #shape(type: ts.Type, name: string): TypeSchema {
    const { flags } = type
    if (flags & (ts.TypeFlags.Unknown | ts.TypeFlags.Any)) return {}
    if (flags & ts.TypeFlags.Null) return { type: "null" }
    if (type.isStringLiteral() || type.isNumberLiteral()) return { const: type.value }
    if (flags & ts.TypeFlags.BooleanLiteral) return { const: this.#checker.typeToString(type) === "true" }
    if (flags & ts.TypeFlags.String) return { type: "string" }
    if (flags & ts.TypeFlags.Number) return { type: "number" }
    if (flags & ts.TypeFlags.Boolean) return { type: "boolean" }
    if (flags & ts.TypeFlags.TemplateLiteral) return { type: "string" }
    if (type.isUnion()) return this.#union(type.types, name)
    if (this.#checker.isTupleType(type)) {
      const prefixItems = this.#checker.getTypeArguments(type as ts.TypeReference).map((one) => this.#of(one))
      return { type: "array", prefixItems }
    }
    if (this.#checker.isArrayType(type)) {
      const [item] = this.#checker.getTypeArguments(type as ts.TypeReference)
      return { type: "array", ...(item && { items: this.#of(item) }) }
    }
    if (flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) return this.#object(type)
    throw new Error(`No schema for the type ${this.#checker.typeToString(type)} in ${name}.`)
  }

  #object(type: ts.Type): TypeSchema {
    const fields = this.#checker
      .getPropertiesOfType(type)
      .flatMap((field): [string, boolean, TypeSchema][] => {
        const found = this.#checker.getTypeOfSymbol(field)
        const isOptional = (field.flags & ts.SymbolFlags.Optional) !== 0
        const of = isOptional ? this.#declared(field, found) : found
        // A value that is not there is left out of JSON.
        if (of.flags & ts.TypeFlags.Undefined) return []
        return [[field.name, isOptional, { ...this.#of(of), ...this.#describe(field) }]]
      })
    const index = this.#checker.getIndexInfoOfType(type, ts.IndexKind.String)
    const required = fields.filter(([, isOptional]) => !isOptional).map(([name]) => name)
    return {
      type: "object",
      ...(fields.length > 0 && { properties: Object.fromEntries(fields.map(([name, , of]) => [name, of])) }),
      ...(required.length > 0 && { required }),
      ...(index && { additionalProperties: isNever(index.type) ? false : this.#of(index.type) }),
    }
  }

  /** Finds the type of an optional field as it is written: without `undefined`, and with its name. */
  #declared(field: ts.Symbol, found: ts.Type): ts.Type {
    const bare = this.#checker.getNonNullableType(found)
    const without = this.#checker.typeToString(found).includes("null") ? found : bare
    const [declaration] = field.declarations ?? []
    const node = declaration && ts.isPropertySignature(declaration) ? declaration.type : undefined
    const written = node && this.#checker.getTypeFromTypeNode(node)
    const isSame =
      written !== undefined &&
      this.#checker.isTypeAssignableTo(written, without) &&
      this.#checker.isTypeAssignableTo(without, written)
    return isSame ? written : without
  }

  #union(types: readonly ts.Type[], name: string): TypeSchema {
    const there = types.filter(({ flags }) => !(flags & ts.TypeFlags.Undefined))
    const literals: ts.Type[] = there.filter((one) => one.isStringLiteral() || one.isNumberLiteral())
    const isBoolean = there.filter(({ flags }) => flags & ts.TypeFlags.BooleanLiteral).length === 2
    const others = there.filter(
      (one) => !literals.includes(one) && !(isBoolean && one.flags & ts.TypeFlags.BooleanLiteral),
    )
    const byType = name === "" ? undefined : this.#byType(others)
    if (byType !== undefined && literals.length === 0 && !isBoolean) return this.#discriminated(byType, name)
    const parts: TypeSchema[] = [
      ...(isBoolean ? [{ type: "boolean" }] : []),
      ...(literals.length > 0 ? [literalsOf(literals)] : []),
      ...others.map((one) => this.#of(one)),
    ]
    const [only] = parts
    return parts.length === 1 && only ? only : { anyOf: parts }
  }

  /** Sorts the members of a union by their field `type`; undefined if one has none. */
  #byType(types: readonly ts.Type[]): ReadonlyMap<string, readonly ts.Type[]> | undefined {
    const found = new Map<string, ts.Type[]>()
    for (const one of types) {
      const field = this.#checker.getPropertyOfType(one, "type")
      const type = field && this.#checker.getTypeOfSymbol(field)
      if (type === undefined || !type.isStringLiteral()) return undefined
      found.set(type.value, [...(found.get(type.value) ?? []), one])
    }
    return found.size > 1 ? found : undefined
  }

  /** Names every member after its type and the last word of the union: `ToolCallEvent`. */
  #discriminated(byType: ReadonlyMap<string, readonly ts.Type[]>, name: string): TypeSchema {
    const suffix = /[A-Z][a-z]*$/.exec(name)?.[0] ?? name
    const members = [...byType].map(([type, variants]): readonly [string, TypeSchema] => {
      const [first] = variants
      const own = first && variants.length === 1 ? this.#nameOf(first) : undefined
      if (own !== undefined && first) return [type, this.add(own, first)]
      const words = type.split(/[^a-zA-Z0-9]+/).map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
      // Another union may have a member of this type: `TextPart` and `TextAssistantPart`.
      const short = `${words.join("")}${suffix}`
      const isTaken = this.#types.has(short) && this.#types.get(short) !== first
      const member = isTaken ? `${words.join("")}${name}` : short
      if (first) this.#types.set(member, first)
      const shapes = variants.map((one) => this.#object(one))
      const [only] = shapes
      this.schemas[member] = shapes.length === 1 && only ? only : { anyOf: shapes }
      return [type, { $ref: `${REF}${member}` }]
    })
    return {
      oneOf: members.map(([, schema]) => schema),
      discriminator: {
        propertyName: "type",
        mapping: Object.fromEntries(members.map(([type, { $ref = "" }]) => [type, $ref])),
      },
    }
  }

  #describe(symbol: ts.Symbol | undefined): { readonly description?: string } {
    const text = ts.displayPartsToString(symbol?.getDocumentationComment(this.#checker) ?? [])
    return text === "" ? {} : { description: text.replaceAll(/\s+/g, " ").trim() }
  }
}

function isNever({ flags }: ts.Type): boolean {
  return (flags & ts.TypeFlags.Never) !== 0
}

function literalsOf(types: readonly ts.Type[]): TypeSchema {
  const values = types.flatMap((one) => (one.isStringLiteral() || one.isNumberLiteral() ? [one.value] : []))
  return values.length === 1 ? { const: values[0] } : { enum: values }
}
