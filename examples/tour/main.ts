import { tourLines } from "./page.js"
import { paintFor } from "./paint.js"

const { stdout, env } = process
const columns = stdout.columns ?? (Number(env.COLUMNS) || 100)
const width = Math.min(140, Math.max(60, columns))
// Whoever pipes this into `head` has seen enough.
stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 1))
stdout.write(`${tourLines({ width, paint: paintFor(stdout, env) }).join("\n")}\n`)
