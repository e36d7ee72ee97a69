import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import type { Parser } from "web-tree-sitter"

let loading: Promise<Parser> | undefined

/** The parser for bash. Loaded when first used: most sessions' first request should not wait for it. */
export function bashParser(): Promise<Parser> {
  loading ??= load()
  return loading
}

async function load(): Promise<Parser> {
  const { Language, Parser } = await import("web-tree-sitter")
  await Parser.init()
  const grammar = createRequire(import.meta.url).resolve("tree-sitter-bash/tree-sitter-bash.wasm")
  const parser = new Parser()
  parser.setLanguage(await Language.load(await readFile(grammar)))
  return parser
}
