import { KEY_VARIABLES } from "../../models/providers.js"
import { SECRET_PATTERNS } from "../../platform/secrets/patterns.js"
import type { Environment } from "../../platform/workspace/folders.js"

declare const scrubbed: unique symbol

/** An environment for a child process. Only the functions of this file make one, so that none holds a key. */
export type ChildEnvironment = NodeJS.ProcessEnv & { readonly [scrubbed]: true }

export interface ChildEnvironmentOptions {
  /** Secrets that the user wants children to have: `env.pass` in the user's own sotto.json. */
  readonly pass?: readonly string[]
}

/** For Sotto alone. `SOTTO_TRUST` trusts one folder for one run, and no folder that a child works in. */
const OWN: ReadonlySet<string> = new Set([
  ...["SOTTO_TRUST", "SOTTO_STORE", "SOTTO_LISTEN", "SOTTO_TOKEN"],
  ...["", "_TRACES", "_METRICS"].map((signal) => `OTEL_EXPORTER_OTLP${signal}_HEADERS`),
])

/** Words in the name of a variable whose value is a secret: GITHUB_TOKEN, PGPASSWORD, AWS_SECRET_ACCESS_KEY. */
const SECRET_NAME =
  /(^|_)(tokens?|secrets?|pass|pwd|pat|jwt|bearer|cookie|dsn|auth|credentials?|apikeys?|connection_?string)(_|\d*$)|(^|_)(?<!public_)keys?(_id|_base)?$|passw(or)?d|passphrase|sshpass|(token|secret)$/i
/** Names that look like one and are none: folders. */
const NO_SECRET = /^(OLD)?PWD$/i
/** Values that are no secret whatever their name says: numbers, switches, the place of a file or a socket, an address. */
const PLAIN_VALUE = /^(\d{0,9}|true|false|yes|no|on|off|none|auto|\/.*|~\/.*|[a-z]:\\.*|https?:\/\/[^@?]*)$/is

/**
 * Gives a child everything that Sotto was started with, except the variables from which Sotto reads providers' keys,
 * those that are for Sotto alone, and those that look like secrets, unless the user passes them on by name.
 */
export function childEnvironment(
  env: Environment,
  { pass = [] }: ChildEnvironmentOptions = {},
): ChildEnvironment {
  const kept = Object.entries(env).filter(
    ([name, value]) => !isOwn(name) && (pass.includes(name) || !isSecret(name, value ?? "")),
  )
  return Object.fromEntries(kept) as ChildEnvironment
}

/** Names the variables that no child gets. */
export function withheldFrom(
  env: Environment,
  { pass = [] }: ChildEnvironmentOptions = {},
): readonly string[] {
  return Object.entries(env)
    .filter(
      ([name, value]) => value !== undefined && !isOwn(name) && !pass.includes(name) && isSecret(name, value),
    )
    .map(([name]) => name)
    .sort()
}

/** Adds variables that the configuration gives this child by name. They may hold a key: the user put it there. */
export function withVariables(env: ChildEnvironment, given: Environment = {}): ChildEnvironment {
  return { ...env, ...given } as ChildEnvironment
}

/** Keeps programs whose output a model reads from colours, questions and pagers. */
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

function isOwn(name: string): boolean {
  return OWN.has(name.toUpperCase())
}

/** Names count whatever their case: Windows does not tell them apart, and `openai_api_key` holds a key as well. */
function isSecret(name: string, value: string): boolean {
  if (KEY_VARIABLES.has(name.toUpperCase())) return true
  if (SECRET_NAME.test(name) && !NO_SECRET.test(name) && !PLAIN_VALUE.test(value)) return true
  return SECRET_PATTERNS.some(({ pattern }) => value.search(pattern) >= 0)
}
