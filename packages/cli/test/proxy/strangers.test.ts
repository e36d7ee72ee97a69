import { readFileSync } from "node:fs"
import { request } from "node:http"
import { describe, expect, it } from "vitest"
import { addressesOf, benchWith, finished, type Run, sotto, type Variables } from "../support/sotto.js"
import { exchange, upstreamWith } from "./support.js"

/** A provider that keeps what reaches it. */
async function provider() {
  const heard: string[] = []
  const { url, server } = await upstreamWith((asked, response) => {
    heard.push(`${asked.method} ${asked.url} ${JSON.stringify(asked.rawHeaders)}`)
    asked.resume()
    response.end('{"passed":true}')
  })
  server.on("upgrade", (asked, socket) => {
    heard.push(`${asked.method} ${asked.url} ${JSON.stringify(asked.rawHeaders)}`)
    socket.end("HTTP/1.1 101 Switching Protocols\r\n\r\n")
  })
  return { url, heard }
}

async function proxyWith(
  args: readonly string[],
  env: Variables,
): Promise<{ readonly run: Run; readonly port: number }> {
  const run = sotto(benchWith(), ["proxy", ...args], env)
  const [, port = ""] = await run.said(/listening on http:\/\/127\.0\.0\.1:(\d+)/)
  await run.said(/Ctrl\+C ends/)
  return { run, port: Number(port) }
}

type Headers = Readonly<Record<string, string>>

function asked(port: number, method: string, path: string, headers: Headers = {}) {
  return new Promise<{ status: number; text: string }>((resolve, reject) => {
    const asking = request({ host: "127.0.0.1", port, method, path, headers }, async (answer) => {
      resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(await answer.toArray()).toString() })
    })
    asking.once("error", reject).end(method === "POST" ? "{}" : undefined)
  })
}

describe("a page in a browser", () => {
  it("cannot use the proxy, nor the gateway's password that the proxy adds", async () => {
    const { url, heard } = await provider()
    const gateway = url.replace("//", "//user:password@")
    const { run, port } = await proxyWith([], addressesOf(gateway))
    const pages: readonly Headers[] = [
      { origin: "https://evil.example" },
      { origin: "null" },
      { origin: `http://127.0.0.1:${port}` },
      { origin: "vscode-webview://1a2b" },
      { Origin: "" },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { "sec-fetch-site": "same-origin" },
      { "Sec-Fetch-Site": "none, cross-site", "sec-fetch-mode": "no-cors" },
      { "sec-fetch-site": "" },
    ]
    for (const headers of pages)
      for (const [method, path] of [
        ["POST", "/v1/messages"],
        ["GET", "/v1/models"],
        ["GET", "/.sotto/calls"],
        ["GET", `/.sotto/proof?nonce=${"n".repeat(43)}`],
        ["OPTIONS", "/v1/messages"],
      ] as const) {
        const answer = await asked(port, method, path, { "content-type": "text/plain", ...headers })
        expect([headers, path, answer.status]).toEqual([headers, path, 403])
        expect(JSON.parse(answer.text)).toMatchObject({
          error: { type: "sotto_proxy", message: expect.stringMatching(/page in a browser.*Origin/s) },
        })
      }
    const upgrade = (more: string) =>
      `GET /v1/realtime HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${more}\r\n\r\n`
    expect(await exchange(port, upgrade("Origin: https://evil.example"))).toMatch(/^HTTP\/1.1 403 .*page/s)
    expect(await exchange(port, upgrade("Sec-Fetch-Site: cross-site"))).toMatch(/^HTTP\/1.1 403 /)
    expect(heard).toEqual([])
    // What programs send: Node's own fetch says sec-fetch-mode, and an address that the user typed says none.
    for (const headers of [{}, { "sec-fetch-mode": "cors" }, { "sec-fetch-site": "none" }])
      expect((await asked(port, "POST", "/v1/messages", headers)).status).toBe(200)
    expect((await fetch(`http://127.0.0.1:${port}/v1/messages`, { method: "POST", body: "{}" })).status).toBe(
      200,
    )
    expect(heard).toHaveLength(4)
    run.signal("SIGINT")
    await run.ended
  })
})

