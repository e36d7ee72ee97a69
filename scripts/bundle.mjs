import { cpSync, rmSync } from "node:fs"
import { isBuiltin } from "node:module"
import { join } from "node:path"
import { build } from "esbuild"
import { readJson } from "./fresh.mjs"
import { GRAMMAR } from "./grammar.mjs"
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
const { metafile } = await build({
  metafile: true,
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
  chunkNames: "[name]-[hash]",
  plugins: [stays],
  define: { "process.env.NODE_ENV": '"production"' },
  // For the parts of it that are CommonJS.
  banner: {
    js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);',
  },
  logLevel: "warning",
})

// The page of the inspector, which is read beside the code that serves it.
cpSync(join(root, "packages/inspector/dist/web"), join(folder, "web"), { recursive: true })

// The grammar that judges commands, which is read from the folder beside the code.
cpSync(join(root, GRAMMAR), join(folder, "../wasm"), { recursive: true })

// What the bundle leaves outside is installed with the package only if the package declares it.
const { dependencies } = readJson("packages/cli/package.json")
const imported = Object.values(metafile.outputs).flatMap(({ imports }) => imports)
const outside = imported
  .filter(({ external, path }) => external && !isBuiltin(path))
  .map(({ path }) => nameOf(path))
const undeclared = [...new Set(outside)].filter((name) => !Object.hasOwn(dependencies, name))
if (undeclared.length > 0) {
  console.error(
    `packages/cli/package.json does not declare what the bundle imports: ${undeclared.join(", ")}`,
  )
  process.exit(1)
}

/** "@scope/package/file" is of the package "@scope/package". */
function nameOf(path) {
  return path
    .split("/")
    .slice(0, path.startsWith("@") ? 2 : 1)
    .join("/")
}
