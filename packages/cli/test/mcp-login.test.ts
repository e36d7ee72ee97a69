import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import type { ScriptStep } from "@sotto/rehearsal"
import { afterAll, describe, expect, it } from "vitest"
import { addedBy } from "./support/bodies.js"
import {
  type Bench,
  benchWith,
  finished,
  type Run,
  serverWith,
  sotto,
  talk,
  type Variables,
} from "./support/sotto.js"

const OAUTH = fileURLToPath(new URL("../../harness/test/oauth-server.mjs", import.meta.url))
const MODEL = ["--model", "anthropic/claude-sonnet-4-5"]
const SECRET: ScriptStep = { text: "I ask.", calls: [{ name: "mcp__guarded__secret", input: {} }] }
/** On a busy machine a program takes its time. */
const PATIENT = { timeout: 45_000 }
const DONE: ScriptStep = { text: "Done." }

interface Seen {
  readonly at: "issuer" | "server"
  readonly method: string
  readonly path: string
  readonly authorization?: string
  readonly custom?: string
}

interface Known {
  readonly seen: readonly Seen[]
  readonly renewals: number
  readonly access: readonly string[]
  readonly refresh: readonly string[]
  readonly clients: readonly { readonly client_name: string; readonly redirect_uris: readonly string[] }[]
}

/** A server that wants a login, with its authorization server. */
interface Guarded {
  readonly url: string
  readonly issuer: string
  tell(what: "state" | "expire" | "revoke" | "hold" | "release"): Promise<Known>
}

const started: ChildProcess[] = []
afterAll(() => {
  for (const child of started) child.kill("SIGKILL")
})

