import { createHash, randomBytes, timingSafeEqual } from "node:crypto"

/** Makes 256 random bits, in characters that fit into a header and an address. */
export function newSecret(): string {
  return randomBytes(32).toString("base64url")
}

/** Compares in a time that tells nothing about where the two differ. */
export function isSame(given: string, secret: string): boolean {
  return timingSafeEqual(
    createHash("sha256").update(given).digest(),
    createHash("sha256").update(secret).digest(),
  )
}
