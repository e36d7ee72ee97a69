import { describe, expect, it } from "vitest"
import { routeOf } from "../../src/proxy/transport/routes.js"
import { upstreamsIn } from "../../src/proxy/transport/upstreams.js"

type Headers = Readonly<Record<string, string>>

/** Where a request goes on to, and which API it calls. */
function routed(env: Headers, path: string, headers: Headers = {}, method = "POST"): string {
  const route = routeOf({ method, path, rawHeaders: Object.entries(headers).flat() }, upstreamsIn(env))
  if (route === undefined) return "nowhere"
  const { target, endpoint } = route
  return `${target.base.origin}${target.path}${endpoint ? ` (${endpoint.dialect})` : ""}`
}

const ANTHROPIC = "https://api.anthropic.com"
const OPENAI = "https://api.openai.com"
const GOOGLE = "https://generativelanguage.googleapis.com"
const BEARER = { authorization: "Bearer x" }

describe("without variables, a request goes to the provider's own address", () => {
  it.each<[string, string, Headers?]>([
    ["/v1/messages", `${ANTHROPIC}/v1/messages (anthropic)`],
    ["/v1/messages?beta=true", `${ANTHROPIC}/v1/messages?beta=true (anthropic)`],
    ["/v1/messages/count_tokens", `${ANTHROPIC}/v1/messages/count_tokens (anthropic)`],
    ["/v1/messages/batches", `${ANTHROPIC}/v1/messages/batches`],
    // Some SDKs have the version in the base URL.
    ["/messages", `${ANTHROPIC}/v1/messages (anthropic)`],
    ["/v1/responses", `${OPENAI}/v1/responses (openai)`],
    ["/responses", `${OPENAI}/v1/responses (openai)`],
    ["/v1/chat/completions", `${OPENAI}/v1/chat/completions (openai-chat)`],
    ["/v1/embeddings", `${OPENAI}/v1/embeddings`],
    ["/v1/threads/t_1/messages", `${OPENAI}/v1/threads/t_1/messages`, BEARER],
    [
      "/v1beta/models/gemini-3-pro:generateContent",
      `${GOOGLE}/v1beta/models/gemini-3-pro:generateContent (gemini)`,
    ],
    [
      "/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse",
      `${GOOGLE}/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse (gemini)`,
    ],
    ["/models/gemini-3-pro:generateContent", `${GOOGLE}/v1beta/models/gemini-3-pro:generateContent (gemini)`],
    ["/v1beta/files", `${GOOGLE}/v1beta/files`],
    ["/v1/models", `${ANTHROPIC}/v1/models`, { "x-api-key": "k" }],
    ["/v1/models", `${OPENAI}/v1/models`, BEARER],
    ["/v1/models?key=k", `${GOOGLE}/v1/models?key=k`],
    ["/oauth/token", `${ANTHROPIC}/oauth/token`, { "anthropic-beta": "oauth" }],
    ["/v1beta/openai/chat/completions", `${GOOGLE}/v1beta/openai/chat/completions (openai-chat)`, BEARER],
    ["/hello", "nowhere"],
    // A prefix, or a path of another platform: whose it is would be a guess.
    ["/api/v1/chat/completions", "nowhere", BEARER],
    ["/team/a/v1/messages", "nowhere", { "x-api-key": "k" }],
    ["/openai/deployments/d/chat/completions", "nowhere", { "api-key": "k" }],
    ["/model/anthropic.claude/invoke", "nowhere", BEARER],
    ["/v1/projects/p/locations/l/publishers/google/models/m:generateContent", "nowhere", BEARER],
    ["/v1/projects/p/locations/l/publishers/anthropic/models/m:rawPredict", "nowhere", BEARER],
    ["/v1internal:streamGenerateContent?alt=sse", "nowhere", BEARER],
    ["/v1/unknown", "nowhere", BEARER],
    ["/models", "nowhere", BEARER],
    ["//v1/messages", "nowhere", { "x-api-key": "k" }],
    ["/v1/../v1/messages", "nowhere", { "x-api-key": "k" }],
  ])("%s", (path, expected, headers) => {
    expect(routed({}, path, headers)).toBe(expected)
  })

  it("Codex with a ChatGPT login, where Codex would have gone", () => {
    const headers = { ...BEARER, "ChatGPT-Account-Id": "a" }
    expect(routed({}, "/v1/responses", headers)).toBe(
      "https://chatgpt.com/backend-api/codex/responses (openai)",
    )
    expect(routed({ OPENAI_BASE_URL: "http://here/v1" }, "/v1/responses", headers)).toBe(
      "http://here/v1/responses (openai)",
    )
  })
})

