import { PROVIDERS } from "./providers.js"

/** The variables that Sotto itself reads as providers' keys. Their values go to the provider and to nobody else. */
export const KEY_VARIABLES: ReadonlySet<string> = new Set(
  Object.values(PROVIDERS).flatMap(({ keys }) => [...keys]),
)
