import { join } from "node:path"
import { parseArgs } from "node:util"
import {
  configuredSecrets,
  dataFolder,
  knownSecrets,
  loadConfig,
  openStore,
  redactedLines,
} from "@sotto/harness"
import { out } from "../screen/printer.js"
import { EXIT, UsageError } from "../usage.js"

/** `sotto export`: the log of a session as it is, or with `--redact` a copy to share. */
export async function exportSession(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { redact: { type: "boolean" } },
    allowPositionals: true,
  })
  const [id] = positionals
  if (id === undefined || positionals.length > 1)
    throw new UsageError("Which session? sotto export ID; `sotto sessions` lists them.")
  const known = values.redact ? await secretsHere() : undefined
  const store = openStore(join(dataFolder(process.env), "sessions.db"))
  try {
    const lines = store.exportJsonl(id)
    for (const line of known === undefined ? lines : redactedLines(lines, known)) out.json(line)
  } finally {
    store.close()
  }
  return EXIT.done
}

/** Configuration that cannot be read is an error: what it holds could not be taken out. */
async function secretsHere(): Promise<readonly string[]> {
  const config = await loadConfig({ cwd: process.cwd(), env: process.env })
  return knownSecrets(process.env, configuredSecrets(config))
}