describe("a path that no provider is known by", () => {
  const bearer = { authorization: "Bearer a-token-of-somebody" }

  it("is refused with what to do, whatever credential it carries, and nothing goes on", async () => {
    const { url, heard } = await provider()
    const { port } = await proxyWith([], addressesOf(url))
    const unknown: readonly [string, string, Headers][] = [
      ["POST", "/v1internal:generateContent", { authorization: "Bearer ya29.abc" }],
      ["GET", "/copilot_internal/v2/token", { authorization: "token gho_abc" }],
      ["GET", "/api/v1/key", { authorization: "Bearer sk-or-v1-abc" }],
      ["POST", "/v2/chat", bearer],
      ["GET", "/v1/generation?id=1", bearer],
      ["GET", "/v1/anything-else", bearer],
      ["POST", "/v1/messages-of-others", { "x-api-key": "k" }],
      ["POST", "/somewhere", { "x-api-key": "k" }],
      ["GET", "/somewhere?key=AIzaKey", {}],
      ["GET", "/V1/models", bearer],
      ["HEAD", "/", bearer],
      ["GET", "/", bearer],
    ]
    for (const [method, path, headers] of unknown) {
      const answer = await asked(port, method, path, headers)
      expect([path, answer.status]).toEqual([path, 404])
      if (method === "HEAD") continue
      const { message } = JSON.parse(answer.text).error
      for (const part of ["/v1/messages", "/v1/responses", "/v1/chat/completions", "--upstream"])
        expect(message).toContain(part)
    }
    const upgrade = `GET /other HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nAuthorization: Bearer x\r\n\r\n`
    expect(await exchange(port, upgrade)).toMatch(/^HTTP\/1.1 404 .*--upstream/s)
    expect(heard).toEqual([])
  })

  it("goes where --upstream says, and known paths go where they did", async () => {
    const [known, other] = [await provider(), await provider()]
    const { port, run } = await proxyWith(["--upstream", `${other.url}/base`], addressesOf(known.url))
    await run.said(new RegExp(`Other paths go on to ${other.url}/base`))
    expect((await asked(port, "POST", "/v2/chat?a=1", bearer)).status).toBe(200)
    expect((await asked(port, "POST", "/v1/messages", { "x-api-key": "k" })).status).toBe(200)
    expect(other.heard).toEqual([expect.stringMatching(/^POST \/base\/v2\/chat\?a=1 .*Bearer a-token/)])
    expect(known.heard).toHaveLength(1)
  })

  it("--upstream takes an address, and none of the proxy's own", async () => {
    for (const given of ["here", "ftp://host/", ""]) {
      const { code, err } = await finished(benchWith(), ["proxy", "--upstream", given, "--", "true"])
      expect([given, code]).toEqual([given, 2])
      expect(err).toMatch(/--upstream/)
    }
    const loop = ["proxy", "--port", "4778", "--upstream", "http://localhost:4778", "--", "true"]
    expect((await finished(benchWith(), loop)).err).toMatch(/is this proxy's own/)
  })

  it("stays known where agents use it", async () => {
    const { url, heard } = await provider()
    const { port } = await proxyWith([], addressesOf(url))
    const paths: readonly [string, string, Headers?][] = [
      ["POST", "/v1/messages?beta=true"],
      ["POST", "/v1/messages/count_tokens?beta=true"],
      ["GET", "/v1/models", { "x-api-key": "k" }],
      ["GET", "/v1/models/gpt-5.6", bearer],
      ["POST", "/v1/responses/compact", bearer],
      ["GET", "/v1/responses/resp_1", bearer],
      ["POST", "/v1/embeddings", bearer],
      ["POST", "/v1beta/models/gemini-3-pro:countTokens"],
      ["GET", "/v1beta/models"],
      ["POST", "/api/event_logging/batch", { "anthropic-version": "2023-06-01" }],
      ["GET", "/api/oauth/profile", bearer],
    ]
    for (const [method, path, headers] of paths)
      expect([path, (await asked(port, method, path, headers)).status]).toEqual([path, 200])
    expect(heard).toHaveLength(paths.length)
  })
})

it("a key of another provider is not sent to a provider's own address", async () => {
  const { port } = await proxyWith([], {})
  const foreign: readonly [string, Headers][] = [
    ["/v1/chat/completions", { authorization: "Bearer sk-or-v1-0123" }],
    ["/v1/chat/completions", { authorization: "Bearer ya29.a0Af" }],
    ["/v1/chat/completions", { authorization: "bearer  sk-ant-api03-x" }],
    ["/v1/chat/completions", { authorization: "Bearer tid=abc;exp=1" }],
    ["/v1/responses", { authorization: "Bearer gho_0123" }],
    ["/v1/chat/completions", { "x-api-key": "sk-ant-api03-x" }],
    ["/v1/chat/completions", { authorization: "Bearer sk-proj-1", "x-api-key": "anything" }],
    ["/v1/chat/completions?key=AIzaKey", {}],
    ["/v1/chat/completions?access_token=ya29.abc", {}],
    ["/chat/completions", { authorization: "Bearer x", "copilot-integration-id": "vscode-chat" }],
    ["/v1/messages", { "x-api-key": "sk-proj-abc" }],
    ["/v1/messages", { authorization: "Bearer sk-or-v1-1" }],
    ["/v1/messages", { "x-goog-api-key": "AIzaKey" }],
    ["/v1beta/models/gemini-3-pro:generateContent", { "x-goog-api-key": "sk-ant-1" }],
    ["/v1beta/models/gemini-3-pro:generateContent", { authorization: "Bearer sk-proj-1" }],
  ]
  for (const [path, headers] of foreign) {
    const answer = await asked(port, "POST", path, headers)
    expect([path, headers, answer.status]).toEqual([path, headers, 421])
    expect(answer.text).toMatch(/_BASE_URL/)
    expect(answer.text).not.toMatch(/sk-or-v1-|ya29\.a0|sk-ant-api03|AIzaKey/)
  }
})

it("docs/proxy.md names the limits and refusals that the proxy has", () => {
  const page = readFileSync(new URL("../../../../docs/proxy.md", import.meta.url), "utf8")
  for (const word of ["Origin", "Sec-Fetch-Site", "--upstream", "128 MB"]) expect(page).toContain(word)
})
