import { PAGE_POLICY } from "@sotto/inspector"

/** For every answer. What the page loads is its own; nothing is told to other sites. */
export const HEADERS = {
  "content-security-policy": PAGE_POLICY,
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
} as const
