import type { Mender, MendingPolicy } from "@sotto/lens"

/** Stands in until the lens brings the mender along. */
export function createMender(_policy: MendingPolicy, _options: { readonly saved?: string } = {}): Mender {
  return { mend: ({ body }) => ({ body, mends: [] }), save: () => "{}" }
}
