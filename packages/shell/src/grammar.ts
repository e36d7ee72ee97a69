import { readFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import type { Parser } from "web-tree-sitter"

let loading: Promise<Parser> | undefined

/** Gives the parser for bash. Loads it when it is first used: most sessions' first request should not wait for it. */
export function bashParser(): Promise<Parser> {
  loading ??= load()
  return loading
}

async function load(): Promise<Parser> {
  const { Language, Parser } = await import("web-tree-sitter")
  await Parser.init({ locateFile: () => fileURLToPath(wasm("web-tree-sitter")) })
  const parser = new Parser()
  parser.setLanguage(await Language.load(await readFile(wasm("tree-sitter-bash"))))
  return parser
}

/**
 * Says where a file of the grammar is. The build copies it there from its package, which is twenty times as large: it
 * brings sources and programs for every platform.
 */
function wasm(name: string): URL {
  return new URL(`../wasm/${name}.wasm`, import.meta.url)
}
