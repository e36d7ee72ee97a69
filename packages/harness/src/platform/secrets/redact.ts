export { redact } from "@sotto/core/secrets"
