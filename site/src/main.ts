import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { buildSite, SiteError } from "./build.js"
import { serve } from "./serve.js"

const USAGE = "usage: npm run site [-- --serve [--port N]]"
const root = fileURLToPath(new URL("../../", import.meta.url))

async function main(args: readonly string[]): Promise<number> {
  const { isServed, port } = optionsOf(args)
  const out = join(root, "dist/site")
  const { pages, pictures, outside } = await buildSite(root, out)
  console.log(`${pages} pages and ${pictures} pictures in dist/site. Every link within them leads somewhere.`)
  console.log(`${outside.length} links lead elsewhere and were not tried: dist/site/external-links.txt`)
  if (isServed) console.log(`listening on ${(await serve(out, port)).url}`)
  return 0
}

function optionsOf(args: readonly string[]): { readonly isServed: boolean; readonly port: number } {
  const { values } = parseArgs({
    args: [...args],
    options: { serve: { type: "boolean", default: false }, port: { type: "string", default: "0" } },
  })
  const port = Number(values.port)
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new TypeError(`--port ${values.port}: use a port.`)
  return { isServed: values.serve, port }
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  if (error instanceof SiteError) console.error(`The site was not built:\n${error.message}`)
  else if (error instanceof TypeError) console.error(`${error.message}\n${USAGE}`)
  else console.error(error instanceof Error ? error.message : error)
  process.exitCode = error instanceof TypeError ? 2 : 1
}
