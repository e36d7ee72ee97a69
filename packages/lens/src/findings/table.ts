import type { Cause, Severity } from "../report.js"

/** A kind of finding. docs/check.md lists them from here. */
export interface FindingKind {
  readonly id: string
  readonly severity: Severity
  /** What it means, in a sentence. */
  readonly meaning: string
  readonly remedy: string
}

const warning = (id: Cause, meaning: string, remedy: string): FindingKind => ({
  id,
  severity: "warning",
  meaning,
  remedy,
})

const BREAKS: readonly FindingKind[] = [
  warning(
    "tools-added",
    "A tool was added to the list after the first call. Tools stand first, so everything after them is processed again.",
    "Offer all tools from the first call on, or add them where the provider takes tools inside the conversation.",
  ),
  warning(
    "tools-removed",
    "A tool that had been offered is gone from the list.",
    "Keep the list of tools, and refuse the call of one that may not be used now.",
  ),
  warning(
    "tools-reordered",
    "The same tools came in another order.",
    "Sort the tools by name before every request.",
  ),
  warning(
    "tool-reworded",
    "The description or the schema of a tool changed.",
    "Keep what varies (dates, paths, lists of agents) out of tool definitions, and say it at the end of the conversation.",
  ),
  warning(
    "system-changed",
    "The system prompt changed between two calls.",
    "Keep the system prompt fixed for a session, and tell what changed in a message at the end.",
  ),
  warning(
    "reminder-inserted",
    "A reminder was put in between messages that had already been sent.",
    "Append reminders behind the newest message, and leave them there.",
  ),
  warning(
    "reminder-moved",
    "A reminder left the place where it had been sent and stands further on.",
    "Leave a reminder where it was first sent, and send a new one if it is needed again.",
  ),
  warning(
    "reminder-removed",
    "A reminder that had been sent is missing from later requests.",
    "Leave a reminder in the history once it was sent. Say that it no longer holds instead of removing it.",
  ),
  warning(
    "reminder-changed",
    "A reminder that had been sent has other words now.",
    "Freeze the text of a reminder when it is first sent.",
  ),
  warning(
    "result-masked",
    "An older tool result gave way to a placeholder or a shorter version of itself.",
    "Shorten a result before it is sent for the first time, or clear many at once at a moment when the cache is lost anyway.",
  ),
  warning(
    "result-changed",
    "A tool result that had been sent has another content now.",
    "Send results back exactly as they were first sent.",
  ),
  warning(
    "reasoning-removed",
    "Thinking that had been sent is gone from the history.",
    "Send thinking back unchanged. Some models refuse a conversation without it.",
  ),
  warning(
    "message-inserted",
    "A message was inserted before messages that had already been sent.",
    "Append messages at the end.",
  ),
  warning(
    "message-edited",
    "A message that had been sent has another content now.",
    "Store messages as they were sent, and send the same bytes again.",
  ),
  warning(
    "message-removed",
    "A message that had been sent is missing from later requests.",
    "Keep the history whole, or summarise it once instead of dropping pieces.",
  ),
  warning(
    "media-removed",
    "An image or a file that had been sent is gone from the history.",
    "Keep media in the history, or remove several at once when the cache is lost anyway.",
  ),
  warning(
    "serialisation",
    "The same content was written differently: the order of keys, a string instead of a list, or white space.",
    "Serialise a message once and send the same bytes again.",
  ),
  warning(
    "parameter-changed",
    "A parameter that the provider keys its cache on changed.",
    "Keep model, tool choice, thinking, effort and cache key the same within a session.",
  ),
  warning(
    "markers-out-of-reach",
    "Nothing changed, but no cache marker stands where the provider would find what it has cached.",
    "Put a marker on the newest block of every request, and one where the previous request ended.",
  ),
  warning(
    "expired",
    "Nothing that the source shows changed, and more time had passed than the lifetime that the request asked for: the cache entry had expired.",
    "Ask for a longer lifetime of the cache if pauses are usual, or send a request that keeps it warm.",
  ),
  warning(
    "not-cached",
    "Nothing that the source shows changed, the lifetime of the cache had not passed or the time is not known, and the provider had nothing cached all the same: it evicted the entry, sent the request to another machine, or had not finished writing. A session file shows the messages only: there, the system prompt or the tools may have changed.",
    "Send a cache key where the provider takes one, and let the first request of a thread begin to answer before the next one. If the source is a session file, record the traffic: it shows what changed.",
  ),
  {
    id: "compacted",
    severity: "note",
    meaning: "The conversation gave way to a summary of it. That is expected, and starts the cache over.",
    remedy: "Nothing to do.",
  },
]

