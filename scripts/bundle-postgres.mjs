import { rmSync } from "node:fs"
import { join } from "node:path"
import { build } from "esbuild"
import { root } from "./process.mjs"

/**
 * Puts the parts of the harness that the PostgreSQL store is written against into its package. The command has the
 * harness inside, and no other package could lend it: `@sotto/harness` would be installed a second time, with all it needs.
 */
const dist = join(root, "packages/postgres/dist")
rmSync(join(dist, "bundle"), { recursive: true, force: true })
await build({
  entryPoints: [join(dist, "index.js")],
  outdir: join(dist, "bundle"),
  bundle: true,
  format: "esm",
  platform: "node",
  target: "node20",
  sourcemap: "linked",
  external: ["pg"],
  logLevel: "warning",
})
