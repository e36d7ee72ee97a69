import { hash } from "node:crypto"

/** Returns the key that a text of a file is kept under. */
export function textHash(text: string): string {
  return hash("sha256", text)
}