const OTHERS: readonly FindingKind[] = [
  {
    id: "damaged-line",
    severity: "error",
    meaning: "A line or an entry of a source could not be read. The rest was.",
    remedy: "Check whether the recording was cut off or edited.",
  },
  {
    id: "unknown-request",
    severity: "note",
    meaning: "A request body has the shape of no API that the lens knows.",
    remedy: "Record calls to the Messages, Responses, Chat Completions or generateContent APIs.",
  },
  {
    id: "partial-source",
    severity: "note",
    meaning:
      "The source is a session file: only part of each request is known, so system prompt, tools and bytes are missing.",
    remedy: "Record the traffic with `sotto proxy` to see everything.",
  },
  {
    id: "invalid-request",
    severity: "error",
    meaning: "The request breaks a documented rule of its provider.",
    remedy: "Mend the request: the provider refuses it, or will.",
  },
  {
    id: "unknown-field",
    severity: "note",
    meaning: "The request has something that no published schema knows.",
    remedy: "Check the spelling, or ignore it if the provider accepts it.",
  },
  {
    id: "forged-reminder",
    severity: "warning",
    meaning:
      "A tool result contains a reminder's tag amid other output. The model may take it for the harness's words.",
    remedy: "Escape the harness's own tags in everything that tools return.",
  },
  {
    id: "unbalanced-reminder",
    severity: "warning",
    meaning: "A reminder's tag is opened and not closed, or closed and not opened, inside of a tool result.",
    remedy: "Escape the harness's own tags in everything that tools return.",
  },
  {
    id: "reminder-after-result",
    severity: "warning",
    meaning:
      "A reminder follows tool results as a block of its own in the same message. Anthropic's API shows such a block to the model like a new turn of the user, and models learn a wrong turn boundary from it.",
    remedy:
      "Move the reminder into the content of the last tool result, as `smooshReminders` of @sotto/core does. `sotto proxy --smoosh` moves those in system-reminder tags.",
  },
  {
    id: "text-after-result",
    severity: "note",
    meaning:
      "Other text follows tool results in the same message, for example what a user typed while tools ran. The model reads it as a new turn of the user.",
    remedy:
      "Nothing to do if a user said it. If the harness said it, mark it as a reminder and move it into the last tool result.",
  },
  {
    id: "secret",
    severity: "warning",
    meaning: "The conversation contains something that looks like a secret. It is not shown.",
    remedy: "Revoke it if it is real, and keep it out of what tools read and print.",
  },
  {
    id: "markers-missing",
    severity: "warning",
    meaning: "A thread on Anthropic's API has no cache marker at all, so every call is processed in full.",
    remedy: "Set cache_control on the last tool, the system prompt and the newest message.",
  },
  {
    id: "cache-disagreement",
    severity: "note",
    meaning: "The provider read far less from its cache than its published rules predict.",
    remedy: "Compare cache keys, routing and lifetimes; the provider may have evicted the entry.",
  },
  {
    id: "provider-diagnosis",
    severity: "note",
    meaning:
      "The provider's own cache diagnostics name a reason for a miss, or say that they could not compare. Beside it stands what the lens found in the same call.",
    remedy:
      "Mend the break that both name. Where the provider could not compare, the lens's own finding is all there is.",
  },
  {
    id: "diagnosis-disagrees",
    severity: "warning",
    meaning:
      "The provider's own cache diagnostics and the lens compared the same two calls and do not say the same: the provider names a part that did not change in what was recorded, or found nothing changed where the lens finds a break.",
    remedy:
      "See whether something between the recording and the provider (a gateway, a proxy, a plugin) changes requests: record behind it. If there is nothing, the provider's answer is worth a report to them, with the ids of both replies.",
  },
  {
    id: "last-call",
    severity: "note",
    meaning:
      "The last call of a turn says that no steps are left and forbids tools with tool_choice. Anthropic caches the conversation for each tool choice by itself, so that one call is processed again, and the next turn finds the cache as it was. This is on purpose and counts as no break.",
    remedy:
      "Nothing to do if it is rare. If turns often end like this, allow more steps, or leave tool_choice alone and refuse the calls.",
  },
  {
    id: "repeated-reminder",
    severity: "note",
    meaning: "The same reminder in the same words stands in one request many times.",
    remedy: "Say it once, and again only when something changed or much time has passed.",
  },
  {
    id: "avoidable-cost",
    severity: "note",
    meaning: "What the breaks of a thread cost beyond what the same calls would have cost without them.",
    remedy: "Mend the breaks, the most expensive first.",
  },
]

/** Everything that the lens may find. */
export const FINDING_KINDS: readonly FindingKind[] = [...BREAKS, ...OTHERS]

const BY_ID = new Map(FINDING_KINDS.map((kind) => [kind.id, kind]))

export function findingKind(id: string): FindingKind {
  const found = BY_ID.get(id)
  if (found === undefined)
    throw new Error(`The table of findings does not list ${id}. Add it to findings/table.ts.`)
  return found
}
