/** What a person decided about a call. */
export type Decision =
  | { readonly is: "allow" }
  /** What was asked, for the rest of the session; with a pattern, also what is like it. */
  | { readonly is: "session"; readonly pattern?: string }
  | { readonly is: "no"; readonly words: string }

const ALLOW = /^(?:allow|yes|y|once|ok|okay|allow once)$/i
const SESSION = /^(?:session|always|allow (?:for (?:this|the) )?session|allow always)$/i
const APPROVE =
  /^(?:approved?|yes|y|allow|ok|okay)(?:,? and (?:(accept edits)|(ask before each edit|ask)))?$/i

/** What an approved plan means for the edits that follow: as they were before, all accepted, or each asked about. */
export interface Approval {
  readonly edits: "as before" | "accept" | "ask"
}

/**
 * Reads an answer to a permission question. Only an exact answer allows: "yes, but rename it first" is a wish about
 * something else than what was asked, so the call does not run and the model gets the words.
 */
export function permissionAnswer(answer: string): Decision {
  const text = exact(answer)
  if (ALLOW.test(text)) return { is: "allow" }
  if (SESSION.test(text)) return { is: "session" }
  const pattern = /^always\s+(\S.*)$/i.exec(answer.trim())?.[1]
  if (pattern !== undefined) return { is: "session", pattern }
  const denied = /^(?:deny|no|n)(?:[\s:,.!]+(.*))?$/is.exec(answer.trim())
  return { is: "no", words: denied ? (denied[1] ?? "").trim() : answer.trim() }
}

/** Reads an answer to a plan; undefined if it is not approved as it stands. "Ok, but rename it first" asks for a change. */
export function planApproval(answer: string): Approval | undefined {
  const found = APPROVE.exec(exact(answer))
  if (found === null) return undefined
  const [, accept, ask] = found
  return { edits: accept ? "accept" : ask ? "ask" : "as before" }
}

/** Removes the full stop that some people put after one word. */
function exact(answer: string): string {
  return answer.trim().replace(/[.!]$/, "").replaceAll(/\s+/g, " ")
}
