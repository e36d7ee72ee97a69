import { knownSecrets } from "../../models/known-secrets.js"
import { redact } from "../../platform/secrets/redact.js"
import type { Environment } from "../../platform/workspace/folders.js"
import type { HarnessEvent } from "./events.js"

/**
 * Removes keys from errors and notices: they quote the server they are about, and some servers quote the key they were sent. Content
 * stays exactly as it is.
 */
export function withoutKeys(event: HarnessEvent, env: Environment): HarnessEvent {
  switch (event.type) {
    case "error":
    case "notice":
      return { ...event, message: redact(event.message, knownSecrets(env)) }
    case "retry":
      return { ...event, reason: redact(event.reason, knownSecrets(env)) }
    default:
      return event
  }
}
