import ts from "typescript"

type Bodies = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>

const OPTIONS: ts.CompilerOptions = {
  strict: true,
  module: ts.ModuleKind.NodeNext,
  target: ts.ScriptTarget.ES2023,
  skipLibCheck: true,
  noEmit: true,
  types: [],
}

/**
 * Examples of the types that a source text exports, by name. For every object type there is one with its required
 * fields, and one more for every other value that any field may have: every optional field, every member of every union.
 */
export function examplesOf(path: string, source: string): Bodies {
  const host = ts.createCompilerHost(OPTIONS)
  const { getSourceFile, fileExists } = host
  host.getSourceFile = (name, ...rest) =>
    name === path ? ts.createSourceFile(name, source, rest[0]) : getSourceFile.call(host, name, ...rest)
  host.fileExists = (name) => name === path || fileExists.call(host, name)
  const program = ts.createProgram([path], OPTIONS, host)
  const file = program.getSourceFile(path)
  const checker = program.getTypeChecker()
  const module = file && checker.getSymbolAtLocation(file)
  if (file === undefined || module === undefined) throw new Error("The source text exports nothing.")
  const examples = exampler(checker, file)
  return Object.fromEntries(
    checker
      .getExportsOfModule(module)
      .map((one) => [one.name, examples(checker.getDeclaredTypeOfSymbol(one)) as Bodies[string]]),
  )
}

function exampler(checker: ts.TypeChecker, file: ts.SourceFile) {
  return (type: ts.Type) => examples(type, [])

  /** `within`: the types around this one, so that a type inside itself comes to an end. */
  function examples(type: ts.Type, within: readonly ts.Type[]): readonly unknown[] {
    const { flags } = type
    if (flags & (ts.TypeFlags.Undefined | ts.TypeFlags.Void | ts.TypeFlags.Never)) return []
    if (flags & ts.TypeFlags.Null) return [null]
    if (type.isStringLiteral() || type.isNumberLiteral()) return [type.value]
    if (flags & ts.TypeFlags.BooleanLiteral) return [checker.typeToString(type) === "true"]
    if (flags & (ts.TypeFlags.String | ts.TypeFlags.TemplateLiteral)) return ["x"]
    if (flags & ts.TypeFlags.Number) return [1]
    if (flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown | ts.TypeFlags.NonPrimitive)) return [{}]
    if (type.isUnion()) return type.types.flatMap((one) => examples(one, within))
    if (within.includes(type) || type.getCallSignatures().length > 0) return []
    if (checker.isArrayType(type) || checker.isTupleType(type)) {
      const [element] = checker.getTypeArguments(type as ts.TypeReference)
      const values = element === undefined ? [] : examples(element, [...within, type])
      return values.length === 0 ? [[]] : values.map((value) => [value])
    }
    return objects(type, [...within, type])
  }

  function objects(type: ts.Type, within: readonly ts.Type[]): readonly object[] {
    const fields = checker.getPropertiesOfType(type).map((symbol) => ({
      name: symbol.name,
      isOptional: (symbol.flags & ts.SymbolFlags.Optional) !== 0,
      values: examples(checker.getTypeOfSymbolAtLocation(symbol, file), within),
    }))
    const required = fields.filter(({ isOptional }) => !isOptional)
    if (required.some(({ values }) => values.length === 0)) return []
    const least = Object.fromEntries(required.map(({ name, values }) => [name, values[0]]))
    const more = fields.flatMap(({ name, isOptional, values }) =>
      values.slice(isOptional ? 0 : 1).map((value) => ({ ...least, [name]: value })),
    )
    return [least, ...more]
  }
}
