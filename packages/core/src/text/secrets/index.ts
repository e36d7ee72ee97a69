/** What secrets look like, and texts without them. Pure, so that every package can use it. */
export { isSecretField, SECRET_PATTERNS, type SecretPattern } from "./patterns.js"
export { redact, type SecretNamer } from "./redact.js"
