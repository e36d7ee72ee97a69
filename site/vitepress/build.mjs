// Builds dist/site from the prepared pages, and shows it on loopback with --serve. `npm run site` runs this.
import { parseArgs } from "node:util"
import { build } from "vitepress"

const USAGE = "usage: npm run site [-- --serve [--port N]]"
const out = new URL("../../dist/site", import.meta.url).pathname

const options = readOptions()
await build(import.meta.dirname, { outDir: out })
if (options.serve) await serve(options.port)

function readOptions() {
  try {
    const { values } = parseArgs({ options: { serve: { type: "boolean" }, port: { type: "string" } } })
    const port = Number(values.port ?? 4173)
    if (!Number.isInteger(port) || port < 0 || port > 65_535)
      throw new Error(`--port ${values.port}: use a port.`)
    return { serve: values.serve === true, port }
  } catch (error) {
    console.error(`${error.message}\n${USAGE}`)
    process.exit(2)
  }
}

/** VitePress has a command for this, but it listens on all addresses of the machine. */
async function serve(port) {
  const { preview } = await import("vite")
  const server = await preview({
    root: import.meta.dirname,
    configFile: false,
    appType: "mpa",
    logLevel: "error",
    build: { outDir: out },
    preview: { host: "127.0.0.1", port, strictPort: port !== 0 && process.argv.includes("--port") },
  })
  const address = server.httpServer.address()
  console.log(`listening on http://127.0.0.1:${address.port}/`)
}
