import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { knownSecrets, redactedLines } from "../src/index.js"
import { SECRET_PATTERNS } from "../src/platform/secrets/patterns.js"
import { redact } from "../src/platform/secrets/redact.js"

const A = "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5hJ7kL9"
/** Put together here, so that no file of the repository holds what a scanner takes for a key. */
const SECRETS: readonly (readonly [name: string, secret: string])[] = [
  ["OpenAI", `sk-${A}abcde`],
  ["OpenAI project", `sk-proj-${A}_${A}`],
  ["Anthropic", `sk-ant-api03-${A}-${A}`],
  ["OpenRouter", `sk-or-v1-${"0a".repeat(32)}`],
  ["Google", `AIza${A.slice(0, 35)}`],
  ["Google OAuth", `ya29.${A}`],
  ["Google client", `GOCSPX-${A.slice(0, 28)}`],
  ["GitHub", `ghp_${A.slice(0, 36)}`],
  ["GitHub OAuth", `gho_${A.slice(0, 36)}`],
  ["GitHub fine", `github_pat_${A}`],
  ["GitLab", `glpat-${A.slice(0, 20)}`],
  ["Slack bot", `xoxb-${"1234567890"}-${A.slice(0, 24)}`],
  ["Slack user", `xoxp-${"1234567890"}-${A.slice(0, 24)}`],
  ["Slack hook", `https://hooks.slack.com/services/T0000AB12/B0000CD34/${A.slice(0, 24)}`],
  ["AWS", `AKIA${"ABCDEFGH12345678"}`],
  ["JWT", `eyJ${A}.eyJ${A}.${A}`],
  ["npm", `npm_${A.slice(0, 36)}`],
  ["Hugging Face", `hf_${A.slice(0, 34)}`],
  ["Stripe", `sk_live_${A.slice(0, 24)}`],
  ["Stripe restricted", `rk_live_${A.slice(0, 24)}`],
  ["SendGrid", `SG.${A.slice(0, 22)}.${A}x`],
  ["Azure", `abc8Q~${A.slice(0, 34)}`],
  ["private key", `-----BEGIN RSA PRIVATE KEY-----\n${A}\n${A}\n-----END RSA PRIVATE KEY-----`],
  ["private key in JSON", `-----BEGIN PRIVATE KEY-----\\n${A}\\n${A}\\n-----END PRIVATE KEY-----`],
]

describe("a text that looks like a secret", () => {
  it.each(SECRETS)("is replaced: %s", (_, secret) => {
    for (const text of [secret, `before ${secret} after`, `"${secret}"`, `x=${secret}\n`, `(${secret}).`]) {
      const shown = redact(text)
      expect(shown).toContain("[redacted]")
      for (const piece of secret.match(/[A-Za-z0-9]{12,}/g) ?? []) expect(shown).not.toContain(piece)
    }
    expect(redact(`before ${secret} after`)).toMatch(/^before .* after$/s)
  })

  it.each([
    ["Authorization: Bearer abcdef0123456789abcdef", "Authorization: Bearer [redacted]"],
    ["authorization: Basic dXNlcjpodW50ZXIy", "authorization: Basic [redacted]"],
    ['{"x-api-key": "0123456789abcdef"}', '{"x-api-key": "[redacted]"}'],
    ["Bearer abcdef0123456789abcdef", "Bearer [redacted]"],
    ["password=hunter2", "password=[redacted]"],
    ["DB_PASSWORD=correct-horse", "DB_PASSWORD=[redacted]"],
    ['password: "correcthorse"', 'password: "[redacted]"'],
    ['{\\"password\\":\\"hunter2\\"}', '{\\"password\\":\\"[redacted]\\"}'],
    ["export GITHUB_TOKEN=0123456789abcdef", "export GITHUB_TOKEN=[redacted]"],
    ["aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPx", "aws_secret_access_key = [redacted]"],
    ['const apiKey = "0123456789abcdef"', 'const apiKey = "[redacted]"'],
    ["postgres://admin:hunter2@db/x", "postgres://[redacted]@db/x"],
    ["https://user:pa%20ss@host/v1", "https://[redacted]@host/v1"],
    ["https://host/x?key=0123456789abcdef&y=1", "https://host/x?key=[redacted]&y=1"],
    ["AccountKey=abcdefgh12345678+/==;X", "AccountKey=[redacted];X"],
  ])("is replaced where it stands: %s", (text, shown) => {
    expect(redact(text)).toBe(shown)
  })

  it.each([
    "a commit 9fceb02d0ae598e95dc970b74767f19372d61af8 of yesterday",
    "id 123e4567-e89b-12d3-a456-426614174000",
    `sha256:${"ab12".repeat(16)}`,
    `"integrity": "sha512-${"aB3d".repeat(20)}=="`,
    "const apiKey = process.env.OPENAI_API_KEY",
    "const token = await readToken(path)",
    "apiKey: config.providers.openai.apiKey,",
    "password: string",
    "password = getPassword()",
    'password: "Enter your password"',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the very text that has to survive.
    "password=${DB_PASSWORD}",
    "password=$DB_PASSWORD",
    "token: string, tokens: 1234567890",
    "input_tokens: 123456789",
    ".sk-circle-fade-dot-animation-bounce { color: red }",
    "sk-learn and the sk- prefix",
    "the Bearer authentication scheme",
    "https://example.org/a/b?page=12345678",
    "git@github.com:someone/something.git",
    "http://localhost:8080/v1/messages",
    "toolu_01A09q90qw90lq917835lq9",
    `data:image/png;base64,${"iVBORw0KGgoAAAANSUhEUgAA".repeat(8)}`,
    "-----BEGIN PUBLIC KEY-----",
    'if (text.includes("-----BEGIN RSA PRIVATE KEY-----")) warn()',
    "secret: undefined",
    "the secret is 42",
  ])("is told from what only resembles one: %s", (text) => {
    expect(redact(text)).toBe(text)
  })

  it("is found in a time that grows with the text", () => {
    const pieces = [
      "sk-",
      "eyJa.",
      "-----BEGIN PRIVATE KEY-----",
      "password=",
      "a:b@",
      "://",
      "Bearer ",
      "token: ",
      "x-api-key",
      '="',
      "AAAA",
      "xoxb-",
    ]
    for (const piece of pieces) {
      // By the square this would not end within the time that a test has.
      const text = piece.repeat(Math.ceil(1_000_000 / piece.length))
      expect(typeof redact(text)).toBe("string")
    }
  })

  it("is replaced once: what is redacted stays as it is", () => {
    const texts = SECRETS.map(([, secret]) => `password=${secret} token: "${secret}"`)
    for (const text of texts) expect(redact(redact(text))).toBe(redact(text))
    expect(SECRET_PATTERNS.every(({ pattern }) => pattern.global)).toBe(true)
  })
})

