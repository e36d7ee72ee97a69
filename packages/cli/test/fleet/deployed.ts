import { readFileSync } from "node:fs"
import { join } from "node:path"
import { readYaml } from "../../../harness/test/store-support.js"

/** Finds a block of code in docs/server.md, by its language. */
export function documented(language: "ini" | "yaml" | "dockerfile", beginning: string): string {
  const page = readFileSync(join(import.meta.dirname, "../../../../docs/server.md"), "utf8")
  const blocks = [...page.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)]
  const found = blocks.find(([, name, text = ""]) => name === language && text.startsWith(beginning))
  if (found?.[2] === undefined)
    throw new Error(`docs/server.md has no ${language} that begins with ${beginning}`)
  return found[2]
}

/** The settings of a unit of systemd, by name. */
export function unitSettings(unit: string): ReadonlyMap<string, string> {
  const lines = unit.split("\n").filter((line) => /^\w+=/.test(line))
  return new Map(
    lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)] as const),
  )
}

/** The compose file, as a parser of YAML reads it. */
export function composeFile(): unknown {
  return readYaml(documented("yaml", "services:"))
}
