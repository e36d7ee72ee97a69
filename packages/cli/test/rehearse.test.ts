import { readFileSync, statSync } from "node:fs"
import { createServer } from "node:net"
import { describe, expect, it } from "vitest"
import { type Bench, benchWith, finished, type Run, sotto } from "./support/sotto.js"

const SCRIPT = `
steps:
  - text: Hello from the script.
    expect: [{ told: Hello }]
`
const asking = (words: string) => ({
  model: "claude-opus-5-5",
  max_tokens: 100,
  messages: [{ role: "user", content: words }],
})

async function rehearsing(bench: Bench, ...args: readonly string[]): Promise<{ run: Run; url: string }> {
  const run = sotto(bench, ["rehearse", ...args])
  const url = await run.printed(/listening on (http:\/\/127\.0\.0\.1:\d+)\n/)
  return { run, url }
}

function post(url: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${url}/v1/messages`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": "sk-ant-secret", ...headers },
    body: JSON.stringify(body),
  })
}

describe("sotto rehearse", () => {
  it("serves a script, and says what it refused and why", async () => {
    const bench = benchWith({ "script.yaml": SCRIPT })
    const { run, url } = await rehearsing(bench, "script.yaml", "--report", "report.json")
    expect(await (await post(url, asking("Hello"))).json()).toMatchObject({
      content: [{ type: "text", text: "Hello from the script." }],
    })
    expect((await post(url, { ...asking("Hello"), seed: 1 })).status).toBe(400)
    expect((await post(url, asking("Hello"), { "x-rehearsal-fault": "529" })).status).toBe(529)
    run.signal("SIGTERM")
    const { code, out, err } = await run.ended
    expect(code).toBe(0)
    expect(out).toMatch(/^listening on http:\/\/127\.0\.0\.1:\d+\n$/)
    expect(err).toContain(`ANTHROPIC_BASE_URL=${url}\n`)
    expect(err).toContain("anthropic claude-opus-5-5 400 refused: seed: Extra inputs are not permitted\n")
    expect(err).toContain("3 requests, 1 refused, 0 notes;")
    const report = readFileSync(bench.path("report.json"), "utf8")
    expect(JSON.parse(report)).toMatchObject({ version: 1, requests: 3, refused: 1, seen: [{}, {}, {}] })
    expect(report).not.toContain("sk-ant-secret")
    expect(statSync(bench.path("report.json")).mode & 0o777).toBe(0o600)
  })

  it("with --strict fails after a refusal, and not after a fault that was asked for", async () => {
    const bench = benchWith({ "script.yaml": SCRIPT })
    for (const [body, headers, expected] of [
      [asking("Hello"), { "x-rehearsal-fault": "503" }, 0],
      [asking("Hi"), {}, 1], // The script expected to be told "Hello".
      [{ ...asking("Hello"), temperature: "hot" }, {}, 1],
    ] as const) {
      const { run, url } = await rehearsing(bench, "script.yaml", "--strict", "--quiet")
      await post(url, body, headers)
      run.signal("SIGINT")
      expect((await run.ended).code).toBe(expected)
    }
  })

  it.each([
    ["529", [529, 529]],
    ["429 retry-after=1 *1", [429, 200]],
    ["event=529*1", [529, 200]],
    ["drop=before*1", ["dropped", 200]],
    ["drop=middle*1", ["dropped", 200]],
    ["malformed", [200, 200]],
  ] as const)("fails as the header says: %s", async (fault, expected) => {
    const { url } = await rehearsing(benchWith())
    const outcomes = []
    for (let i = 0; i < 2; i++)
      outcomes.push(
        await post(url, asking("Hello"), { "x-rehearsal-fault": fault })
          .then(async (response) => {
            await response.text()
            return response.status
          })
          .catch(() => "dropped"),
      )
    expect(outcomes).toEqual(expected)
  })

  it("says which faults there are if it is asked for another", async () => {
    const { url } = await rehearsing(benchWith())
    for (const fault of ["fire", "200", "drop=sideways", "event=before", "malformed=400", ""]) {
      const response = await post(url, asking("Hello"), { "x-rehearsal-fault": fault || "?" })
      expect(response.status).toBe(400)
      expect(JSON.stringify(await response.json())).toContain("is no fault. It may be: 529")
    }
  })

  it("names what is wrong with its script, port or report before it serves anything", async () => {
    const taken = createServer().listen(0, "127.0.0.1")
    await new Promise((resolve) => taken.once("listening", resolve))
    const address = taken.address()
    const port = typeof address === "object" && address !== null ? String(address.port) : ""
    const bench = benchWith({ "bad.yaml": "steps:\n  - text: a\n    fial: []\n" })
    for (const [args, message] of [
      [["bad.yaml"], /bad\.yaml:\d+: steps\.0.*fial.*docs\/rehearsal\.md/s],
      [["missing.yaml"], /missing\.yaml cannot be read/],
      [["--port", "web"], /--port web: a port is a number/],
      [["--port", port], /is taken\. Name another one/],
      [["--report", "no/such/folder.json"], /--report no\/such\/folder\.json cannot be written/],
      [["a", "b"], /One script at a time/],
    ] as const) {
      const { code, out, err } = await finished(bench, ["rehearse", ...args])
      expect({ code, out }).toEqual({ code: 2, out: "" })
      expect(err).toMatch(message)
    }
    taken.close()
  })

  it("reads a script from standard input", async () => {
    const run = sotto(benchWith(), ["rehearse", "-"])
    run.send(SCRIPT)
    void run.end()
    const url = await run.printed(/listening on (\S+)\n/)
    expect(await (await post(url, asking("Hello"))).text()).toContain("Hello from the script.")
  })
})
