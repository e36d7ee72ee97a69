import { parseArgs } from "node:util"
import { configuredSecrets, knownSecrets, loadConfig, redactedLines } from "@sotto/harness"
import { out } from "../screen/printer.js"
import { fullSessionId, sessionIdIn, tellLosses, withStore } from "./open-store.js"
import { type CommandOptions, optionRows, type Subcommand } from "./subcommand.js"

const OPTIONS = {
  redact: { type: "boolean", help: "a copy to share, without keys and texts that look like secrets" },
} as const satisfies CommandOptions

export const subcommand: Subcommand = {
  help: `sotto export ID [--redact]: the session's log on stdout, one entry a line; \`sotto import\` takes it back

${optionRows(OPTIONS, 14)}
`,
  options: OPTIONS,
  run,
}

/** Runs `sotto export`: prints the log of a session as it is, or with `--redact` a copy to share. */
async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true })
  const given = sessionIdIn(positionals, "export")
  const known = values.redact ? await secretsHere() : undefined
  return withStore(async (store) => {
    const id = await fullSessionId(store, given)
    await tellLosses(store, id)
    const lines = await store.exportJsonl(id)
    for (const line of known === undefined ? lines : redactedLines(lines, known)) out.json(line)
  })
}

/**
 * Lists the secrets to take out. Configuration that cannot be read is an error: what it holds could not be taken out.
 */
async function secretsHere(): Promise<readonly string[]> {
  const config = await loadConfig({ cwd: process.cwd(), env: process.env })
  return knownSecrets(process.env, configuredSecrets(config))
}
