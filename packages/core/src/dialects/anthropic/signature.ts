import { Fingerprint } from "../../text/fingerprint.js"
import { field, listField } from "../../vocabulary/fields.js"
import { withoutMarkers } from "../problems.js"

const PREFIX = "sotto-rehearsal."

/** The fingerprint of the conversation, a seal that proves it was not made up, and the fingerprint of the thinking. */
const FORM = /^sotto-rehearsal\.([0-9a-f]{16})([0-9a-f]{16})([0-9a-f]{16})?$/

/**
 * Signs the thinking of a rehearsal's reply to this body. The signature holds for this very prefix, and, where the
 * thinking is given, for this very text.
 */
export function signThinking(body: unknown, thinking?: string): string {
  const print = prefixPrints(body)(listField(body, "messages").length)
  return PREFIX + print + seal(print) + (thinking === undefined ? "" : seal(print, thinking))
}

/** True if a signature can be checked at all: those of the real API cannot. */
export function isCheckable(signature: string): boolean {
  return signature.startsWith(PREFIX)
}

/** True if a rehearsal gave this signature to this thinking, in whatever conversation. */
export function isIssued(signature: string, thinking: string): boolean {
  const [, print = "", sealed, ofText] = FORM.exec(signature) ?? []
  return sealed === seal(print) && (ofText === undefined || ofText === seal(print, thinking))
}

/** True if a signature was given in reply to the conversation with this fingerprint. */
export function isSignedAfter(signature: string, print: string): boolean {
  return FORM.exec(signature)?.[1] === print
}

function seal(print: string, thinking = ""): string {
  return new Fingerprint().add(`thinking after ${print}: ${thinking}`).toString()
}

/** Fingerprints the conversation before message `index`. Ask in ascending order. */
export function prefixPrints(body: unknown): (index: number) => string {
  const messages = listField(body, "messages")
  // Made on the first question: most traffic has no signature that can be checked.
  let print: Fingerprint | undefined
  let added = 0
  return (index) => {
    const fixed = [field(body, "model"), field(body, "system"), field(body, "tools")]
    print ??= new Fingerprint().add(fixed.map(withoutMarkers).join("\n"))
    for (; added < index; added++) print.add(withoutMarkers(messages[added]))
    return print.toString()
  }
}
