import { PROVIDERS } from "./providers.js"

/** The environment variables from which Sotto reads providers' keys, and its own token. No child process needs them. */
export const KEY_VARIABLES: ReadonlySet<string> = new Set([
  ...Object.values(PROVIDERS).flatMap(({ keys }): readonly string[] => keys),
  "ANTHROPIC_AUTH_TOKEN",
  "SOTTO_TOKEN",
])
