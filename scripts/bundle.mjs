import { rmSync } from "node:fs"
import { isBuiltin } from "node:module"
import { join } from "node:path"
import { build } from "esbuild"
import { root } from "./process.mjs"

const folder = join(root, "packages/cli/dist/bundle")

/**
 * Most of everybody else's code stays in node_modules, and is loaded when it is needed. What draws the terminal comes
 * along: it is hundreds of files, and with them it would take twice as long until something is on the screen.
 */
const stays = {
  name: "stays",
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, kind, importer }) => {
      const drawn = /^(marked|string-width)(\/|$)/.test(path) || /node_modules\/(?!@sotto)/.test(importer)
      const comes = kind === "entry-point" || path.startsWith("@sotto/") || drawn
      return comes && !isBuiltin(path) ? undefined : { path, external: true }
    })
  },
}

/**
 * The command in a handful of files instead of several hundred: finding and reading those is most of the time it takes
 * to start. What is imported when it is needed becomes a file of its own.
 */
rmSync(folder, { recursive: true, force: true })
await build({
  entryPoints: {
    main: join(root, "packages/cli/dist/main.js"),
    // The thread of the proxy's analysis is a program of its own.
    worker: join(root, "packages/cli/dist/proxy/analysis/worker.js"),
  },
  outdir: folder,
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  target: "node20",
  sourcemap: "linked",
  sourcesContent: false,
  chunkNames: "[name]-[hash]",
  plugins: [stays],
  define: { "process.env.NODE_ENV": '"production"' },
  // For the parts of it that are CommonJS.
  banner: {
    js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);',
  },
  logLevel: "warning",
})
