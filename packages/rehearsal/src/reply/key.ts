import { createHash } from "node:crypto"

/** Makes the same key for the same request, so that a retry gets the same ids. */
export function keyOf(body: unknown): string {
  return createHash("sha256")
    .update(JSON.stringify(body) ?? "")
    .digest("hex")
    .slice(0, 24)
}
