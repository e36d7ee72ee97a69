import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Rehearsal, ScriptStep } from "@sotto/rehearsal"
import { describe, expect, it } from "vitest"
import { bodiesOf } from "./support/bodies.js"
import { newAuthority } from "./support/certificates.js"
import { type Bench, benchWith, finished, serverWith, type Variables } from "./support/sotto.js"
import { freePort, proxyTo, siteWith, tlsBefore } from "./support/web.js"

const KEY = "sk-ant-key-of-the-user"
const authority = newAuthority()
const DONE: ScriptStep = { text: "Done." }

/** A user whose network has a certificate of its own, and what they say in their sotto.json. */
function userWith(config: object = {}): { readonly bench: Bench; readonly trusting: Variables } {
  const bench = benchWith()
  mkdirSync(bench.home, { recursive: true })
  writeFileSync(join(bench.home, "sotto.json"), JSON.stringify(config))
  const file = join(bench.home, "network.pem")
  writeFileSync(file, authority.cert)
  return { bench, trusting: { NODE_EXTRA_CA_CERTS: file } }
}

/** A model behind TLS, under a name that only the proxy knows. */
async function modelWith(steps: readonly ScriptStep[]) {
  const server = await serverWith(steps)
  const port = await tlsBefore(portOf(server), authority.for("model.example.test"))
  return {
    server,
    port,
    address: { ANTHROPIC_BASE_URL: "https://model.example.test", ANTHROPIC_API_KEY: KEY },
  }
}

function portOf({ url }: Pick<Rehearsal, "url">): number {
  return Number(new URL(url).port)
}

const RUN = ["run", "--model", "anthropic/claude-sonnet-4-5", "Hello."]

describe.concurrent("a proxy", () => {
  it("carries requests to a model through a tunnel, and never sees the key", async () => {
    const { server, port, address } = await modelWith([DONE])
    const proxy = await proxyTo({ "model.example.test": port }, { password: "me:hunter 2" })
    const { bench, trusting } = userWith()
    const env = { ...address, ...trusting, HTTPS_PROXY: `http://me:hunter%202@127.0.0.1:${proxy.port}` }
    const { code, out } = await finished(bench, RUN, env)
    expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining("Done.") })
    expect(new Set(proxy.asked)).toEqual(new Set(["CONNECT model.example.test:443"]))
    expect(bodiesOf(server)).toHaveLength(1)
    expect(JSON.stringify(proxy.headers)).not.toContain(KEY)
    expect(proxy.seen()).not.toContain(KEY)
  })

  it.each([
    [
      { refuses: 403 },
      /the proxy http:\/\/127\.0\.0\.1:\d+ \(https_proxy\) answered 403 Forbidden by policy: ask who runs it/,
    ],
    [
      { password: "other:words" },
      /answered 407 Proxy Authentication Required: it wants a user and a password/,
    ],
  ])("says at once why it lets nothing through, without its password (%o)", async (options, words) => {
    const { address } = await modelWith([DONE])
    const proxy = await proxyTo({}, options)
    const { bench, trusting } = userWith()
    const env = { ...address, ...trusting, https_proxy: `http://me:hunter2@127.0.0.1:${proxy.port}` }
    const { code, out, err } = await finished(bench, RUN, env)
    expect(code).not.toBe(0)
    expect(err).toMatch(words)
    expect(out + err).not.toContain("hunter2")
    expect(proxy.asked).toHaveLength(1)
  })

  it("is an error that names its variable where it is no address that can be used", async () => {
    const { address } = await modelWith([DONE])
    const { err, code } = await finished(userWith().bench, RUN, {
      ...address,
      HTTPS_PROXY: "socks5://127.0.0.1:1",
    })
    expect(code).not.toBe(0)
    expect(err).toContain("HTTPS_PROXY names no proxy that Sotto can use")
  })

  it("is not asked for this machine, whatever is set", async () => {
    const server = await serverWith([DONE])
    const nobody = `http://127.0.0.1:${await freePort()}`
    const env = { ANTHROPIC_BASE_URL: server.url, HTTPS_PROXY: nobody, HTTP_PROXY: nobody }
    const { code, out } = await finished(userWith().bench, RUN, env)
    expect({ code, out }).toMatchObject({ code: 0, out: expect.stringContaining("Done.") })
  })

  it("is told an address that begins with http as it is", async () => {
    const server = await serverWith([DONE])
    const proxy = await proxyTo({ "gateway.example.test": portOf(server) })
    const env = {
      ANTHROPIC_BASE_URL: "http://gateway.example.test/api",
      ANTHROPIC_API_KEY: KEY,
      http_proxy: `127.0.0.1:${proxy.port}`,
    }
    await finished(userWith().bench, RUN, env)
    expect(proxy.asked[0]).toBe("POST http://gateway.example.test/api/v1/messages")
    expect(proxy.headers[0]?.host).toBe("gateway.example.test")
  })

  it("carries fetch and MCP servers as well, and is never asked for a private host", async () => {
    const site = await siteWith({ "/guide": "<h1>Behind the proxy</h1>" })
    const docs = await tlsBefore(site.port, authority.for("docs.example.test"))
    const mcp = await siteWith({})
    const { port, address } = await modelWith([
      { calls: [{ name: "fetch", input: { url: "https://docs.example.test/guide" } }] },
      { calls: [{ name: "fetch", input: { url: "https://10.0.0.1/" } }] },
      { calls: [{ name: "fetch", input: { url: "http://metadata.internal/" } }] },
      DONE,
    ])
    const proxy = await proxyTo({
      "model.example.test": port,
      "docs.example.test": docs,
      "mcp.example.test": await tlsBefore(mcp.port, authority.for("mcp.example.test")),
    })
    const { bench, trusting } = userWith({
      permission: { fetch: "allow" },
      mcp: { hub: { type: "http", url: "https://mcp.example.test/mcp" } },
    })
    const through = `http://127.0.0.1:${proxy.port}`
    const env = { ...address, ...trusting, HTTPS_PROXY: through, HTTP_PROXY: through, NO_PROXY: "other.test" }
    const { out } = await finished(bench, [...RUN, "--output", "jsonl"], env)
    const told = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
      .filter(({ type }) => type === "tool-result")
      .map(({ output }) => output)
    expect(told[0]).toContain("# Behind the proxy")
    expect(told[1]).toContain("private address")
    expect(told[2]).toContain("private address")
    expect(mcp.asked).toContain("/mcp")
    expect(proxy.asked).toContain("CONNECT docs.example.test:443")
    expect(proxy.asked).toContain("CONNECT mcp.example.test:443")
    expect(proxy.asked.join()).not.toMatch(/10\.0\.0\.1|metadata/)
  })
})

it("says what to do about a certificate that nobody known has signed", async () => {
  const { port } = await modelWith([DONE])
  const proxy = await proxyTo({ "model.example.test": port })
  const env = {
    ANTHROPIC_BASE_URL: "https://model.example.test",
    ANTHROPIC_API_KEY: KEY,
    HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`,
  }
  const { err, code } = await finished(userWith().bench, RUN, env)
  expect(code).not.toBe(0)
  expect(err).toContain("set NODE_EXTRA_CA_CERTS to the file that holds them")
  expect(proxy.asked).toHaveLength(1)
})
