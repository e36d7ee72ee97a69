import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { build } from "esbuild"
import { root } from "./process.mjs"

const source = (path) => JSON.stringify(join(root, "packages/core/src", path))
const kB = (bytes) => (bytes / 1000).toFixed(1)

/** Everything that "@sotto/core" exports, used or not. */
const whole = { name: "@sotto/core, all of it", code: `export * from ${source("index.ts")}`, limit: 54.9 }

/**
 * What a harness ships that talks to one provider: sessions, encoding and decoding. Its bundler drops the rest. With
 * "@sotto/core/engine" it drops the texts of the standard rules, too.
 */
const harnesses = ["anthropic", "openai", "openai-chat", "gemini", "ai-sdk"].flatMap((dialect) => {
  const used = dialect === "ai-sdk" ? "encode, decode" : "encode, encodeBytes, decode, decoder"
  return [
    { name: `engine with ${dialect}`, entry: "engine.ts", limit: 46 },
    { name: `sessions with ${dialect}`, entry: "index.ts", limit: 57.4 },
  ].map(({ name, entry, limit }) => ({
    name,
    code: [
      `export { createSession, restoreSession } from ${source(entry)}`,
      `export { ${used} } from ${source(`dialects/${dialect}/index.ts`)}`,
    ].join("\n"),
    limit,
  }))
})

for (const { name, code, limit } of [whole, ...harnesses]) {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: root },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "neutral",
    write: false,
  })
  const [{ contents }] = outputFiles
  const gzipped = gzipSync(contents, { level: 9 }).length
  console.log(
    `${name.padEnd(26)} ${kB(contents.length)} kB minified, ${kB(gzipped)} kB gzipped (limit ${limit} kB)`,
  )
  if (gzipped > limit * 1000) process.exitCode = 1
}
