import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import {
  type Bench,
  benchWith,
  finished,
  type Run,
  reaching,
  serverWith,
  sotto,
  type Variables,
} from "../support/sotto.js"
import { upstreamWith } from "./support.js"

const KEY = "sk-ant-very-secret-0123456789"
const LONG = "Mind the manual. ".repeat(600)

/** A conversation of so many messages, with a date in the system prompt. */
function body(messages: number, day = 16): string {
  const cache_control = { type: "ephemeral" }
  return JSON.stringify({
    model: "claude-opus-5-5",
    max_tokens: 100,
    system: [{ type: "text", text: `${LONG}Today is the ${day}th.`, cache_control }],
    messages: Array.from({ length: messages }, (_, i) => ({
      role: i % 2 === 0 ? "user" : "assistant",
      content: [{ type: "text", text: `Message ${i}`, ...(i === messages - 1 && { cache_control }) }],
    })),
  })
}

const post = (url: string, text: string, path = "/v1/messages") =>
  fetch(`${url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": KEY, "anthropic-version": "2023-06-01" },
    body: text,
  })

const ANSWERS = Array.from({ length: 20 }, (_, i) => ({ text: `Message ${2 * i + 1}` }))

/** A proxy that runs by itself, in front of a stand-in for all providers. */
async function proxyAt(
  bench: Bench,
  upstream: string,
  args: readonly string[] = [],
  env: Variables = {},
): Promise<{ readonly run: Run; readonly url: string }> {
  const run = sotto(bench, ["proxy", ...args], { ...reaching(upstream), ...env })
  const [, url = ""] = await run.said(/listening on (http:\/\/127\.0\.0\.1:\d+)/)
  await run.said(/Ctrl\+C ends/)
  return { run, url }
}

function lines(path: string): readonly Readonly<Record<string, never>>[] {
  return readFileSync(path, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))
}

describe.concurrent("sotto proxy", () => {
  it("tells each call as it passes, and the findings at the end, on standard error only", async () => {
    const [bench, server] = [benchWith(), await serverWith(ANSWERS)]
    const { run, url } = await proxyAt(bench, server.url, ["--record", "calls.jsonl"])
    for (const [messages, day] of [
      [1, 16],
      [3, 16],
      [5, 17],
    ] as const) {
      expect((await post(url, body(messages, day))).status).toBe(200)
      await run.said(new RegExp(`^${(messages + 1) / 2}  thread 1, call`, "m"))
    }
    run.signal("SIGINT")
    const { code, out, err } = await run.ended
    expect([code, out]).toEqual([0, ""])
    expect(err).toMatch(
      /^1 {2}thread 1, call 1, claude-opus-5-5; [\d,]+ tokens, 0 read, [\d,]+ written; \d+ ms$/m,
    )
    expect(err).toMatch(/^2 {2}thread 1, call 2, .* [1-9][\d,]+ read/m)
    expect(err).toMatch(/^3 {2}thread 1, call 3, .*BREAK system-changed, [\d,]+ tokens lost/m)
    expect(err).toMatch(/3 calls in 1 thread\. 1 break of the prompt cache/)
    expect(err).toMatch(/→ Keep the system prompt fixed/)
    // The recording explains the same later.
    const later = await finished(bench, ["check", "calls.jsonl"])
    expect(later.out).toMatch(/^3 calls in 1 thread\. 1 break of the prompt cache/)
  })

  it("records every call for its owner only, without anything that lets somebody in", async () => {
    const [bench, server] = [benchWith(), await serverWith(ANSWERS)]
    const { run, url } = await proxyAt(bench, server.url, ["--record", "calls.jsonl"], {
      ANTHROPIC_API_KEY: KEY,
    })
    const before = Date.now()
    const answer = await (await post(url, body(1), `/v1/messages?key=${KEY}`)).text()
    await post(url, "{broken", "/v1/messages")
    await post(url, "{}", "/v1/login").catch(() => undefined)
    await run.said(/^2 /m)
    run.signal("SIGTERM")
    const { err } = await run.ended
    const text = readFileSync(bench.path("calls.jsonl"), "utf8")
    expect(`${text}${err}`).not.toContain(KEY)
    expect(statSync(bench.path("calls.jsonl")).mode & 0o777).toBe(0o600)
    const [first, second, ...more] = lines(bench.path("calls.jsonl"))
    expect(more).toEqual([])
    expect(first).toMatchObject({
      request: {
        method: "POST",
        path: "/v1/messages",
        headers: { "anthropic-version": "2023-06-01" },
        body: body(1),
      },
      response: { status: 200, body: answer },
    })
    expect(Number(first?.at)).toBeGreaterThanOrEqual(before)
    expect(second).toMatchObject({ request: { body: "{broken" }, response: { status: 400 } })
  })

  it("writes nothing of the traffic to the disk unless it is asked to", async () => {
    const [bench, server] = [benchWith(), await serverWith(ANSWERS)]
    const { run, url } = await proxyAt(bench, server.url)
    await (await post(url, body(1))).text()
    await run.said(/^1 {2}thread/m)
    run.signal("SIGTERM")
    await run.ended
    const files = [bench.home, bench.cwd].flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)),
    )
    for (const file of files.filter((name) => statSync(name).isFile()))
      expect(readFileSync(file, "utf8")).not.toContain("Message 0")
    expect(readdirSync(join(bench.home, "run"))).toEqual([])
  })

  it("goes on while the disk is full, and says so once", async () => {
    const [bench, server] = [benchWith(), await serverWith(ANSWERS)]
    const { run, url } = await proxyAt(bench, server.url, ["--record", "/dev/full"])
    for (const messages of [1, 3, 5]) expect((await post(url, body(messages))).status).toBe(200)
    await run.said(/^3 {2}thread/m)
    run.signal("SIGINT")
    const { code, err } = await run.ended
    expect(code).toBe(0)
    expect(err.match(/could not be recorded in \/dev\/full: .*(ENOSPC|no space)/gi)).toHaveLength(1)
    expect(err).toMatch(/3 calls could not be recorded/)
    expect(err).toMatch(/3 calls in 1 thread/)
  })

  it("leaves a recording that can be read up to its last line when it is killed", async () => {
    const [bench, server] = [benchWith(), await serverWith(ANSWERS)]
    const { run, url } = await proxyAt(bench, server.url, ["--record", "calls.jsonl"])
    const calls = Array.from({ length: 5 }, (_, i) => post(url, body(2 * i + 1)).then((one) => one.text()))
    await Promise.all(calls)
    await run.said(/^5 /m)
    const last = post(url, body(11)).then((one) => one.text())
    run.signal("SIGKILL")
    await Promise.allSettled([last, run.ended])
    expect(lines(bench.path("calls.jsonl")).length).toBeGreaterThanOrEqual(5)
    const [left = ""] = readdirSync(join(bench.home, "run"))
    expect(left).toMatch(/^proxy-\d+\.json$/)
    // The next one goes on with it, and clears away what the dead one left.
    const next = await proxyAt(bench, server.url, ["--record", "calls.jsonl"])
    await (await post(next.url, body(1))).text()
    await next.run.said(/^1 /m)
    expect(existsSync(join(bench.home, "run", left))).toBe(false)
    next.run.signal("SIGINT")
    await next.run.ended
    const { code, out } = await finished(bench, ["check", "--json", "calls.jsonl"])
    expect(code).toBe(0)
    expect(JSON.parse(out).sources[0].calls).toBeGreaterThanOrEqual(6)
  })

  it("passes a hundred calls at once, and a body of 50 MB", async () => {
    const bench = benchWith()
    const upstream = await upstreamWith(async (incoming, response) => {
      let size = 0
      for await (const piece of incoming as AsyncIterable<Buffer>) size += piece.length
      response.writeHead(200, { "content-type": "application/json" })
      response.end(JSON.stringify({ id: "m", usage: { input_tokens: size, output_tokens: 1 } }))
    })
    const { run, url } = await proxyAt(bench, upstream.url, ["--record", "calls.jsonl"])
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => post(url, body(1)).then((one) => one.json())),
    )
    for (const answer of answers) expect(answer).toMatchObject({ usage: { input_tokens: body(1).length } })
    const large = JSON.stringify({
      model: "m",
      max_tokens: 1,
      messages: [{ role: "user", content: "x".repeat(50e6) }],
    })
    expect(await (await post(url, large)).json()).toMatchObject({ usage: { input_tokens: large.length } })
    await run.said(/^101 /m)
    run.signal("SIGINT")
    await run.ended
    const recorded = lines(bench.path("calls.jsonl"))
    expect(recorded).toHaveLength(101)
    expect(recorded.at(-1)).toMatchObject({ request: { body: large } })
  })

  it("shows its calls to whoever has its token", async () => {
    const [bench, server] = [benchWith(), await serverWith(ANSWERS)]
    const { run, url } = await proxyAt(bench, server.url)
    const [file = ""] = readdirSync(join(bench.home, "run"))
    const path = join(bench.home, "run", file)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    const { pid, port, token, startedAt } = JSON.parse(readFileSync(path, "utf8"))
    expect([`proxy-${pid}.json`, `http://127.0.0.1:${port}`, typeof startedAt]).toEqual([file, url, "number"])
    for (const messages of [1, 3]) await (await post(url, body(messages))).text()
    await run.said(/^2 /m)
    expect((await fetch(`${url}/.sotto/calls?from=1`)).status).toBe(401)
    expect((await fetch(`${url}/.sotto/calls`, { headers: { authorization: "Bearer x" } })).status).toBe(401)
    const stopped = new AbortController()
    const feed = await fetch(`${url}/.sotto/calls?from=2`, {
      headers: { authorization: `Bearer ${token}` },
      signal: stopped.signal,
    })
    expect(feed.headers.get("content-type")).toBe("text/event-stream")
    const reader = (feed.body as ReadableStream).pipeThrough(new TextDecoderStream()).getReader()
    let heard = ""
    const event = async (id: number) => {
      const pattern = new RegExp(`^id: ${id}\ndata: (.*)\n\n`, "m")
      for (;;) {
        const [, data] = pattern.exec(heard) ?? []
        if (data !== undefined) return JSON.parse(data)
        heard += (await reader.read()).value
      }
    }
    expect(await event(2)).toMatchObject({ request: { body: body(3) } })
    await (await post(url, body(5))).text()
    expect(await event(3)).toMatchObject({ request: { body: body(5) }, response: { status: 200 } })
    expect(heard).not.toContain("id: 1\n")
    stopped.abort()
    run.signal("SIGTERM")
    await run.ended
    expect(existsSync(path)).toBe(false)
  })
})

