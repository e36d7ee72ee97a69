import { readFile, writeFile } from "node:fs/promises"
import { relative, resolve } from "node:path"

/** A path inside the directory that the example was started in, and nowhere else. */
function inside(path: string): string {
  const full = resolve(path)
  if (relative(process.cwd(), full).startsWith("..")) throw new Error(`${path} is outside of this directory.`)
  return full
}

export async function readText(path: string): Promise<string> {
  return readFile(inside(path), "utf8")
}

export async function writeText({ path, text }: { path: string; text: string }): Promise<string> {
  await writeFile(inside(path), text)
  return `Wrote ${path}.`
}
