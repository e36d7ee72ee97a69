import { SottoError } from "../errors.js"

/** What is said to a caller who got the order of things wrong. */
export const refusals = {
  noReplyAwaited: (requestId: string, awaited: string | undefined) =>
    new SottoError(
      "no-reply-awaited",
      `No request ${requestId} is waiting for a reply.`,
      awaited === undefined ? "Call next() first." : `The one that is: ${awaited}.`,
    ),
  unknownCall: (callId: string, open: readonly string[]) =>
    new SottoError(
      "unknown-call",
      `No call "${callId}" waits for a result.`,
      open.length > 0
        ? `Answer one of: ${open.join(", ")}.`
        : "Ask next() which calls to make, and give each one result.",
    ),
  gap: (seq: number) =>
    new SottoError(
      "damaged-log",
      `follow: the entries leave out entry ${seq}.`,
      "Pass every entry of the log, in order.",
    ),
  lastCarrier: () =>
    new SottoError(
      "not-refusable",
      "There is no carrier after user-text.",
      "If even that is refused, the request failed for another reason: look at the provider's answer.",
    ),
  unknownCarrier: (carrier: string) =>
    new SottoError(
      "bad-input",
      `refuseCarrier: carrier is "${carrier}", which the model does not have.`,
      "Pass what refusedCarrier(error) returned, or a carrier that the model's capabilities list.",
    ),
  emptySummary: () =>
    new SottoError("bad-options", "The summary is empty.", "Keep the conversation until there is one."),
  rewindWhile: (phase: string) =>
    new SottoError(
      "not-idle",
      `The session cannot go back while it is ${phase}.`,
      "Abort the turn first, or wait for its end.",
    ),
  noPrompt: (id: string) =>
    new SottoError(
      "unknown-prompt",
      `No turn was opened by a message "${id}".`,
      "Go back to one of the user's messages in view() that opened a turn.",
    ),
  idTaken: (id: string) =>
    new SottoError(
      "id-taken",
      `The id "${id}" belongs to something else that was said or done.`,
      "Repeat a message with the same words and origin, or give another one an id of its own.",
    ),
  unknownKind: (kind: string) =>
    new SottoError(
      "unknown-kind",
      `There is no rule of the kind "${kind}".`,
      "Use one of the kinds in the ledger.",
    ),
  importWhile: (phase: string) =>
    new SottoError(
      "not-idle",
      `Messages cannot be imported while the session is ${phase}.`,
      "Import before the first prompt, or when next() answers idle.",
    ),
  badNonce: (isRepeated: boolean) =>
    new SottoError(
      "bad-input",
      isRepeated ? "newId() gave the same id twice." : "newId() gave an id that cannot be a nonce.",
      "Have it give another id each time, of letters, digits, _ and -; or leave `nonce` off.",
    ),
  reentrant: () =>
    new SottoError(
      "reentrant",
      "A command was called while another one of the same session was running.",
      "Inside onAppend, rules, countTokens, now and newId only ask; call commands once the running one has returned.",
    ),
  notSynchronous: (what: string) =>
    new SottoError(
      "not-synchronous",
      `${what} returned a promise.`,
      "Have it return when it is done. For an asynchronous store, collect the entries in onAppend and await the store before acting on what next() returns.",
    ),
} as const
