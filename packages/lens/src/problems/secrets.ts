import { SECRET_PATTERNS } from "@sotto/core/secrets"
import type { Segment } from "../segments/segment.js"
import { wordsOf } from "../segments/words.js"

/** Any of the words without which no pattern matches: most texts have none of them, and are done at once. */
const WORTH_A_LOOK =
  /-----BEGIN|:\/\/[^\s/]{0,100}:|sk-|AIza|ya29|GOCSPX|gh[pousr]_|github_pat|gl[a-z]{2,4}-|xox|xapp|hooks\.slack|webhooks|A[KSBC]IA|ACCA|eyJ|npm_|hf_|[sr]k_|whsec|SG\.|pypi-|do[opr]_v1|shp|gsk_|xai-|lin_api|ATATT|:AA|AGE-|Q~|authorization|api[-_]?key|token|bearer|pass|pwd|secret|credential|access[-_]?key|account[-_]?key|private[-_]?key|[?&](?:k|key|sig)/i

/** The names of what looks like a secret in a segment, never the secrets themselves. */
export function secretsIn(segment: Segment): readonly string[] {
  if (segment.section === "tools" || segment.kind === "media" || segment.kind === "reasoning") return []
  const text = segment.kind === "call" ? JSON.stringify(segment.value) : wordsOf(segment)
  if (!WORTH_A_LOOK.test(text)) return []
  return SECRET_PATTERNS.filter(({ pattern }) => text.search(pattern) >= 0).map(({ name }) => name)
}
