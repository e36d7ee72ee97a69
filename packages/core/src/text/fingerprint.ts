/**
 * A fingerprint of a conversation's prefix, for tests and the rehearsal: how a provider would know that anything
 * before a thinking block has changed. Not for secrets: it resists accidents, not attackers.
 */
export class Fingerprint {
  #low = 0x811c9dc5
  #high = 0x9747b28c

  /** Takes in a further piece of the prefix. */
  add(text: string): this {
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i)
      this.#low = Math.imul(this.#low ^ unit, 0x01000193)
      this.#high = Math.imul(this.#high ^ unit, 0x85ebca6b) ^ (this.#low >>> 15)
    }
    return this
  }

  /** Writes 16 hexadecimal digits. */
  toString(): string {
    return [this.#high, this.#low].map((half) => (half >>> 0).toString(16).padStart(8, "0")).join("")
  }
}
