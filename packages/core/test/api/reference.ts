import { existsSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import ts from "typescript"

const root = fileURLToPath(new URL("../../../../", import.meta.url))
const packages = join(root, "packages")

/** The packages that others build on, in the order in which each knows the ones before it. */
const DOCUMENTED = [
  "core",
  "lens",
  "rehearsal",
  "shell",
  "harness",
  "postgres",
  "telemetry",
  "client",
].filter((name) => existsSync(join(packages, name, "package.json")))

/** One page of the reference: an entry point of a package, and what it exports. */
export interface Reference {
  readonly entry: string
  /** Where it is written: "docs/api/anthropic.md". */
  readonly path: string
  readonly markdown: string
  /** Exported symbols and public members without a comment, as "Session.say". */
  readonly uncommented: readonly string[]
}

interface EntryPoint {
  readonly package: string
  /** As `exports` names it: "." or "./testing". */
  readonly name: string
  readonly file: string
}

/** The entry points of a package, by what its `exports` say. */
function entryPoints(name: string): readonly EntryPoint[] {
  const folder = join(packages, name)
  const { exports } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
    exports: Record<string, { "@sotto/source": string }>
  }
  return Object.entries(exports).map(([entry, { "@sotto/source": file }]) => ({
    package: name,
    name: entry,
    file: join(folder, file),
  }))
}

/** Reads the comments of everything that is exported. */
export function readReference(): readonly Reference[] {
  const entries = DOCUMENTED.flatMap(entryPoints)
  const core = join(packages, "core")
  const config = ts.readConfigFile(join(core, "tsconfig.json"), ts.sys.readFile)
  const base = ts.parseJsonConfigFileContent(config.config, ts.sys, core)
  const program = ts.createProgram(
    entries.map(({ file }) => file),
    {
      ...base.options,
      ...{ noEmit: true, composite: false, incremental: false, rootDir: packages },
      // From the source, so that no page depends on what was built when.
      customConditions: ["@sotto/source"],
    },
  )
  const checker = program.getTypeChecker()
  return entries.map((entry) => {
    const source = program.getSourceFile(entry.file)
    const module = source && checker.getSymbolAtLocation(source)
    if (source === undefined || module === undefined) throw new Error(`${entry.file} is no module`)
    return referenceOf(entry, source, checker.getExportsOfModule(module), checker)
  })
}

function referenceOf(
  { package: home, name }: EntryPoint,
  source: ts.SourceFile,
  exported: readonly ts.Symbol[],
  checker: ts.TypeChecker,
): Reference {
  const entry = `@sotto/${home}${name.slice(1)}`
  const uncommented: string[] = []
  const sections = exported
    .map((symbol) => sectionOf(symbol, home, checker, uncommented))
    .toSorted((a, b) => (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1))
  const index = sections.map((section) => `[${section.name}](#${section.name.toLowerCase()})`).join(" · ")
  return {
    entry,
    path: `docs/api/${pageOf(home, name.slice(2))}.md`,
    markdown: [
      `# \`${entry}\``,
      "<!-- Written by `npm run docs` from the comments in the code. -->",
      introduction(source),
      index,
      ...sections.map(({ markdown }) => markdown),
    ]
      .filter((block) => block !== "")
      .join("\n\n")
      .concat("\n"),
    uncommented,
  }
}

/** The entry points of core came first and have short names. */
function pageOf(home: string, entry: string): string {
  if (entry === "") return home
  return home === "core" ? entry : `${home}-${entry}`
}

/** What the file says about itself, before its first line. */
function introduction(source: ts.SourceFile): string {
  const [comment] = ts.getLeadingCommentRanges(source.text, 0) ?? []
  if (comment === undefined) return ""
  return source.text
    .slice(comment.pos, comment.end)
    .replace(/^\/\*\*|\*\/$/g, "")
    .replace(/^\s*\* ?/gm, "")
    .trim()
}

