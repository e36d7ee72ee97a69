import { createInterface } from "node:readline/promises"
import { parseArgs } from "node:util"
import { redact } from "@sotto/core/secrets"
import {
  defaultModel,
  isFromEnvironment,
  isProviderName,
  type KeyTrial,
  keyPlace,
  keysFile,
  knownSecrets,
  PROVIDERS,
  type ProviderName,
  readKeys,
  removeKey,
  storeKey,
  tryKey,
  withStoredKeys,
} from "@sotto/harness"
import { hiddenLine, standardInput } from "../questions/input.js"
import { err, out } from "../screen/printer.js"
import { EXIT, UsageError } from "../usage.js"
import { type CommandOptions, optionRows, type Subcommand } from "./subcommand.js"

const OPTIONS = {
  list: {
    type: "boolean",
    help: "which keys there are, and where they come from; never the keys themselves",
  },
  remove: { type: "string", value: "PROVIDER", help: "forgets a stored key" },
  "no-check": { type: "boolean", help: "stores the key without trying it" },
} as const satisfies CommandOptions

export const subcommand: Subcommand = {
  help: `sotto login [PROVIDER] [options]: stores a key for anthropic, openai or google

  sotto login                    asks whose key it is, and takes it without showing it
  sotto login PROVIDER < FILE    takes it from standard input

${optionRows(OPTIONS, 33)}

The key is tried first: the provider is asked for its list of models, which costs nothing, at its usual address or the one
in ANTHROPIC_BASE_URL, OPENAI_BASE_URL or GOOGLE_GEMINI_BASE_URL. It is kept in keys.json in your settings folder, which only
you can read. A key in the environment counts more. Commands that the agent runs get neither.
`,
  options: OPTIONS,
  run,
}

/** Those with a key of their own: `openai-chat` uses OpenAI's. */
const NAMES: readonly ProviderName[] = ["anthropic", "openai", "google"]

/** Runs `sotto login`: takes a key, tries it, and keeps it where only its owner can read it. It is never printed. */
async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true })
  if (positionals.length > 1)
    throw new UsageError(
      "One provider at a time, and no key on the command line: it would stay in the history.",
    )
  if (values.list) return list()
  if (values.remove !== undefined) return remove(named(values.remove))
  const given = positionals[0]
  const { problem } = readKeys(process.env)
  if (problem !== undefined) throw new UsageError(problem)
  const provider = given === undefined ? await choose() : named(given)
  const key = provider && (await typed(provider))?.trim()
  if (!provider || !key) {
    err.line("sotto: no key was given, and nothing has changed.")
    return EXIT.failed
  }
  const trial = values["no-check"] ? undefined : await tryKey(provider, process.env, key)
  if (trial && (trial.is === "refused" || trial.is === "unreached")) {
    err.line(`sotto: ${withoutKey(refusal(provider, trial), key)} Nothing has changed.`)
    return EXIT.failed
  }
  storeKey(process.env, provider, key)
  out.line(
    withoutKey(`${verdict(trial)} It is kept in ${keysFile(process.env)}, which only you can read.`, key),
  )
  if (isFromEnvironment(PROVIDERS[provider], process.env))
    out.line(`For now ${keyPlace(PROVIDERS[provider], process.env)} counts: the environment counts more.`)
  else out.line(`\`sotto\` uses ${defaultModel(withStoredKeys(process.env))} unless you name another model.`)
  return EXIT.done
}

function verdict(trial: KeyTrial | undefined): string {
  if (trial === undefined) return "The key was not tried."
  return trial.is === "taken"
    ? `The key works: ${trial.at} takes it.`
    : `The key could not be tried at ${trial.at}: ${trial.answer}.`
}

function refusal(provider: ProviderName, { is, at, answer }: KeyTrial): string {
  const { base } = PROVIDERS[provider]
  if (is === "refused") return `${at} refuses the key: ${answer}. Copy it anew, all of it.`
  return `The key could not be tried at ${at}: ${answer}. Check the connection, and the address (${base} sets another), or store it untried with --no-check.`
}

function list(): number {
  const { keys, problem } = readKeys(process.env)
  if (problem !== undefined) throw new UsageError(problem)
  for (const name of NAMES) {
    const isStored = PROVIDERS[name].keys.some((variable) => keys.has(variable))
    const inEnvironment = isFromEnvironment(PROVIDERS[name], process.env)
    const places = [
      ...(inEnvironment ? [keyPlace(PROVIDERS[name], process.env)] : []),
      ...(isStored ? [`a stored key${inEnvironment ? ", which does not count meanwhile" : ""}`] : []),
    ]
    out.line(`${name.padEnd(10)} ${places.join("; ") || "no key"}`)
  }
  out.line(`Stored keys are in ${keysFile(process.env)}. They are never printed.`)
  return EXIT.done
}

function remove(provider: ProviderName): number {
  const isRemoved = removeKey(process.env, provider)
  if (isRemoved) out.line(`The key for ${provider} is removed from ${keysFile(process.env)}.`)
  else err.line(`sotto: no key for ${provider} is stored. \`sotto login --list\` shows which are.`)
  return isRemoved ? EXIT.done : EXIT.failed
}

function named(name: string): ProviderName {
  const own = name === "openai-chat" ? "openai" : name
  if (isProviderName(own)) return own
  throw new UsageError(`There is no provider "${name}". Use ${NAMES.join(", ")}.`)
}

async function choose(): Promise<ProviderName | undefined> {
  if (!process.stdin.isTTY)
    throw new UsageError(`Which provider? For example: sotto login ${NAMES[0]} < key.txt`)
  out.line("Whose key is it?")
  NAMES.forEach((name, i) => out.line(`  ${i + 1} ${name}`))
  const reader = createInterface({ input: process.stdin, output: process.stdout })
  try {
    const answer = (await reader.question("Number or name: ")).trim().toLowerCase()
    return answer === "" ? undefined : (NAMES[Number(answer) - 1] ?? named(answer))
  } finally {
    reader.close()
  }
}

/** Reads the key from the keyboard, unseen; else from standard input. */
async function typed(provider: ProviderName): Promise<string | undefined> {
  if (!process.stdin.isTTY) return standardInput("The key", 1024 * 1024)
  return hiddenLine(`Key for ${provider} (it is not shown): `)
}

function withoutKey(text: string, key: string): string {
  return redact(text, [...knownSecrets(process.env), key])
}
