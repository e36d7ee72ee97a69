import { rmSync } from "node:fs"
import { join } from "node:path"
import { build } from "esbuild"
import { root } from "./process.mjs"

const folder = join(root, "packages/cli/dist/bundle")

/** Everybody else's code stays in node_modules, and is loaded when it is needed. */
const oursOnly = {
  name: "ours-only",
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
      kind === "entry-point" || path.startsWith("@sotto/") ? undefined : { path, external: true },
    )
  },
}

/**
 * The command in a handful of files instead of several hundred: finding and reading those is most of the time it takes
 * to start. What is imported when it is needed becomes a file of its own.
 */
rmSync(folder, { recursive: true, force: true })
await build({
  entryPoints: [join(root, "packages/cli/dist/main.js")],
  outdir: folder,
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20",
  sourcemap: "linked",
  sourcesContent: false,
  chunkNames: "[name]-[hash]",
  plugins: [oursOnly],
  logLevel: "warning",
})
