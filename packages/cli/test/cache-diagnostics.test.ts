import { describe, expect, it } from "vitest"
import { benchWith, finished, reaching, serverWith } from "./support/sotto.js"

const SCRIPT = [{ text: "One." }, { text: "Two." }, { text: "Three." }]
const ON = { "sotto.json": '{ "cacheDiagnostics": true }' }

const asked = (body: unknown) =>
  (body as { diagnostics?: { previous_message_id: string | null } }).diagnostics

describe.concurrent('"cacheDiagnostics": true', () => {
  it("asks Anthropic's API, keeps the answers in the log and shows them", async () => {
    const server = await serverWith(SCRIPT)
    const bench = benchWith(ON)
    const run = (...args: readonly string[]) =>
      finished(bench, ["run", ...args, "--output", "jsonl"], reaching(server.url))
    expect((await run("First.", "--model", "anthropic/claude-opus-5-5")).code).toBe(0)
    expect((await run("Second.", "--continue")).code).toBe(0)
    expect((await run("Third.", "--continue", "--model", "anthropic/claude-opus-5")).code).toBe(0)

    const [first, second, third] = server.requests.map(({ body }) => asked(body))
    expect(first).toEqual({ previous_message_id: null })
    expect(second?.previous_message_id).toMatch(/^msg_/)
    expect(third?.previous_message_id).toMatch(/^msg_/)
    expect(third).not.toEqual(second)

    const id = /^\S+/.exec((await finished(bench, ["sessions"])).out)?.[0] ?? ""
    const shown = (await finished(bench, ["show", id])).out
    expect(shown.match(/cache: .*/g)).toEqual([
      expect.stringMatching(/^cache: missed, because the model changed; \d+ tokens were not read from it$/),
    ])
    const log = (await finished(bench, ["export", id])).out
    expect(log.match(/"diagnostics":\{"message":"msg_/g)).toHaveLength(3)
    expect(log).toContain('"reason":"model_changed"')
  })

  it("asks nothing of other providers, nor of Anthropic's API unless it is switched on", async () => {
    const server = await serverWith(SCRIPT)
    const run = (bench: ReturnType<typeof benchWith>, model: string) =>
      finished(bench, ["run", "Hello.", "--model", model], reaching(server.url))
    expect((await run(benchWith(ON), "openai/gpt-5.5")).code).toBe(0)
    expect((await run(benchWith(), "anthropic/claude-opus-5-5")).code).toBe(0)
    expect(server.requests.map(({ body }) => asked(body))).toEqual([undefined, undefined])
  })
})
