import { SottoError } from "../vocabulary/errors.js"

/** What is said to a caller who got the order of things wrong. */
export const refusals = {
  noReplyAwaited: (requestId: string, awaited: string | undefined) =>
    new SottoError(
      "no-reply-awaited",
      `No request ${requestId} is waiting for a reply.`,
      awaited === undefined ? "Call next() first." : `The one that is: ${awaited}.`,
    ),
  nothingSent: () =>
    new SottoError(
      "nothing-sent",
      "The model has answered no request of this session yet.",
      "Ask with a transcript: pastOf(session) lists what was said.",
    ),
  unknownCall: (callId: string, open: readonly string[]) =>
    new SottoError(
      "unknown-call",
      `No call "${callId}" waits for a result.`,
      open.length > 0 ? `Answer one of: ${open.join(", ")}.` : "Give each call of next() one result.",
    ),
  gap: (seq: number) =>
    new SottoError("damaged-log", `follow: entry ${seq} is missing.`, "Pass every entry, in order."),
  lastCarrier: () =>
    new SottoError(
      "not-refusable",
      "There is no carrier after user-text.",
      "The request failed for another reason: look at the provider's answer.",
    ),
  unknownCarrier: (carrier: string) =>
    new SottoError(
      "bad-input",
      `refuseCarrier: carrier is "${carrier}", which the model does not have.`,
      "Pass what refusedCarrier(error) returned.",
    ),
  emptySummary: () => new SottoError("bad-options", "The summary is empty.", "Pass one that says something."),
  rewindWhile: (phase: string) =>
    new SottoError("not-idle", `The session cannot go back while it is ${phase}.`, "Abort the turn first."),
  noPrompt: (id: string) =>
    new SottoError(
      "unknown-prompt",
      `No turn was opened by a message "${id}".`,
      "Take a message of view() that opened a turn.",
    ),
  nothingToRedo: () =>
    new SottoError(
      "nothing-to-redo",
      "There is no rewind to take back, or something was said since.",
      "A rewind is taken back before anything new is said.",
    ),
  idTaken: (id: string) =>
    new SottoError(
      "id-taken",
      `The id "${id}" belongs to something else.`,
      "The same message has the same words and origin. Give another one another id.",
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
      "Import when next() answers idle.",
    ),
  badNonce: (isRepeated: boolean) =>
    new SottoError(
      "bad-input",
      isRepeated ? "newId() gave the same id twice." : "newId() gave an id that cannot be a nonce.",
      "Have it give another id each time, of letters, digits, _ and -.",
    ),
  reentrant: () =>
    new SottoError(
      "reentrant",
      "A command was called while another one was running.",
      "Inside onAppend, rules, countTokens, now and newId call no commands: only ask.",
    ),
  notSynchronous: (what: string) =>
    new SottoError(
      "not-synchronous",
      `${what} returned a promise.`,
      "Have it return when it is done. With an asynchronous store, collect the entries and await the store before you act on next().",
    ),
} as const
