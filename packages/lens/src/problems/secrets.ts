import { SECRET_PATTERNS } from "@sotto/core/secrets"
import type { Segment } from "../segments/segment.js"
import { wordsOf } from "../segments/words.js"

/** Without one of these words, in lower case, a pattern cannot match: looking for them is much faster than the pattern. */
const NEEDS: Readonly<Record<string, readonly string[]>> = {
  "private key": ["private key"],
  "address with a password": ["://"],
  "API key (sk-)": ["sk-"],
  "Google API key": ["aiza"],
  "Google OAuth": ["ya29.", "gocspx-"],
  GitHub: ["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"],
  GitLab: ["glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "gloas-", "glsoat-"],
  Slack: ["xox", "xapp-"],
  "Slack webhook": ["hooks.slack.com"],
  "Discord webhook": ["/api/webhooks/"],
  AWS: ["akia", "asia", "abia", "acca"],
  "JSON web token": ["eyj"],
  npm: ["npm_"],
  "Hugging Face": ["hf_"],
  Stripe: ["k_live_", "k_test_", "whsec_"],
  SendGrid: ["sg."],
  PyPI: ["pypi-"],
  DigitalOcean: ["_v1_"],
  Shopify: ["shp"],
  "Groq, xAI, Linear": ["gsk_", "xai-", "lin_api_"],
  Atlassian: ["atatt3"],
  Telegram: [":aa"],
  age: ["age-secret-key"],
  "Azure client secret": ["q~"],
  header: ["authorization", "api-key", "x-auth-token"],
  "bearer token": ["bearer"],
  query: ["?", "&"],
  "quoted password": ["pass", "pwd"],
  "password=": ["pass", "pwd"],
  "assigned secret": ["pass", "pwd", "key", "secret", "token", "credential"],
}

/** Names what looks like a secret in a segment; never gives the secrets themselves. */
export function secretsIn(segment: Segment): readonly string[] {
  if (segment.section === "tools" || segment.kind === "media" || segment.kind === "reasoning") return []
  const text = segment.kind === "call" ? JSON.stringify(segment.value) : wordsOf(segment)
  const lower = text.toLowerCase()
  return SECRET_PATTERNS.filter(({ name, pattern }) => {
    const words = NEEDS[name]
    if (words !== undefined && !words.some((word) => lower.includes(word))) return false
    return text.search(pattern) >= 0
  }).map(({ name }) => name)
}
