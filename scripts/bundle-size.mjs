import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { build } from "esbuild"
import { root } from "./process.mjs"

const limit = 44
const kB = (bytes) => (bytes / 1000).toFixed(1)

const { outputFiles } = await build({
  entryPoints: [join(root, "packages/core/src/index.ts")],
  bundle: true,
  minify: true,
  format: "esm",
  platform: "neutral",
  write: false,
})
const [{ contents }] = outputFiles
const gzipped = gzipSync(contents, { level: 9 }).length

console.log(`@sotto/core  ${kB(contents.length)} kB minified, ${kB(gzipped)} kB gzipped (limit ${limit} kB)`)
if (gzipped > limit * 1000) process.exitCode = 1
