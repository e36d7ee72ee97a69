import { appendFileSync, mkdirSync, writeFileSync } from "node:fs"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { birthOf } from "@sotto/harness"
import { describe, expect, it } from "vitest"
import { proofOf } from "../src/peers/proof.js"
import { Client, serving } from "./support/server.js"
import { benchWith, finished, reaching, serverWith, sotto, talk } from "./support/sotto.js"

/** A line of a recording: so many messages of a conversation, with a system prompt. */
function line(messages: number, system = "Be brief."): string {
  const body = {
    model: "claude-opus-5-5",
    max_tokens: 100,
    system: [{ type: "text", text: `${system} ${"Rules. ".repeat(400)}` }],
    messages: Array.from({ length: messages * 2 - 1 }, (_, i) => ({
      role: i % 2 === 0 ? "user" : "assistant",
      content: [{ type: "text", text: `Message ${i}` }],
    })),
  }
  const request = { method: "POST", path: "/v1/messages", headers: {}, body: JSON.stringify(body) }
  return JSON.stringify({ at: 1_000 * messages, ms: 500, request })
}

describe.concurrent("a trace", () => {
  it("is a recording, looked at while it grows", async () => {
    const bench = benchWith({ "calls.jsonl": `${line(1)}\n${line(2)}\n` })
    const { user } = await serving(bench)
    const path = bench.path("calls.jsonl")
    const shown = await user.post("/traces", { path })
    expect(shown).toMatchObject({
      status: 201,
      json: { kind: "recording", calls: 2, seq: 2, report: { version: 1 } },
    })
    const id = String(shown.json.id)
    expect((await user.get("/traces")).json).toMatchObject({ traces: [{ id, calls: 2 }] })
    const events = user.events(`/traces/${id}/events?from=2`)
    await events.wait("call")
    // A line that is only half there is no call yet.
    const third = line(3, "Be verbose.")
    appendFileSync(path, third.slice(0, 100))
    appendFileSync(path, `${third.slice(100)}\n`)
    await events.wait("call", 2)
    expect(events.numbered).toEqual([2, 3].map((n) => ({ seq: n, event: { type: "call", n } })))
    const { json } = await user.get(`/traces/${id}`)
    expect(json).toMatchObject({
      calls: 3,
      seq: 3,
      report: { threads: [{ calls: 3, breaks: [{ cause: "system-changed" }] }] },
    })
    expect((await user.get(`/traces/${id}/calls?from=2&limit=1`)).json).toMatchObject({
      total: 3,
      rows: [{ n: 2 }],
    })
    expect((await user.get(`/traces/${id}/calls/3`)).json).toMatchObject({
      row: { n: 3, break: { cause: "system-changed" } },
      body: { system: [{ text: expect.stringContaining("Be verbose.") }] },
    })
    expect((await user.get(`/traces/${id}/calls/2/body`)).text).toBe(JSON.parse(line(2)).request.body)
    expect((await user.get(`/traces/${id}/breaks`)).json).toMatchObject({ breaks: [{ n: 3 }] })
    expect((await user.get(`/traces/${id}/search?q=be+verbose`)).json).toMatchObject({ hits: [{ n: 3 }] })
    expect(await user.get(`/traces/${id}/calls/4`)).toMatchObject({ status: 404 })
    expect(await user.get("/traces/none")).toMatchObject({ status: 404 })
    expect(await user.post("/traces", { path: bench.path("none.jsonl") })).toMatchObject({ status: 400 })
  })

  it("cannot be what is no recording", async () => {
    const bench = benchWith({ "notes.txt": "Just some words.\n" })
    const { user } = await serving(bench)
    expect(await user.post("/traces", { path: bench.path("notes.txt") })).toMatchObject({
      status: 422,
      json: { error: { code: "unreadable", message: expect.stringContaining("notes.txt") } },
    })
  })

  it("is a proxy that runs, until it ends", async ({ onTestFinished }) => {
    const bench = benchWith()
    const waiting: ServerResponse[] = []
    const lines = [line(1), line(2)]
    // What a proxy answers, with a connection that breaks after each call: the server goes on where it was.
    const proxy = createServer((incoming, response) => {
      const { pathname, searchParams } = new URL(incoming.url ?? "", "http://x")
      if (pathname === "/.sotto/proof") {
        expect(incoming.headers.authorization).toBeUndefined()
        const proof = proofOf("proxy", about, searchParams.get("nonce") ?? "")
        return void response.end(JSON.stringify({ proof }))
      }
      const from = Number(searchParams.get("from"))
      expect(incoming.headers.authorization).toBe("Bearer of-the-proxy")
      response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders()
      const next = lines[from - 1]
      if (next === undefined) waiting.push(response)
      else response.end(`id: ${from}\ndata: ${next}\n\n`)
    })
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve))
    onTestFinished(() => {
      proxy.closeAllConnections()
      proxy.close()
    })
    const child = sotto(bench, ["run", "--input", "jsonl", "--output", "jsonl", "--model", "rehearsal"])
    const { pid } = child
    mkdirSync(join(bench.home, "run"), { recursive: true })
    const { port } = proxy.address() as AddressInfo
    const about = {
      ...{ pid, birth: birthOf(pid), host: "127.0.0.1", port, secret: "s".repeat(43), startedAt: 1 },
      ...{ token: "of-the-proxy", command: ["claude", "-p"] },
    }
    writeFileSync(join(bench.home, "run", `proxy-${pid}.json`), JSON.stringify(about), { mode: 0o600 })

    const { user } = await serving(bench)
    const { traces } = (await user.get("/traces")).json as unknown as {
      readonly traces: readonly { id: string }[]
    }
    expect(traces).toMatchObject([{ kind: "proxy", name: "claude -p" }])
    const id = String(traces[0]?.id)
    const events = user.events(`/traces/${id}/events?from=1`)
    await events.wait("call", 2)
    expect((await user.get(`/traces/${id}/calls/1/body`)).text).toBe(JSON.parse(line(1)).request.body)
    child.signal("SIGKILL")
    await child.ended
    proxy.closeAllConnections()
    await events.wait("end")
    expect(events.all("call").map(({ n }) => n)).toEqual([1, 2])
    expect((await user.get(`/traces/${id}`)).json).toMatchObject({ calls: 2 })
  })
})

