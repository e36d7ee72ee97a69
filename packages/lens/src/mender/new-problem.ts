import { BINDING_BETA } from "@sotto/core/anthropic"
import { problemsOf } from "../problems/validate.js"
import type { OriginalRequest } from "./contract.js"
import type { Sheet } from "./sheet.js"

/** An error of the mended body that the original does not have, in the provider's words. */
export function newProblem(request: OriginalRequest, mended: string, sheet: Sheet): string | undefined {
  const { betas } = request
  const all = betas === undefined ? undefined : [...betas, BINDING_BETA]
  const errors = (body: unknown) =>
    problemsOf(
      { source: "", number: 0, body, ...(all && { betas: all }) },
      sheet.dialect,
      sheet.model,
    ).filter(({ severity }) => severity === "error")
  const found = errors(JSON.parse(mended))
  if (found.length === 0) return undefined
  // Places move with what is inserted; what is wrong stays the same.
  const kind = ({ message }: { readonly message: string }) => message.replaceAll(/\d+/g, "#")
  const known = new Map<string, number>()
  for (const one of errors(sheet.body)) known.set(kind(one), (known.get(kind(one)) ?? 0) + 1)
  return found.find((one) => {
    const left = known.get(kind(one)) ?? 0
    known.set(kind(one), left - 1)
    return left <= 0
  })?.message
}
