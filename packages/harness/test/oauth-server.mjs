// A real MCP server that wants a login, and a real OAuth authorization server for it, each on a port of its own.
// node oauth-server.mjs '{"expires": 3600, "metadata": {…}}'; prints {"url", "issuer", "port"} and obeys POST /test/… there.
import { randomUUID } from "node:crypto"
import { createServer } from "node:http"
import { InvalidGrantError } from "@modelcontextprotocol/sdk/server/auth/errors.js"
import { createOAuthMetadata, mcpAuthRouter } from "@modelcontextprotocol/sdk/server/auth/router.js"
import { createMcpExpressApp } from "@modelcontextprotocol/sdk/server/express.js"
import { Server } from "@modelcontextprotocol/sdk/server/index.js"
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js"
import { CallToolRequestSchema, ListToolsRequestSchema } from "@modelcontextprotocol/sdk/types.js"

const options = JSON.parse(process.argv[2] ?? "{}")

/** What came in, and what the servers know. */
const seen = []
const clients = new Map()
const codes = new Map()
const access = new Map()
const refresh = new Map()
let renewals = 0
let releaseRenewal = () => {}
let heldRenewal = Promise.resolve()

const issue = (client, resource) => {
  const token = `access-${randomUUID()}`
  const again = `refresh-${randomUUID()}`
  access.set(token, { client, resource })
  refresh.set(again, { client, resource })
  return {
    access_token: token,
    token_type: "bearer",
    expires_in: options.expires ?? 3600,
    refresh_token: again,
  }
}

const provider = {
  clientsStore: {
    getClient: (id) => clients.get(id),
    registerClient: (client) => {
      clients.set(client.client_id, client)
      return client
    },
  },
  // The user agrees at once, or as the test says.
  async authorize(client, { state, codeChallenge, redirectUri, resource }, response) {
    const back = new URL(redirectUri)
    const code = randomUUID()
    codes.set(code, { client: client.client_id, codeChallenge, resource: resource?.href })
    if (options.deny) back.searchParams.set("error", "access_denied")
    else back.searchParams.set("code", code)
    back.searchParams.set("state", options.state ?? state)
    if (options.iss) back.searchParams.set("iss", options.iss)
    response.redirect(back.href)
  },
  challengeForAuthorizationCode: async (_, code) => {
    const found = codes.get(code)
    if (found === undefined) throw new InvalidGrantError("no such code")
    return found.codeChallenge
  },
  async exchangeAuthorizationCode(client, code) {
    const { resource } = codes.get(code)
    codes.delete(code)
    return issue(client.client_id, resource)
  },
  async exchangeRefreshToken(client, token) {
    await heldRenewal
    const known = refresh.get(token)
    // One that comes twice ends everything: it may have been stolen.
    if (known === undefined) {
      access.clear()
      refresh.clear()
      throw new InvalidGrantError("used before")
    }
    refresh.delete(token)
    renewals++
    return issue(client.client_id, known.resource)
  },
  async verifyAccessToken(token) {
    return { token, clientId: access.get(token)?.client, scopes: [] }
  },
  async revokeToken(_, { token }) {
    access.delete(token)
    refresh.delete(token)
  },
}

function listen(app) {
  return new Promise((resolve) => {
    const server = createServer(app)
    server.listen(0, "127.0.0.1", () => resolve(server.address().port))
  })
}

const record = (at) => (request, _response, next) => {
  const { method, path, headers } = request
  seen.push({ at, method, path, authorization: headers.authorization, custom: headers["x-custom"] })
  next()
}

const issuing = createMcpExpressApp()
const issuer = `http://127.0.0.1:${await listen(issuing)}`
const offering = createMcpExpressApp()
const port = await listen(offering)
const url = `http://127.0.0.1:${port}/mcp`
const filled = (value) =>
  JSON.parse(JSON.stringify(value).replaceAll("{issuer}", issuer).replaceAll("{port}", String(port)))

issuing.use(record("issuer"))
issuing.get("/.well-known/oauth-authorization-server", (_, response) => {
  if (options.huge) return response.end(`{"issuer": "${"x".repeat(20_000_000)}"}`)
  const metadata = createOAuthMetadata({ provider, issuerUrl: new URL(issuer) })
  return response.json({ ...metadata, issuer, ...filled(options.metadata ?? {}) })
})
issuing.use(mcpAuthRouter({ provider, issuerUrl: new URL(issuer) }))

offering.use(record("server"))
offering.post("/test/:what", (request, response) => {
  const { what } = request.params
  if (what === "expire") access.clear()
  if (what === "revoke") {
    access.clear()
    refresh.clear()
  }
  if (what === "hold")
    heldRenewal = new Promise((resolve) => {
      releaseRenewal = resolve
    })
  if (what === "release") releaseRenewal()
  response.json({
    seen,
    renewals,
    access: [...access.keys()],
    refresh: [...refresh.keys()],
    clients: [...clients.values()],
  })
})
offering.get("/.well-known/oauth-protected-resource/mcp", (_, response) =>
  options.open === true
    ? response.status(404).end()
    : response.json({ resource: url, authorization_servers: [issuer], ...filled(options.resource ?? {}) }),
)
offering.use("/mcp", async (request, response) => {
  const [, token = ""] = /^Bearer (.+)$/.exec(request.headers.authorization ?? "") ?? []
  const greets = options.open === "greeting" && /^(notifications\/)?initialize/.test(request.body?.method)
  if (!access.has(token) && options.open !== true && !greets) {
    const own = `http://127.0.0.1:${port}/.well-known/oauth-protected-resource/mcp`
    const where = filled(options.hint ?? own)
    return response.status(401).set("www-authenticate", `Bearer resource_metadata="${where}"`).end("log in")
  }
  const server = new Server({ name: "guarded", version: "1.0.0" }, { capabilities: { tools: {} } })
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [
      {
        name: "secret",
        description: "Tells a secret.",
        inputSchema: { type: "object" },
        annotations: { readOnlyHint: true },
      },
    ],
  }))
  server.setRequestHandler(CallToolRequestSchema, () => ({
    content: [{ type: "text", text: "the cake is a lie" }],
  }))
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined })
  await server.connect(transport)
  return transport.handleRequest(request, response, request.body)
})

process.stdout.write(`${JSON.stringify({ url, issuer, port })}\n`)