function sectionOf(exported: ts.Symbol, home: string, checker: ts.TypeChecker, uncommented: string[]) {
  const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported
  const name = exported.name
  const [declaration] = symbol.declarations ?? []
  if (declaration === undefined) throw new Error(`${name} is declared nowhere`)
  const comment = commentOf(symbol, checker)
  if (comment === "") uncommented.push(name)
  const members = membersOf(declaration).map((member) => {
    const own = memberComment(member, checker)
    const label = member.name?.getText() ?? "constructor"
    if (own === "" && !speaksForItself(name, label)) uncommented.push(`${name}.${label}`)
    return { label, own, type: signatureOf(member) }
  })
  const table = members.map(
    ({ own, type }) => `- \`${oneLine(type)}\`${own === "" ? "" : `: ${flowing(own)}`}`,
  )
  const where = relative(join(packages, home), declaration.getSourceFile().fileName)
  const markdown = [
    `## ${name}`,
    comment,
    ...examplesOf(symbol, checker),
    `\`\`\`ts\n${headOf(declaration, name)}\n\`\`\``,
    table.join("\n"),
    `<sub>${where}</sub>`,
  ]
  return { name, markdown: markdown.filter((block) => block !== "").join("\n\n") }
}

function commentOf(symbol: ts.Symbol, checker: ts.TypeChecker): string {
  return ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim()
}

function examplesOf(symbol: ts.Symbol, checker: ts.TypeChecker): readonly string[] {
  return symbol
    .getJsDocTags(checker)
    .filter(({ name }) => name === "example")
    .map(({ text }) => ts.displayPartsToString(text).trim())
}

/** The tag of a union says what it is, an error its name, and the fields of a body are the provider's to explain. */
function speaksForItself(name: string, member: string): boolean {
  return (
    name === "Body" ||
    ["type", "name", "toJSON"].some((own) => own === member && !COMMENTED.includes(`${name}.${own}`))
  )
}

/** Where those words are names like any other. */
const COMMENTED = ["Agent.name", "ToolDefinition.name", "Signal.type", "ToolCallPart.name", "Dialect.name"]

type Member = ts.ClassElement | ts.TypeElement

/** What a user of the type can name: the members of a class or an interface, private ones aside. */
function membersOf(declaration: ts.Declaration): readonly Member[] {
  const all: readonly Member[] =
    ts.isInterfaceDeclaration(declaration) || ts.isClassDeclaration(declaration)
      ? declaration.members
      : ts.isTypeAliasDeclaration(declaration) && ts.isTypeLiteralNode(declaration.type)
        ? declaration.type.members
        : []
  return all.filter(
    (member) =>
      (member.name === undefined || !ts.isPrivateIdentifier(member.name)) &&
      !ts.isConstructorDeclaration(member) &&
      !ts.isIndexSignatureDeclaration(member) &&
      !(member.name && ts.isComputedPropertyName(member.name)),
  )
}

function memberComment(member: Member, checker: ts.TypeChecker): string {
  const symbol = member.name && checker.getSymbolAtLocation(member.name)
  if (symbol) return commentOf(symbol, checker)
  return ts
    .getJSDocCommentsAndTags(member)
    .map((doc) => ts.getTextOfJSDocComment(doc.comment) ?? "")
    .join(" ")
    .trim()
}

/** A declaration without its body and its members: what somebody who calls it has to know. */
function headOf(declaration: ts.Declaration, name: string): string {
  const text = withoutComments(declaration)
  if (ts.isFunctionDeclaration(declaration) && declaration.body)
    return text
      .slice(0, text.length - bodyLength(declaration.body))
      .trim()
      .replace(/^export /, "")
  if (ts.isInterfaceDeclaration(declaration) || ts.isClassDeclaration(declaration))
    return text
      .slice(0, text.indexOf("{"))
      .trim()
      .replace(/^export /, "")
  if (ts.isTypeAliasDeclaration(declaration)) return text.replace(/^export /, "")
  if (ts.isVariableDeclaration(declaration)) return `const ${text.length < 200 ? text : name}`
  return `const ${name}`
}

function bodyLength(body: ts.Node): number {
  return withoutComments(body).length
}

function withoutComments(node: ts.Node): string {
  return node.getText().replace(/\/\*\*[\s\S]*?\*\/\s*/g, "")
}

function signatureOf(member: Member): string {
  const text = withoutComments(member)
  if (!(ts.isMethodDeclaration(member) || ts.isGetAccessor(member) || ts.isConstructorDeclaration(member)))
    return text
  return member.body ? text.slice(0, text.length - bodyLength(member.body)) : text
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").replace(/[,;]$/, "").trim()
}

function flowing(comment: string): string {
  return comment.replace(/\s*\n\s*/g, " ")
}