describe("a known secret", () => {
  const env = {
    ANTHROPIC_API_KEY: "plainwords",
    MY_TOKEN: "very-own-token",
    SSH_AUTH_SOCK: "/tmp/ssh-1/agent",
    AUTH: "disabled",
  }

  it("is replaced whatever it looks like, also in an address or encoded", () => {
    const known = knownSecrets(env)
    expect(redact("the key plainwords is wrong, and very-own-token too", known)).toBe(
      "the key [redacted] is wrong, and [redacted] too",
    )
    expect(redact(Buffer.from("very-own-token").toString("base64"), known)).toContain("[redacted]")
    expect(redact("it is disabled at /tmp/ssh-1/agent", known)).toBe("it is disabled at /tmp/ssh-1/agent")
  })
})

describe("a copy to share", () => {
  it("has the same structure, and no secret in any text or field name", () => {
    const secret = `ghp_${A.slice(0, 36)}`
    const holder = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom<unknown>(
          secret,
          `a ${secret} b`,
          JSON.stringify({ deep: secret }),
          1,
          true,
          null,
          "words",
        ),
        fc.array(tie("value"), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom("a", "b", secret, "__proto__", "password"), tie("value"), {
          maxKeys: 4,
        }),
      ),
    })).value
    fc.assert(
      fc.property(holder, (value) => {
        const line = JSON.stringify({ value })
        const [copy = ""] = redactedLines([line], [])
        expect(copy).not.toContain(secret)
        expect(shapeOf(JSON.parse(copy))).toEqual(shapeOf(JSON.parse(line)))
      }),
      { seed: 6, numRuns: 300 },
    )
  })

  it("leaves the data of images alone, and calls the same secret by the same name", () => {
    const data = `sk-${A}abcde`
    const lines = [
      JSON.stringify({ type: "image", mediaType: "image/png", data }),
      JSON.stringify({ a: data, b: `x ${data}`, password: "hunter", c: "other password=hunter2" }),
    ]
    expect(redactedLines(lines, []).map((line) => JSON.parse(line))).toEqual([
      { type: "image", mediaType: "image/png", data },
      { a: "[redacted-1]", b: "x [redacted-1]", password: "[redacted-2]", c: "other password=[redacted-3]" },
    ])
  })
})

/** What kinds of values stand where; a field's name may have changed, not how many there are. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shapeOf)
  if (value !== null && typeof value === "object") return Object.values(value).map(shapeOf)
  return typeof value
}
