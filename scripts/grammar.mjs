import { copyFileSync, mkdirSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { root } from "./process.mjs"

/** Where the files of bash's grammar are once they are built. */
export const GRAMMAR = "packages/shell/wasm"

/**
 * Copies the grammar of bash and its parser, as WebAssembly, into the package that uses them, with their licences. Their
 * own packages bring sources, debug builds and programs for every platform: 24 MB instead of 1.6.
 */
export function copyGrammar() {
  const resolve = createRequire(join(root, "packages/shell/package.json")).resolve
  const to = join(root, GRAMMAR)
  mkdirSync(to, { recursive: true })
  for (const [name, file] of [
    ["tree-sitter-bash", resolve("tree-sitter-bash/tree-sitter-bash.wasm")],
    ["web-tree-sitter", resolve("web-tree-sitter/web-tree-sitter.wasm")],
  ]) {
    copyFileSync(file, join(to, `${name}.wasm`))
    copyFileSync(join(dirname(file), "LICENSE"), join(to, `${name}.LICENSE`))
  }
}
