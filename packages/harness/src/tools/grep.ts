import { stat } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { accessTo } from "../execution/permissions/path-access.js"
import { readableIn } from "../execution/permissions/readable.js"
import { ripgrep } from "../execution/programs/ripgrep.js"
import { ToolError } from "../platform/text/errors.js"
import { startOf } from "../platform/text/text.js"
import { GREP } from "./definitions.js"
import type { Tool } from "./tool.js"
import { wantedFiles } from "./wanted-files.js"

type GrepInput = { readonly pattern: string; readonly path?: string; readonly glob?: string }

const MOST_MATCHES = 200
const MOST_BYTES = 30_000
const LONGEST_LINE = 500

export const grepTool: Tool<GrepInput> = {
  definition: GREP,
  changes: false,

  async access(input, context) {
    return accessTo("read", await context.place(input.path ?? "."))
  },

  async run(input, context) {
    const { pattern, glob } = input
    const place = await context.place(input.path ?? ".")
    const found = await stat(place.path).catch(() => undefined)
    if (found === undefined)
      throw new ToolError(`There is nothing at ${place.relative} to search. Use glob to find it.`)
    if (!found.isDirectory() && !found.isFile())
      throw new ToolError(
        `${place.relative} is neither a file nor a directory: it cannot be searched. Give another path.`,
      )
    const folder = found.isDirectory()
      ? place
      : { ...place, path: dirname(place.path), relative: dirname(place.relative) }
    const target = found.isDirectory() ? "./" : `./${basename(place.path)}`
    const wanted = wantedFiles(glob)
    const multiline = pattern.includes("\\n") ? ["--multiline"] : []

    // The file that the input names was judged before the call ran.
    const isReadable = found.isDirectory() ? readableIn(place, context.judge) : () => true
    let isTorn = false
    const listing = new Listing()
    const args = [
      "--null",
      "--with-filename",
      "--line-number",
      "--no-heading",
      "--sort=path",
      ...wanted.args,
      ...multiline,
    ]
    await ripgrep([...args, "-e", pattern, "--", target], folder.path, context.abort, (line) => {
      const match = /^(?:\.\/)?([^\0]+)\0(\d+):(.*)$/s.exec(line)
      // The name of a file may contain a line break: what is left of it would be judged by half a name.
      if (match === null || isTorn) {
        isTorn = match === null
        return true
      }
      const [, file = "", number = "", text = ""] = match
      if (!wanted.matches(file) || !isReadable(file)) return true
      return listing.add(folder.relative === "." ? file : join(folder.relative, file), number, text)
    })
    return { content: listing.text() ?? `No matches in ${place.relative} for ${pattern}` }
  },
}

/** Matches under the names of their files, as many as fit. */
class Listing {
  readonly #lines: string[] = []
  #file: string | undefined
  #matches = 0
  #bytes = 0
  #full = false

  /** Adds a line. True if there is room for more. */
  add(file: string, number: string, text: string): boolean {
    const line = `${number}: ${text.length > LONGEST_LINE ? `${startOf(text, LONGEST_LINE)}…` : text}`
    const added = file === this.#file ? [line] : [file, line]
    this.#bytes += Buffer.byteLength(added.join("\n")) + 1
    this.#full = this.#matches >= MOST_MATCHES || this.#bytes > MOST_BYTES
    if (this.#full) return false
    this.#lines.push(...added)
    this.#file = file
    this.#matches++
    return true
  }

  text(): string | undefined {
    if (this.#matches === 0) return undefined
    const note = `[There are more than these ${this.#matches} matches: narrow the pattern, path or glob.]`
    return [...this.#lines, ...(this.#full ? [note] : [])].join("\n")
  }
}
