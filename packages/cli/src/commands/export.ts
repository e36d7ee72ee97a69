import { parseArgs } from "node:util"
import { configuredSecrets, knownSecrets, loadConfig, redactedLines } from "@sotto/harness"
import { out } from "../screen/printer.js"
import { UsageError } from "../usage.js"
import { tellLosses, withStore } from "./store.js"

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
  return withStore((store) => {
    tellLosses(store, id)
    const lines = store.exportJsonl(id)
    for (const line of known === undefined ? lines : redactedLines(lines, known)) out.json(line)
  })
}

/** Configuration that cannot be read is an error: what it holds could not be taken out. */
async function secretsHere(): Promise<readonly string[]> {
  const config = await loadConfig({ cwd: process.cwd(), env: process.env })
  return knownSecrets(process.env, configuredSecrets(config))
}
