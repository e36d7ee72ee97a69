import { spawn } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { preparePages, SiteError } from "./prepare.js"

const root = fileURLToPath(new URL("../../", import.meta.url))
const generator = join(root, "site/vitepress")

/** Checks the documentation, lays out its pages, and has VitePress build them. Arguments go to its script. */
async function main(args: readonly string[]): Promise<number> {
  const { sources, sidebar, outside } = preparePages(root, join(generator, "dist/pages"))
  writeFileSync(join(generator, "dist/prepared.json"), JSON.stringify({ sources, sidebar }))
  console.log(`${Object.keys(sources).length} pages. Every link within them leads somewhere.`)
  console.log(`${outside.length} links lead to other sites and were not tried.`)
  const child = spawn(process.execPath, ["build.mjs", ...args], { cwd: generator, stdio: "inherit" })
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill(signal))
  return new Promise((resolve, reject) => {
    child.once("error", reject).once("close", (code) => resolve(code ?? 1))
  })
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  if (error instanceof SiteError) console.error(`The site was not built:\n${error.message}`)
  else console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