describe.concurrent("sotto inspect", () => {
  it("starts a server, and lets one browser in by its link", async () => {
    const bench = benchWith({ "calls.jsonl": `${line(1)}\n` })
    const run = sotto(bench, ["inspect", "--no-open", bench.path("calls.jsonl")])
    const address = new URL(await run.printed(/^(http:\S+)$/m))
    const given = new URLSearchParams(address.hash.slice(1))
    expect(given.get("to")).toMatch(/^\/t\/rec-/)
    const page = new Client(address.origin, undefined)
    const home = await page.get("/")
    expect(home).toMatchObject({ status: 200, text: expect.stringContaining('<div id="page">') })
    const first = await page.post("/browser", { once: given.get("once") }, { origin: address.origin })
    const cookie = String(first.headers["set-cookie"]?.[0]).split(";")[0] ?? ""
    const id = given.get("to")?.slice("/t/".length)
    expect(await page.get(`/traces/${id}`, { cookie })).toMatchObject({ status: 200, json: { calls: 1 } })

    // A second one uses the same server.
    const model = await serverWith([{ text: "Hello." }])
    const talking = talk(bench, model, "--model", "anthropic/claude-opus-5-5", "Hi.")
    const { id: session } = await talking.wait({ type: "session" })
    await talking.wait({ type: "turn-end" })
    const second = await finished(bench, ["inspect", "--no-open", session], reaching(model.url))
    expect(second.code).toBe(0)
    expect(new URL(second.out.trim()).port).toBe(address.port)
    expect(second.out).toContain(encodeURIComponent(`/s/${session}`))
    expect((await page.get(`/sessions/${session}`, { cookie })).json).toMatchObject({
      state: "idle",
      steps: 1,
    })
    run.signal("SIGINT")
    expect((await run.ended).code).toBe(0)
  })

  it("says what is wrong with a subject that there is not", async () => {
    const wrong = await finished(benchWith(), ["inspect", "no-such-thing"])
    expect(wrong).toMatchObject({ code: 2, out: "", err: expect.stringContaining("no-such-thing") })
  })
})
