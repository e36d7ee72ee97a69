import { existsSync } from "node:fs"
import { exportText, fileReason, IrregularFile, LARGEST_EXPORT, readRegularFile } from "@sotto/harness"
import { refuseIrregular } from "../traffic/named.js"
import { UsageError } from "../usage.js"
import { line, withStore } from "./open-store.js"
import type { Subcommand } from "./subcommand.js"

export const subcommand: Subcommand = {
  help: "sotto import FILE: stores a session that was exported or archived; a damaged one is refused, with the line and the field\n",
  options: {},
  run,
}

async function run(args: readonly string[]): Promise<number> {
  const [path] = args
  if (path === undefined || args.length > 1) throw new UsageError("Which file? sotto import FILE")
  const text = exportText(bytesOf(path), path)
  return withStore(async (store) => line(await store.importJsonl(text)))
}

function bytesOf(path: string): Buffer {
  refuseIrregular(path)
  let bytes: Buffer | undefined
  try {
    bytes = readRegularFile(path, LARGEST_EXPORT)
  } catch (error) {
    if (error instanceof IrregularFile)
      throw new UsageError(`${path} has more than 256 MB, which is the limit.`)
    throw new UsageError(`${path} cannot be read: ${fileReason(error)}`)
  }
  if (bytes === undefined)
    throw new UsageError(existsSync(path) ? `${path} is a folder. Name a file.` : `There is no file ${path}.`)
  return bytes
}
