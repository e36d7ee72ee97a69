import type { Mend } from "@sotto/lens"

/** What a policy did to a request. */
export interface MendResult {
  /** The text that went out, if it is another one. */
  readonly body?: string
  readonly mends: readonly Mend[]
  readonly fellBack?: string
}