describe.concurrent("sotto proxy -- COMMAND", () => {
  it("gives the command stdin, stdout, the variables and its exit code", async () => {
    const [bench, server] = [benchWith(), await serverWith(ANSWERS)]
    const script = 'cat; echo "$ANTHROPIC_BASE_URL $OPENAI_BASE_URL $GOOGLE_GEMINI_BASE_URL"; exit 7'
    const run = sotto(bench, ["proxy", "--", "sh", "-c", script], reaching(server.url))
    run.write("typed\n")
    const { code, out, err } = await run.end()
    const [, url = ""] = /listening on (\S+)/.exec(err) ?? []
    expect(out).toBe(`typed\n${url} ${url}/v1 ${url}\n`)
    expect(code).toBe(7)
    expect(err).toContain(`ANTHROPIC_BASE_URL=${url}`)
    expect(err).toContain("No call to a model passed.")
  })

  it("passes signals on, and says by which one the command ended", async () => {
    const bench = benchWith()
    const run = sotto(bench, [
      "proxy",
      "--",
      "sh",
      "-c",
      'trap "echo heard; exit 3" TERM; echo ready >&2; while :; do sleep 0.1; done',
    ])
    await run.said(/^ready/m)
    run.signal("SIGTERM")
    expect(await run.ended).toMatchObject({ code: 3, out: "heard\n" })
    const killed = await finished(bench, ["proxy", "--", "sh", "-c", "kill -KILL $$"])
    expect(killed.code).toBe(137)
  })

  it("says that there is no such program", async () => {
    const { code, err } = await finished(benchWith(), ["proxy", "--", "no-such-agent"])
    expect(code).toBe(127)
    expect(err).toMatch(/no-such-agent cannot be started: there is no such program/)
  })

  /** What a program of this name is started with. */
  async function startedAs(name: string, command: readonly string[], env: Variables = {}) {
    const script =
      '#!/bin/sh\nfor word in "$@"; do echo "arg:$word"; done\nenv\nfor word in "$@"; do case "$word" in *.js) cat "$word";; esac; done\n'
    const bench = benchWith({ [`bin/${name}`]: script })
    const chmod = await finished(bench, ["proxy", "--", "chmod", "+x", bench.path(`bin/${name}`)])
    expect(chmod.code).toBe(0)
    const path = `${bench.path("bin")}:${process.env.PATH}`
    const { out, err, code } = await finished(bench, ["proxy", "--", ...command], { PATH: path, ...env })
    expect(code).toBe(0)
    const [, url = ""] = /listening on (\S+)/.exec(err) ?? []
    return { out: out.replaceAll(url, "PROXY"), err: err.replaceAll(url, "PROXY") }
  }

  it("starts codex with its setting, before its own words", async () => {
    const { out, err } = await startedAs("codex", ["codex", "exec", "hello"])
    expect(out).toMatch(/^arg:-c\narg:openai_base_url="PROXY\/v1"\narg:exec\narg:hello\n/)
    expect(err).toContain('arguments: -c openai_base_url="PROXY/v1"')
  })

  it("finds the agent behind a program that starts it", async () => {
    const { out } = await startedAs("npx", ["npx", "-y", "@openai/codex@0.166.0", "exec"])
    expect(out).toMatch(/^arg:-y\narg:@openai\/codex@0.166.0\narg:-c\narg:openai_base_url=.*\narg:exec\n/)
  })

  it("gives opencode a configuration on top of the user's own, for the providers that the user has", async () => {
    const own = { theme: "x", provider: { anthropic: { options: { apiKey: "k" } } } }
    const { out } = await startedAs("opencode", ["opencode"], {
      OPENCODE_CONFIG_CONTENT: JSON.stringify(own),
      OPENAI_API_KEY: "no-real-key",
    })
    const [, config = "{}"] = /^OPENCODE_CONFIG_CONTENT=(.*)$/m.exec(out) ?? []
    expect(JSON.parse(config)).toEqual({
      theme: "x",
      provider: {
        anthropic: { options: { apiKey: "k", baseURL: "PROXY/v1" } },
        openai: { options: { baseURL: "PROXY/v1" } },
      },
    })
  })

  it("gives pi an extension, which is gone afterwards", async () => {
    const { out } = await startedAs("pi", ["pi", "-p", "hello"])
    const [, file = ""] = /^arg:--extension\narg:(.*)\narg:-p\n/.exec(out) ?? []
    expect(out).toContain('pi.registerProvider("anthropic", {"baseUrl":"PROXY"})')
    expect(existsSync(file)).toBe(false)
  })

  it("keeps requests to itself away from the network's proxy", async () => {
    const { out } = await startedAs("agent", ["agent"], { HTTPS_PROXY: "http://corp:1", NO_PROXY: "a.b" })
    expect(out).toMatch(/^NO_PROXY=a\.b,127\.0\.0\.1,localhost$/m)
  })

  it("leaves the keys to the command", async () => {
    const { out } = await startedAs("agent", ["agent"], { ANTHROPIC_API_KEY: KEY })
    expect(out).toContain(`ANTHROPIC_API_KEY=${KEY}`)
  })
})

