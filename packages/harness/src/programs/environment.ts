import { KEY_VARIABLES } from "../models/providers.js"
import type { Environment } from "../workspace/folders.js"

declare const scrubbed: unique symbol

/** An environment for a child process. Only the functions of this file make one, so that none holds a provider's key. */
export type ChildEnvironment = NodeJS.ProcessEnv & { readonly [scrubbed]: true }

export interface ChildEnvironmentOptions {
  /** Key variables that the user wants children to have: `environment` in the user's own sotto.json. */
  readonly keep?: readonly string[]
}

/** For Sotto alone. */
const OWN: ReadonlySet<string> = new Set([
  ...["SOTTO_TRUST", "SOTTO_STORE", "SOTTO_LISTEN"],
  ...["", "_TRACES", "_METRICS"].map((signal) => `OTEL_EXPORTER_OTLP${signal}_HEADERS`),
])

/**
 * Everything that Sotto was started with, except the variables from which it reads providers' keys; `SOTTO_TRUST`, because
 * the user trusts this folder for one run, and no folder that a child of it works in; and the store's addresses and
 * the headers of telemetry, which may hold a password.
 */
export function childEnvironment(
  env: Environment,
  { keep = [] }: ChildEnvironmentOptions = {},
): ChildEnvironment {
  const kept = Object.entries(env).filter(
    ([name]) => !OWN.has(name.toUpperCase()) && (!isKey(name) || keep.includes(name)),
  )
  return Object.fromEntries(kept) as ChildEnvironment
}

/** With variables that the configuration gives this child by name. They may hold a key: the user put it there. */
export function withVariables(env: ChildEnvironment, given: Environment = {}): ChildEnvironment {
  return { ...env, ...given } as ChildEnvironment
}

/** For programs whose output a model reads: they print plain text, ask nothing and page nothing. */
export function plainEnvironment(env: ChildEnvironment): ChildEnvironment {
  const { FORCE_COLOR: _, CLICOLOR_FORCE: __, ...inherited } = env
  return withVariables(inherited as ChildEnvironment, {
    NO_COLOR: "1",
    TERM: "dumb",
    PAGER: "cat",
    GIT_PAGER: "cat",
    GIT_TERMINAL_PROMPT: "0",
  })
}

/** Names count whatever their case: Windows does not tell them apart, and `openai_api_key` holds a key as well. */
function isKey(name: string): boolean {
  return KEY_VARIABLES.has(name.toUpperCase())
}