async function guarded(habits: object = {}): Promise<Guarded> {
  const child = spawn(process.execPath, [OAUTH, JSON.stringify(habits)], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  started.push(child)
  const [line] = await once(createInterface(child.stdout), "line")
  const { url, issuer, port } = JSON.parse(String(line))
  const tell = async (what: string) => {
    const answer = await fetch(`http://127.0.0.1:${port}/test/${what}`, { method: "POST" })
    return (await answer.json()) as Known
  }
  return { url, issuer, tell }
}

/** A project, with a server of the user's own. */
function benchFor(server: object, name = "guarded", config: object = {}): Bench {
  const bench = benchWith()
  mkdirSync(bench.home, { recursive: true })
  const settings = {
    mcp: { [name]: server },
    titles: false,
    permission: { mcp: "allow" },
    collectTimeout: 30_000,
    ...config,
  }
  writeFileSync(join(bench.home, "sotto.json"), JSON.stringify(settings))
  return bench
}

const loginsOf = (bench: Bench) => join(bench.home, "mcp-logins.json")
const ADDRESS = /^(http\S+)$/m

function login(bench: Bench, more: readonly string[] = [], env: Variables = {}): Run {
  return sotto(bench, ["mcp", "login", "guarded", ...more], env)
}

/** Logs in as a person with a browser does. */
async function loggedIn(bench: Bench, more: readonly string[] = []) {
  const run = login(bench, more)
  const address = await run.printed(ADDRESS)
  const page = await fetch(address)
  return { ...(await run.ended), address: new URL(address), page: await page.text() }
}

async function refused(habits: object, more: readonly string[] = []) {
  const server = await guarded(habits)
  const bench = benchFor({ url: server.url })
  const run = login(bench, more)
  const ended = await run.ended
  expect(ended.code).toBe(1)
  expect(existsSync(loginsOf(bench))).toBe(false)
  return { ...ended, server, seen: (await server.tell("state")).seen }
}

describe.concurrent("sotto mcp login", () => {
  it("registers, proves who began it, keeps the tokens for their owner only, and shows them to nobody", async () => {
    const server = await guarded()
    const bench = benchFor({ url: server.url })
    const { code, out, err, address, page } = await loggedIn(bench)
    expect({ code, err }).toEqual({ code: 0, err: "" })
    expect(page).toContain("You can close this page")
    expect(out).toContain(`You are logged in at guarded. The login is kept in ${loginsOf(bench)}`)
    expect(address.origin).toBe(server.issuer)
    const asked = address.searchParams
    expect(asked.get("code_challenge_method")).toBe("S256")
    expect(asked.get("state")?.length).toBeGreaterThan(40)
    expect(asked.get("resource")).toBe(server.url)
    expect(asked.get("redirect_uri")).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/)
    const { access, refresh, clients } = await server.tell("state")
    expect(clients).toMatchObject([{ client_name: "Sotto", redirect_uris: [asked.get("redirect_uri")] }])
    expect(statSync(loginsOf(bench)).mode & 0o777).toBe(0o600)
    for (const token of [...access, ...refresh]) {
      expect(out).not.toContain(token)
      expect(readFileSync(loginsOf(bench), "utf8")).toContain(token)
    }
    const model = await serverWith([SECRET, DONE])
    const run = talk(bench, model, ...MODEL, "Begin.")
    await run.wait({ type: "turn-end" })
    expect(addedBy(model, 1)).toContain("the cake is a lie")
    expect(run.all({ type: "notice" })).toEqual([])
  })

  it("takes the address that the browser of another machine ends at, and nothing else", async () => {
    const server = await guarded()
    const bench = benchFor({ url: server.url })
    const run = login(bench)
    const answer = await fetch(await run.printed(ADDRESS), { redirect: "manual" })
    const back = answer.headers.get("location") ?? ""
    run.write("what?\n")
    await run.said(/That is not an address/)
    run.write(`${back.replace(/state=[^&]+/, "state=other")}\n`)
    await run.said(/its state is another/)
    run.write(`${back}\n`)
    const { code, out } = await run.ended
    expect(code).toBe(0)
    expect(out).toContain("You are logged in at guarded")
  })

  it("passes over a browser that comes with another state, and goes on", async () => {
    const server = await guarded()
    const run = login(benchFor({ url: server.url }))
    const address = await run.printed(ADDRESS)
    const back = new URL(new URL(address).searchParams.get("redirect_uri") ?? "")
    for (const query of ["?code=x&state=wrong", "?code=x", "?error=access_denied&state=wrong", ""])
      expect((await fetch(`${back}${query}`)).status).toBe(400)
    expect((await fetch(`${back.origin}/elsewhere`)).status).toBe(404)
    await fetch(address)
    expect((await run.ended).code).toBe(0)
  })

  it("opens the browser with the address as one argument that no shell could take amiss", async () => {
    const server = await guarded({
      metadata: { authorization_endpoint: "{issuer}/authorize?a=$(id)`id`;'|&b=\"" },
    })
    const bench = benchFor({ url: server.url })
    const programs = join(bench.home, "bin")
    mkdirSync(programs)
    const opened = join(bench.home, "opened")
    writeFileSync(
      join(programs, "xdg-open"),
      `#!/bin/sh\nprintf '%s\\n' "$#" "$1" > ${opened}.part && mv ${opened}.part ${opened}\n`,
    )
    chmodSync(join(programs, "xdg-open"), 0o755)
    const env = { DISPLAY: ":7", PATH: `${programs}:${process.env.PATH}` }
    const quiet = login(bench, ["--no-browser"], env)
    const plain = await quiet.printed(ADDRESS)
    quiet.signal("SIGINT")
    expect((await quiet.ended).code).toBe(130)
    expect(existsSync(opened)).toBe(false)
    const run = login(bench, [], env)
    const address = await run.printed(ADDRESS)
    await expect.poll(() => existsSync(opened), PATIENT).toBe(true)
    expect(readFileSync(opened, "utf8")).toBe(`1\n${address}\n`)
    for (const one of [plain, address]) expect(one).not.toMatch(/[$`;'"|()\\\s]/)
    run.signal("SIGINT")
    expect((await run.ended).err).toContain("stopped before you had logged in. Nothing is kept of it.")
  })

  it("ends when its time is over, and keeps nothing", async () => {
    const server = await guarded()
    const bench = benchFor({ url: server.url })
    const { code, err } = await login(bench, ["--timeout", "2"]).ended
    expect(code).toBe(1)
    expect(err).toContain("nobody logged in within the time limit")
    expect(existsSync(loginsOf(bench))).toBe(false)
  })

  it("logs in at a server that greets everybody, and wants a login for what it offers", async () => {
    const server = await guarded({ open: "greeting" })
    const bench = benchFor({ url: server.url })
    expect((await finished(bench, ["mcp", "list"])).out).toContain("it needs you to log in")
    expect((await loggedIn(bench)).code).toBe(0)
    expect((await finished(bench, ["mcp", "list"])).out).toContain("connected, 1 tool")
  })

  it("says so where there is nothing to log in at", async () => {
    const server = await guarded({ open: true })
    expect((await login(benchFor({ url: server.url })).ended).out).toContain(
      "guarded answers without a login",
    )
    for (const [config, words] of [
      [{ command: "x" }, "it is a program that Sotto starts"],
      [{ url: server.url, headers: { authorization: "Bearer x" } }, "has an authorization header of its own"],
      [{ url: `${server.url}/$\{NO_SUCH}` }, "NO_SUCH is not set"],
    ] as const) {
      const { code, err } = await login(benchFor(config)).ended
      expect(code).toBe(2)
      expect(err).toContain(words)
    }
    const other = await finished(benchFor({ url: server.url }), ["mcp", "login", "nobody"])
    expect(other).toMatchObject({ code: 2, err: expect.stringContaining("There are: guarded.") })
  })

  it("does not send a token where others could read it", async () => {
    const { code, err } = await login(benchFor({ url: "http://mcp.example.com/mcp" })).ended
    expect(code).toBe(1)
    expect(err).toContain("it is reached over plain http, where others could read the token; use https")
  })

  it("sends the server's own headers to nobody else", async () => {
    const server = await guarded()
    await loggedIn(benchFor({ url: server.url, headers: { "X-Custom": "mine" } }))
    const { seen } = await server.tell("state")
    expect(seen.filter(({ at, custom }) => at === "issuer" && custom !== undefined)).toEqual([])
    expect(seen.some(({ at, custom }) => at === "server" && custom === "mine")).toBe(true)
  })

  it("does not use, nor replace, a file that it cannot read", async () => {
    const server = await guarded()
    const bench = benchFor({ url: server.url })
    writeFileSync(loginsOf(bench), '{"half": ')
    const { code, err } = await login(bench).ended
    expect(code).toBe(2)
    expect(err).toContain(`${loginsOf(bench)} cannot be used: it is not JSON`)
    expect(readFileSync(loginsOf(bench), "utf8")).toBe('{"half": ')
  })
})

describe.concurrent("a server that is not what it seems", () => {
  it("cannot have its description read from another host", async () => {
    const { err, seen } = await refused({ hint: "{issuer}/.well-known/oauth-protected-resource" })
    expect(err).toContain("which is not its own host; nothing was asked there")
    expect(seen.filter(({ at }) => at === "issuer")).toEqual([])
  })

  it.each(["token_endpoint", "authorization_endpoint", "registration_endpoint", "revocation_endpoint"])(
    "cannot have the %s of its authorization server elsewhere",
    async (endpoint) => {
      const { err, seen } = await refused({ metadata: { [endpoint]: "https://elsewhere.example.com/x" } })
      expect(err).toContain(`but its ${endpoint.replaceAll("_", " ")} is at elsewhere.example.com`)
      expect(err).toContain("allow it with --host elsewhere.example.com")
      expect(seen.filter(({ path }) => path === "/register")).toEqual([])
    },
  )

  it("can have them elsewhere if the user knows the host", async () => {
    const real = await guarded()
    const server = await guarded({ metadata: { revocation_endpoint: `${real.issuer}/revoke` } })
    const { code } = await loggedIn(benchFor({ url: server.url }), ["--host", new URL(real.issuer).host])
    expect(code).toBe(0)
  })

  it.each([
    "javascript:alert(1)",
    "file:///etc/passwd",
    "data:text/html,hello",
    "http://intranet.example.com/authorize",
    "https://user:pw@127.0.0.1/authorize",
    "vscode://open",
  ])("cannot have %s opened", async (address) => {
    const { out, err } = await refused({ metadata: { authorization_endpoint: address } })
    expect(out).toBe("")
    expect(err).toMatch(/only an https address is taken|the login did not work/)
  })

  it.each(["http://169.254.169.254/latest", "http://intranet.example.com", "file:///etc/passwd"])(
    "cannot have %s asked",
    async (address) => {
      const { err } = await refused({ resource: { authorization_servers: [address] } })
      expect(err).toContain("sotto: guarded: ")
    },
  )

  it("cannot speak for another server", async () => {
    const { err } = await refused({ resource: { resource: "https://bank.example.com/mcp" } })
    expect(err).toContain("does not match")
  })

  it("cannot fill the memory", async () => {
    const { err } = await refused({ huge: true })
    expect(err).toContain("answered with over 1000000 bytes")
  })

  it.each([
    [{ deny: true }, "the login was refused: access_denied"],
    [{ iss: "https://other.example.com" }, "from another authorization server"],
    [
      { metadata: { authorization_response_iss_parameter_supported: true } },
      "from another authorization server",
    ],
  ])("and an answer of the wrong kind end the login: %j", async (habits, words) => {
    const server = await guarded(habits)
    const bench = benchFor({ url: server.url })
    const { code, err } = await loggedIn(bench)
    expect(code).toBe(1)
    expect(err).toContain(words)
    expect(existsSync(loginsOf(bench))).toBe(false)
  })
})

describe.concurrent("a session whose server wants a login", () => {
  it("says so in a notice, goes on without it, and has its tools once the user has logged in", async () => {
    const server = await guarded()
    const bench = benchFor({ url: server.url })
    const dispatch: ScriptStep = {
      text: "I ask.",
      calls: [{ name: "mcp", input: { server: "guarded", tool: "secret", input: {} } }],
    }
    const model = await serverWith([
      { text: "Without." },
      { text: "I look.", calls: [{ name: "bash", input: { command: "true" } }] },
      dispatch,
      DONE,
    ])
    const run = talk(bench, model, ...MODEL, "--yes", "Begin.")
    await run.wait({ type: "turn-end" })
    expect(run.all({ type: "error" })).toEqual([])
    expect(run.all({ type: "notice" }).map(({ message }) => message)).toEqual([
      "The MCP server guarded needs you to log in: sotto mcp login guarded",
    ])
    // Nothing is registered for a user who has not asked to log in.
    expect((await server.tell("state")).clients).toEqual([])
    expect((await loggedIn(bench)).code).toBe(0)
    run.say("Again.")
    await run.wait({ type: "turn-end" }, 2)
    expect(addedBy(model, 1) + addedBy(model, 2)).toContain("mcp__guarded__secret")
    expect(addedBy(model, 3)).toContain("the cake is a lie")
    expect((await run.end()).code).toBe(0)
  })

  it("sends the login to no other address, whatever its name", async () => {
    const [server, other] = await Promise.all([guarded(), guarded()])
    const bench = benchFor({ url: server.url })
    await loggedIn(bench)
    writeFileSync(bench.path("sotto.json"), JSON.stringify({ mcp: { guarded: { url: other.url } } }))
    const { out } = await finished(bench, ["mcp", "list"])
    expect(out).toContain("it needs you to log in")
    const { seen } = await other.tell("state")
    expect(seen.some(({ path }) => path === "/mcp")).toBe(true)
    expect(seen.filter(({ authorization }) => authorization !== undefined)).toEqual([])
  })

  it("has the login renewed when its time is over, in the middle of a turn too", async () => {
    const server = await guarded()
    const bench = benchFor({ url: server.url })
    await loggedIn(bench)
    const model = await serverWith([
      SECRET,
      { text: "I wait.", calls: [{ name: "bash", input: { command: "cat gate" } }] },
      SECRET,
      DONE,
    ])
    const gate = bench.gate()
    const run = talk(bench, model, ...MODEL, "--yes", "Begin.")
    await run.wait({ type: "tool-call", name: "bash" })
    await server.tell("expire")
    await gate.open()
    await run.wait({ type: "turn-end" })
    expect(addedBy(model, 3)).toContain("the cake is a lie")
    expect((await server.tell("state")).renewals).toBe(1)
    expect(run.all({ type: "error" })).toEqual([])
  })

  it("renews it once, however many processes want to", async () => {
    const server = await guarded()
    const bench = benchFor({ url: server.url })
    await loggedIn(bench)
    await server.tell("expire")
    await server.tell("hold")
    const shows = [1, 2, 3].map(() => finished(bench, ["mcp", "show", "guarded", "--timeout", "30"]))
    await expect
      .poll(
        async () => (await server.tell("state")).seen.filter(({ path }) => path === "/mcp").length,
        PATIENT,
      )
      .toBeGreaterThanOrEqual(4)
    await server.tell("release")
    for (const { out } of await Promise.all(shows)) expect(out).toMatch(/^guarded: connected, 1 tool\n/)
    expect((await server.tell("state")).renewals).toBe(1)
  })

  it("asks for a new login where the old one was withdrawn, and forgets that", async () => {
    const server = await guarded()
    const bench = benchFor({ url: server.url })
    await loggedIn(bench)
    await server.tell("revoke")
    expect((await finished(bench, ["mcp", "list"])).out).toContain("it needs you to log in")
    expect(readFileSync(loginsOf(bench), "utf8").trim()).toBe("{}")
  })

  it("does not let the model read the logins", async () => {
    const server = await guarded()
    const bench = benchFor({ url: server.url })
    await loggedIn(bench)
    const model = await serverWith([
      { text: "I read.", calls: [{ name: "read", input: { path: loginsOf(bench) } }] },
      DONE,
    ])
    const run = talk(bench, model, ...MODEL, "--yes", "Begin.")
    await run.wait({ type: "turn-end" })
    expect(run.all({ type: "tool-result" })[0]).toMatchObject({ error: true })
    const { access, refresh } = await server.tell("state")
    for (const token of [...access, ...refresh]) expect(addedBy(model, 1)).not.toContain(token)
  })
})

describe.concurrent("sotto mcp logout", () => {
  it("forgets the login and has it revoked", async () => {
    const server = await guarded()
    const bench = benchFor({ url: server.url })
    await loggedIn(bench)
    const { code, out, err } = await finished(bench, ["mcp", "logout", "guarded"])
    expect({ code, err }).toEqual({ code: 0, err: "" })
    expect(out).toContain("You are logged out of guarded")
    expect(await server.tell("state")).toMatchObject({ access: [], refresh: [] })
    expect(readFileSync(loginsOf(bench), "utf8").trim()).toBe("{}")
    const again = await finished(bench, ["mcp", "logout", "guarded"])
    expect(again.code).toBe(1)
    expect(again.err).toContain("you are not logged in at guarded")
  })

  it("takes the address of a server that no configuration names any more", async () => {
    const server = await guarded()
    const bench = benchFor({ url: server.url })
    await loggedIn(bench)
    await finished(bench, ["mcp", "remove", "guarded"])
    expect((await finished(bench, ["mcp", "logout", server.url])).code).toBe(0)
  })
})
