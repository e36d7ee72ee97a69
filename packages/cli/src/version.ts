import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"

export async function version(): Promise<string> {
  const manifest = await readFile(createRequire(import.meta.url).resolve("sotto/package.json"), "utf8")
  return (JSON.parse(manifest) as { readonly version: string }).version
}
