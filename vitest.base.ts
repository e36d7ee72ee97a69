import { mkdirSync, renameSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { build } from "esbuild"
import { defineConfig, type Plugin } from "vitest/config"

// Packages are tested on their sources, so that a failure points at the line somebody wrote.
// The rest is as Node has it: packages that are loaded by Node itself are found in the same place.
const conditions = ["@sotto/source", "node"]

/** Where the thread's program is while tests run: where its imports are found. */
const THREAD = fileURLToPath(new URL("node_modules/.cache/sotto/postgres-thread.mjs", import.meta.url))

/** Node itself runs the thread of the PostgreSQL store, and reads no TypeScript: it is built before it is started. */
const thread: Plugin = {
  name: "sotto-postgres-thread",
  enforce: "pre",
  async transform(code, id) {
    if (!id.endsWith("/packages/postgres/src/bridge.ts")) return undefined
    const { outputFiles } = await build({
      entryPoints: [join(dirname(id), "postgres-thread.ts")],
      bundle: true,
      platform: "node",
      format: "esm",
      external: ["pg"],
      conditions,
      write: false,
    })
    mkdirSync(dirname(THREAD), { recursive: true })
    // In one step: another run may be reading it.
    writeFileSync(`${THREAD}-${process.pid}`, outputFiles[0]?.contents ?? "")
    renameSync(`${THREAD}-${process.pid}`, THREAD)
    return code.replace(
      'new URL("./postgres-thread.js", import.meta.url)',
      `new URL(${JSON.stringify(pathToFileURL(THREAD).href)})`,
    )
  },
}

/** What all configurations share. */
export default defineConfig({
  plugins: [thread],
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  // Most tests wait for programs and disks, so that even the last core has time for another file.
  test: { testTimeout: 120_000, maxWorkers: "100%" },
})
