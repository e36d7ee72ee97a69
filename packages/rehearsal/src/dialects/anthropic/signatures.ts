import type { Problem } from "@sotto/core"
import { listField } from "@sotto/core/dialect"
import { signThinking } from "@sotto/core/testing"
import { textAt } from "../../json.js"

/** How every signature of the rehearsal begins. */
const OWN = signThinking({}).replace(/\..*/, ".")

/**
 * Notes thinking that the rehearsal did not sign. The validator checks the signatures of the rehearsal itself. Any other
 * may be a real one, of a recording or of a session that began elsewhere, and cannot be checked here.
 */
export function foreignSignatures(body: unknown): readonly Problem[] {
  return listField(body, "messages").flatMap((message, i) =>
    listField(message, "content").flatMap((block, j): readonly Problem[] => {
      const signature = textAt(block, "signature")
      if (textAt(block, "type") !== "thinking" || signature === "" || signature.startsWith(OWN)) return []
      const path = `messages.${i}.content.${j}`
      const message = `${path}: the \`signature\` of this \`thinking\` block is not the rehearsal's, and was not checked`
      return [{ path, message, severity: "note" }]
    }),
  )
}
