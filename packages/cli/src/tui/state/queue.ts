import type { Session } from "@sotto/core"
import { wordsOf } from "./restore.js"
import type { WaitingMessage } from "./screen.js"

/** What the person has said in a session and the model has not been given, oldest first. */
export function waitingIn(session: Session): readonly WaitingMessage[] {
  return session
    .queue()
    .filter(({ origin, hidden }) => origin.kind === "human" && !hidden)
    .map(({ id, content, delivery, held }) => ({ id, text: wordsOf(content), delivery, held }))
}
