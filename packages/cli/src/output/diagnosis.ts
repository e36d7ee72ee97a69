import type { CacheCause, StepDiagnosis } from "@sotto/core/economy"
import type { CacheDiagnosis } from "@sotto/inspector"

/** Puts both into words. */
export function wordedDiagnosis({ diagnostics, causes, agrees }: StepDiagnosis): CacheDiagnosis {
  const { reason = "nothing changed", tokens } = diagnostics
  return {
    provider: `${reason}${tokens === undefined ? "" : `, ${tokens.toLocaleString("en")} tokens missed`}`,
    sotto: wordedCauses(causes),
    ...(agrees === false && { remedy: diagnostics.reason === undefined ? UNSEEN : UNEXPLAINED }),
  }
}

const UNEXPLAINED =
  "they disagree: something between Sotto and the provider may change requests. Record what arrives behind it with `sotto proxy`, and run `sotto check` on it"
const UNSEEN =
  "they disagree: the provider may have compared with another request. See whether something between Sotto and the provider answers in its place"

const OWN: Partial<Readonly<Record<CacheCause, string>>> = {
  tool_choice: "forbids or allows calls again, which Anthropic takes for a change",
  images: "the first image, which Anthropic takes for a change",
  pause: "a pause that was longer than the cache is kept",
}

function wordedCauses(causes: readonly CacheCause[]): string {
  const rebases = causes.filter((cause) => OWN[cause] === undefined)
  const words = [
    ...(rebases.length === 0 ? [] : [`a rebase (${rebases.join(", ")})`]),
    ...causes.flatMap((cause) => OWN[cause] ?? []),
  ]
  return words.length === 0 ? "sent the same bytes" : words.join("; ")
}
