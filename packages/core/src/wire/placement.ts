import type { Capabilities } from "./capabilities.js"

/** What decides where things go, pinned for the epoch. */
export interface Placement {
  /** What the model takes. */
  readonly capabilities: Capabilities
  /** Makes the tags of this session unlike those of any other. */
  readonly nonce?: string
  /** Whether what may be snipped carries an `[id:…]` tag. */
  readonly idTags: boolean
}