describe("with variables, a request goes where the provider's SDK would have sent it", () => {
  it.each<[Headers, string, string]>([
    [{ ANTHROPIC_BASE_URL: "http://h:1" }, "/v1/messages", "http://h:1/v1/messages (anthropic)"],
    [{ ANTHROPIC_BASE_URL: "http://h:1/" }, "/v1/messages", "http://h:1/v1/messages (anthropic)"],
    [{ ANTHROPIC_BASE_URL: "https://g/a/b" }, "/v1/messages", "https://g/a/b/v1/messages (anthropic)"],
    [{ ANTHROPIC_BASE_URL: "https://g/a/v1" }, "/v1/messages", "https://g/a/v1/messages (anthropic)"],
    [{ ANTHROPIC_BASE_URL: "https://g" }, "/messages", "https://g/messages (anthropic)"],
    [{ OPENAI_BASE_URL: "http://h:1/v1" }, "/v1/responses", "http://h:1/v1/responses (openai)"],
    [{ OPENAI_BASE_URL: "http://h:1" }, "/v1/chat/completions", "http://h:1/chat/completions (openai-chat)"],
    [
      { OPENAI_BASE_URL: "https://g/x/openai/v1/" },
      "/v1/responses",
      "https://g/x/openai/v1/responses (openai)",
    ],
    [{ OPENAI_BASE_URL: "https://g/v3" }, "/responses", "https://g/v3/responses (openai)"],
    [
      { GOOGLE_GEMINI_BASE_URL: "http://h:1/p" },
      "/v1beta/models/m:generateContent",
      "http://h:1/p/v1beta/models/m:generateContent (gemini)",
    ],
    [
      { GOOGLE_GEMINI_BASE_URL: "http://h:1/v1beta" },
      "/v1beta/models/m:generateContent",
      "http://h:1/v1beta/models/m:generateContent (gemini)",
    ],
    // One provider's variable is none of another's business.
    [{ ANTHROPIC_BASE_URL: "http://h:1" }, "/v1/responses", `${OPENAI}/v1/responses (openai)`],
  ])("%o %s", (env, path, expected) => {
    expect(routed(env, path)).toBe(expected)
  })

  it("also with another prefix in the path", () => {
    expect(routed({ ANTHROPIC_BASE_URL: "http://h:1" }, "/team/a/v1/messages")).toBe(
      "http://h:1/team/a/v1/messages (anthropic)",
    )
  })

  it("and what no provider is known by, where --upstream says", () => {
    const at = (path: string) => {
      const head = { method: "POST", path, rawHeaders: [] }
      const { target, endpoint } = routeOf(head, upstreamsIn({}, "https://g/base/")) ?? {}
      return `${target?.base.origin}${target?.path}${endpoint ? ` (${endpoint.dialect})` : ""}`
    }
    expect(at("/v2/chat?a=1")).toBe("https://g/base/v2/chat?a=1")
    expect(at("/api/v1/chat/completions")).toBe("https://g/base/api/v1/chat/completions (openai-chat)")
    expect(at("/v1/chat/completions")).toBe(`${OPENAI}/v1/chat/completions (openai-chat)`)
  })

  it("names a variable that holds no address", () => {
    expect(() => upstreamsIn({ OPENAI_BASE_URL: "here" })).toThrow(/OPENAI_BASE_URL is "here"/)
  })
})

it("only calls to a model's API are looked at, and only those that send something", () => {
  expect(routed({}, "/v1/messages", { "x-api-key": "k" }, "GET")).toBe(`${ANTHROPIC}/v1/messages`)
  expect(routed({}, "/v1/oauth/messages", { "x-api-key": "k" })).toBe(`${ANTHROPIC}/v1/oauth/messages`)
})
