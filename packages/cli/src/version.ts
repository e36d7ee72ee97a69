import { readFile } from "node:fs/promises"

export async function version(): Promise<string> {
  const manifest = await readFile(new URL(import.meta.resolve("sotto/package.json")), "utf8")
  return (JSON.parse(manifest) as { readonly version: string }).version
}