describe.concurrent("a mistake in the command", () => {
  it.each<[readonly string[], RegExp, Variables?]>([
    [["proxy", "claude"], /sotto proxy -- claude/],
    [["proxy", "--"], /Which command\?/],
    [["proxy", "--port", "x"], /--port x: a port is a number/],
    [["proxy", "--hold=all"], /--hold=all: there is --hold, and --hold=results/],
    [["proxy", "--throttle", "todo"], /write KIND=STEPS/],
    [["proxy", "--record", "."], /is a folder/],
    [["proxy", "--port", "4777"], /is this proxy's own/, { ANTHROPIC_BASE_URL: "http://localhost:4777" }],
  ])("%j", async (args, expected, env) => {
    const { code, err } = await finished(benchWith(), args, env)
    expect(code).toBe(2)
    expect(err).toMatch(expected)
  })

  it("a file that is no recording is left as it is", async () => {
    const bench = benchWith({ "notes.txt": "Dear diary\n" })
    const { code, err } = await finished(bench, ["proxy", "--record", "notes.txt", "--", "true"])
    expect(code).toBe(2)
    expect(err).toMatch(/is no recording of calls/)
    expect(readFileSync(bench.path("notes.txt"), "utf8")).toBe("Dear diary\n")
  })

  it("a port that is taken", async () => {
    const server = await serverWith(ANSWERS)
    const { code, err } = await finished(benchWith(), ["proxy", "--port", new URL(server.url).port])
    expect(code).toBe(2)
    expect(err).toMatch(/is taken/)
  })
})

it("says a word about policies of a folder that is not trusted, and follows those of one that is", async () => {
  const server = await serverWith(ANSWERS)
  const bench = benchWith({ "sotto.json": '{ "proxy": { "mute": ["todo_reminder"] } }' })
  const untrusted = await finished(bench, ["proxy", "--", "true"], {
    ...reaching(server.url),
    SOTTO_TRUST: "",
  })
  expect(untrusted.err).toMatch(/sotto trust add/)
  expect(untrusted.err).not.toMatch(/Requests are mended/)
  const trusted = await finished(bench, ["proxy", "--throttle", "a=3", "--", "true"], reaching(server.url))
  expect(trusted.err).toMatch(/Requests are mended: --mute todo_reminder --throttle a=3/)
})

it("the words about calls go to a file if it is asked for", async () => {
  const [bench, server] = [benchWith(), await serverWith(ANSWERS)]
  writeFileSync(bench.path("body.json"), body(1))
  const script =
    'curl -sS "$ANTHROPIC_BASE_URL/v1/messages" -H "content-type: application/json" -d @body.json'
  const { err } = await finished(
    bench,
    ["proxy", "--log", "log.txt", "--", "sh", "-c", script],
    reaching(server.url),
  )
  expect(err).not.toMatch(/^1 {2}thread/m)
  expect(readFileSync(bench.path("log.txt"), "utf8")).toMatch(/^1 {2}thread 1, call 1/)
})

describe.concurrent("the file of --log and of --record", () => {
  it.each(["--log", "--record"])("%s is no link: what it leads to stays as it is", async (option) => {
    const bench = benchWith({ "target.txt": "" })
    symlinkSync(bench.path("target.txt"), bench.path("link.jsonl"))
    symlinkSync(bench.path("missing.txt"), bench.path("dangling.jsonl"))
    for (const name of ["link.jsonl", "dangling.jsonl"]) {
      const { code, err } = await finished(bench, ["proxy", option, name, "--", "true"])
      expect([name, code]).toEqual([name, 2])
      expect(err).toMatch(new RegExp(`${option} ${name}.*is a link`))
    }
    expect(readFileSync(bench.path("target.txt"), "utf8")).toBe("")
    expect(statSync(bench.path("target.txt")).mode & 0o777).toBe(0o644)
    expect(existsSync(bench.path("missing.txt"))).toBe(false)
  })

  it.each(["--log", "--record"])("%s is closed to others, also if it was there before", async (option) => {
    const [bench, server] = [benchWith({ "old.jsonl": "" }), await serverWith(ANSWERS)]
    chmodSync(bench.path("old.jsonl"), 0o644)
    const { run, url } = await proxyAt(bench, server.url, [option, "old.jsonl"])
    await (await post(url, body(1))).text()
    run.signal("SIGINT")
    await run.ended
    expect(statSync(bench.path("old.jsonl")).mode & 0o777).toBe(0o600)
    expect(readFileSync(bench.path("old.jsonl"), "utf8")).not.toBe("")
  })

  it("--log is no pipe, which could wait for ever, and no device", async () => {
    const bench = benchWith()
    bench.gate("pipe")
    for (const name of ["pipe", "/dev/null"]) {
      const { code, err } = await finished(bench, ["proxy", "--log", name, "--", "true"])
      expect([name, code]).toEqual([name, 2])
      expect(err).toMatch(/not a regular file/)
    }
  })
})

it("docs/proxy.md: its sotto.json is what the proxy takes, and it names every option of the help", async () => {
  const page = readFileSync(join(import.meta.dirname, "../../../../docs/proxy.md"), "utf8")
  const [, config = ""] = /```json\n([^`]*)```/.exec(page) ?? []
  const bench = benchWith({ "sotto.json": config })
  const { err, code } = await finished(bench, ["proxy", "--", "true"])
  expect(code).toBe(0)
  expect(err).toContain("--hold --mute todo_reminder --throttle task_reminder=10 --smoosh --breakpoints")
  const help = (await finished(bench, ["proxy", "--help"])).out
  for (const [option] of help.matchAll(/--[a-z]+/g)) expect(page).toContain(option)
})
