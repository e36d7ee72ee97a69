/**
 * What secrets look like. Pure data, without any import, so that a package that owns no disk and no network can use it.
 *
 * Every pattern reads a text once: no repetition stands inside another, and what precedes a literal is bounded. A pattern
 * that would need more than its shape to be sure (`password = …`) keeps what stands before the secret in its first group.
 */
export interface SecretPattern {
  readonly name: string
  /** Matches one; it has the flag `g`. */
  readonly pattern: RegExp
}

/** A value that is written out: no variable, no call, no placeholder, no sentence. */
const VALUE = "[^\\s\"'`,;(){}<>$*\\\\\\[\\]]"
const QUOTE = "\\\\{0,4}[\"']"
/** Between the name of a field and its value, in code, JSON, JSON within JSON, YAML, a shell or a header. */
const IS = `(?:${QUOTE})?\\s{0,4}(?:=>|=|:)\\s{0,4}`
/** A digit within reach: most words have none, most keys have many. */
const WITH_DIGIT = `(?=${VALUE}{0,120}\\d)`
/** Code that says where the value comes from: `process.env.X`, `read(…)`, `list[0]`, a template. */
const NO_CODE = `(?!(?:[A-Za-z_][\\w-]{0,40}\\.){1,4}[A-Za-z_])(?!${VALUE}{0,256}[({<$*\\[])`

const PASSWORDS = "password|passwd|passphrase|pwd"
const SECRETS =
  "api[_-]?key|apikey|access[_-]?key(?:[_-]?id)?|account[_-]?key|secret(?:[_-]?key)?|client[_-]?secret|private[_-]?key|auth[_-]?token|access[_-]?token|refresh[_-]?token|token|credentials?"

const PASSWORD_FIELD = new RegExp(`(?:${PASSWORDS})$`, "i")
const SECRET_FIELD = new RegExp(`(?:${SECRETS})$`, "i")

/** True if a field by this name holds a secret of this shape: `{"password": "hunter"}`. */
export function isSecretField(name: string, value: string): boolean {
  if (/\s/.test(value)) return false
  if (PASSWORD_FIELD.test(name)) return value.length >= 4
  return SECRET_FIELD.test(name) && value.length >= 8 && /\d/.test(value)
}

/** Every kind of secret that is known by its shape. */
export const SECRET_PATTERNS: readonly SecretPattern[] = [
  {
    name: "private key",
    pattern:
      /-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----(?:[\s\\nr]{0,8}(?:Proc-Type|DEK-Info|Version|Comment): [^\n\\]{1,100}){0,3}[A-Za-z0-9+/=\s\\]{40,}(?:-----END [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----)?/g,
  },
  {
    name: "address with a password",
    pattern: /\b([a-z][a-z0-9+.-]{1,20}:\/\/)[^\s/:@"'<>]{0,100}:[^\s/@"'<>]{1,256}(?=@)/gi,
  },
  { name: "API key (sk-)", pattern: /\bsk-(?=[A-Za-z_-]{0,60}\d)[A-Za-z0-9_-]{16,256}/g },
  { name: "Google API key", pattern: /\bAIza[0-9A-Za-z_-]{35}/g },
  { name: "Google OAuth", pattern: /\b(?:ya29\.[0-9A-Za-z_-]{20,1024}|GOCSPX-[0-9A-Za-z_-]{20,64})/g },
  { name: "GitHub", pattern: /\b(?:gh[pousr]_[0-9A-Za-z]{20,255}|github_pat_[0-9A-Za-z_]{20,255})/g },
  { name: "GitLab", pattern: /\bgl(?:pat|dt|rt|cbt|ptt|oas|soat)-[0-9A-Za-z_-]{20,255}/g },
  { name: "Slack", pattern: /\bxox[abeoprs]-[0-9A-Za-z-]{10,255}|\bxapp-[0-9A-Za-z-]{20,255}/g },
  {
    name: "Slack webhook",
    pattern: /\bhttps:\/\/hooks\.slack\.com\/(?:services|workflows)\/[0-9A-Za-z/_-]{20,255}/g,
  },
  {
    name: "Discord webhook",
    pattern: /\bhttps:\/\/(?:\w{1,20}\.)?discord(?:app)?\.com\/api\/webhooks\/\d{5,25}\/[\w-]{30,255}/g,
  },
  { name: "AWS", pattern: /\b(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}\b/g },
  {
    name: "JSON web token",
    pattern: /\beyJ[0-9A-Za-z_-]{8,8192}\.eyJ[0-9A-Za-z_-]{8,16384}\.[0-9A-Za-z_-]{8,8192}/g,
  },
  { name: "npm", pattern: /\bnpm_[0-9A-Za-z]{36}\b/g },
  { name: "Hugging Face", pattern: /\bhf_[0-9A-Za-z]{30,64}\b/g },
  { name: "Stripe", pattern: /\b(?:[sr]k_(?:live|test)_[0-9A-Za-z]{16,255}|whsec_[0-9A-Za-z]{24,255})/g },
  { name: "SendGrid", pattern: /\bSG\.[\w-]{16,32}\.[\w-]{32,64}/g },
  { name: "PyPI", pattern: /\bpypi-AgE[\w-]{50,1024}/g },
  { name: "DigitalOcean", pattern: /\bdo[opr]_v1_[0-9a-f]{64}\b/g },
  { name: "Shopify", pattern: /\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}\b/g },
  { name: "Groq, xAI, Linear", pattern: /\b(?:gsk_|xai-|lin_api_)[0-9A-Za-z]{32,255}/g },
  { name: "Atlassian", pattern: /\bATATT3[\w=-]{50,512}/g },
  { name: "Telegram", pattern: /\b\d{8,10}:AA[\w-]{33}\b/g },
  { name: "age", pattern: /\bAGE-SECRET-KEY-1[0-9A-Z]{58}\b/g },
  { name: "Azure client secret", pattern: /\b[\w~.-]{3}[78]Q~[\w~.-]{31,34}/g },
  {
    name: "header",
    pattern: new RegExp(
      `\\b((?:proxy-)?authorization|x-api-key|x-goog-api-key|api-key|x-auth-token)(${IS}(?:${QUOTE})?)((?:bearer|basic|token)\\s{1,4})?${NO_CODE}${VALUE}{8,4096}`,
      "gi",
    ),
  },
  { name: "bearer token", pattern: /\b(bearer\s{1,4})(?=[\w.~+/=-]{0,200}\d)[\w.~+/=-]{16,4096}/gi },
  {
    name: "query",
    pattern:
      /([?&](?:key|k|api_?key|access_token|auth_token|token|sig|signature|x-amz-signature|secret|password|client_secret)=)[^&\s"'`<>${}\\]{8,2048}/gi,
  },
  {
    name: "quoted password",
    pattern: new RegExp(`\\b([\\w-]{0,40}(?:${PASSWORDS})${IS}${QUOTE})${VALUE}{4,256}(?=${QUOTE})`, "gi"),
  },
  {
    name: "password=",
    pattern: new RegExp(`\\b([\\w-]{0,40}(?:${PASSWORDS})=)${NO_CODE}${VALUE}{4,256}`, "gi"),
  },
  {
    name: "assigned secret",
    pattern: new RegExp(
      `\\b([\\w-]{0,40}(?:${PASSWORDS}|${SECRETS})${IS}(?:${QUOTE})?)${NO_CODE}${WITH_DIGIT}${VALUE}{8,1024}`,
      "gi",
    ),
  },
]
