import { field, listField } from "../dialect.js"
import { Fingerprint } from "../fingerprint.js"
import { withoutMarkers } from "../problems.js"

const PREFIX = "sotto-rehearsal."

/** The signature that a rehearsal gives thinking in its reply to this body: it holds for this very prefix. */
export function signThinking(body: unknown): string {
  return prefixSignatures(body)(listField(body, "messages").length)
}

/** Whether a signature is one that can be checked at all: those of the real API cannot. */
export function isCheckable(signature: string): boolean {
  return signature.startsWith(PREFIX)
}

/** The signature that thinking in message `index` has to carry; to be asked in ascending order. */
export function prefixSignatures(body: unknown): (index: number) => string {
  const messages = listField(body, "messages")
  // Only made when somebody asks: most traffic has no signature that can be checked.
  let print: Fingerprint | undefined
  let added = 0
  return (index) => {
    const fixed = [field(body, "model"), field(body, "system"), field(body, "tools")]
    print ??= new Fingerprint().add(fixed.map(withoutMarkers).join("\n"))
    for (; added < index; added++) print.add(withoutMarkers(messages[added]))
    return PREFIX + print.toString()
  }
}
