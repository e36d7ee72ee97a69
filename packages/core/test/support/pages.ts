import { execFile } from "node:child_process"
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { build, type Plugin } from "esbuild"
import ts from "typescript"
import { programOf } from "./compile.js"

/**
 * Examples in Markdown pages, by what stands after the language of a fenced block:
 *
 *     ```ts run               a program: it is run, and has to end well
 *     ```text output          what the program before it prints, to the letter
 *     ```ts file=rules/a.ts   a file that the page's programs can import or read (any language)
 *
 * All programs of a page run in one folder, in which its files are. Blocks without a mark are not examples.
 */
export interface Block {
  readonly line: number
  readonly language: string
  readonly marks: readonly string[]
  readonly text: string
}

export interface Page {
  readonly path: string
  readonly blocks: readonly Block[]
}

const root = fileURLToPath(new URL("../../../../", import.meta.url))

/** README.md and its like, and every page below docs, with the blocks that are marked. */
export function readPages(): readonly Page[] {
  const docs = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" }).map((path) =>
    join(root, "docs", path),
  )
  const readmes = readdirSync(root).map((name) => join(root, name))
  return [...readmes, ...docs]
    .filter((path) => path.endsWith(".md"))
    .map((path) => ({ path: relative(root, path), blocks: blocksOf(readFileSync(path, "utf8")) }))
    .filter(({ blocks }) => blocks.length > 0)
}

export function blocksOf(markdown: string): readonly Block[] {
  const fence = /^(`{3,})([\w-]+)[ \t]+(\S.*)\n([\s\S]*?)^\1[ \t]*$/gm
  return [...markdown.matchAll(fence)].map((found) => ({
    line: markdown.slice(0, found.index).split("\n").length,
    language: found[2] ?? "",
    marks: (found[3] ?? "").trim().split(/\s+/),
    text: found[4] ?? "",
  }))
}

/** The programs of a page, each with what it is said to print, if anything. */
export function programsOf({
  blocks,
}: Page): readonly { readonly block: Block; readonly output: string | undefined }[] {
  return blocks.flatMap((block, i) => {
    if (!block.marks.includes("run")) return []
    const next = blocks[i + 1]
    return [{ block, output: next?.marks.includes("output") ? next.text : undefined }]
  })
}

export function filesOf({ blocks }: Page): readonly { readonly path: string; readonly text: string }[] {
  return blocks.flatMap(({ marks, text }) => {
    const path = marks.find((mark) => mark.startsWith("file="))?.slice("file=".length)
    return path === undefined ? [] : [{ path, text }]
  })
}

/** Sotto's own packages are bundled from their sources. Those of others are imported as their authors ship them. */
const othersOutside: Plugin = {
  name: "others-outside",
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
      kind === "entry-point" || path.startsWith("@sotto/") ? undefined : { path, external: true },
    )
  },
}

/** Runs a program of a page as its reader would, beside the page's files. Returns what it prints; throws if it fails. */
export async function runBlock(page: Page, block: Block): Promise<string> {
  const parent = join(root, "node_modules", ".sotto")
  mkdirSync(parent, { recursive: true })
  // Below node_modules, so that packages are found by their names.
  const folder = mkdtempSync(join(parent, "page-"))
  try {
    for (const { path, text } of [...filesOf(page), { path: "program.ts", text: block.text }]) {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), text)
    }
    await build({
      entryPoints: [join(folder, "program.ts")],
      outfile: join(folder, "program.mjs"),
      bundle: true,
      format: "esm",
      platform: "node",
      conditions: ["@sotto/source"],
      plugins: [othersOutside],
      logLevel: "silent",
    })
    const { stdout } = await promisify(execFile)(process.execPath, ["program.mjs"], { cwd: folder })
    return stdout
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** What the compiler says of a page's programs and files, each error with its file: a reader's editor would show it. */
export function compilePages(pages: readonly Page[]): readonly string[] {
  const texts = new Map<string, string>()
  pages.forEach((page, i) => {
    const folder = join(root, "node_modules", ".sotto", `compiled-${i}`)
    for (const { path, text } of filesOf(page)) if (path.endsWith(".ts")) texts.set(join(folder, path), text)
    for (const { block } of programsOf(page))
      if (block.language === "ts")
        texts.set(join(folder, `line-${block.line}.ts`), `${block.text}\nexport {}\n`)
  })
  const program = programOf(texts)
  return [...texts.keys()].flatMap((path) => {
    const page = pages[Number(/compiled-(\d+)/.exec(path)?.[1])]?.path
    return program
      .getSemanticDiagnostics(program.getSourceFile(path))
      .map(
        ({ messageText }) =>
          `${page} ${path.split("/").at(-1)}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`,
      )
  })
}
