import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { build } from "esbuild"
import { root } from "./process.mjs"

const source = (path) => JSON.stringify(join(root, "packages/core/src", path))
const kB = (bytes) => (bytes / 1000).toFixed(1)

/** Everything that "@sotto/core" exports, used or not. */
const whole = { name: "@sotto/core, all of it", code: `export * from ${source("index.ts")}`, limit: 51 }

/** What a harness ships that talks to one provider: sessions, encoding and decoding. Its bundler drops the rest. */
const harnesses = ["anthropic", "openai", "openai-chat", "gemini", "ai-sdk"].map((dialect) => {
  const used = dialect === "ai-sdk" ? "encode, decode" : "encode, encodeBytes, decode, decoder"
  return {
    name: `sessions with ${dialect}`,
    code: [
      `export { createSession, restoreSession } from ${source("index.ts")}`,
      `export { ${used} } from ${source(`wire/${dialect}/index.ts`)}`,
    ].join("\n"),
    // Holds the line. The goal is 42 kB. What keeps it away: the guard's table of look-alikes (5 kB), the shapes that
    // check commands and logs (5 kB), the texts of the standard rules (9 kB), and the place of an economy (1.6 kB; the economy
    // itself is not in it).
    limit: 53,
  }
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
