// For `node --import`: writes the address of every module that the process loads to the file in LOADED_FILE.
import { appendFileSync, writeFileSync } from "node:fs"
import { createRequire, register } from "node:module"

const file = process.env.LOADED_FILE
writeFileSync(file, "")
const hooks = `
  import { appendFileSync } from "node:fs"
  export async function load(url, context, next) {
    appendFileSync(${JSON.stringify(file)}, url + "\\n")
    return next(url, context)
  }
`
register(`data:text/javascript,${encodeURIComponent(hooks)}`)
const { cache } = createRequire(import.meta.url)
process.on("exit", () => appendFileSync(file, Object.keys(cache).join("\n")))
