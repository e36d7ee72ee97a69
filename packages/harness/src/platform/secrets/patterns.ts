export { isSecretField, SECRET_PATTERNS } from "@sotto/core/secrets"
