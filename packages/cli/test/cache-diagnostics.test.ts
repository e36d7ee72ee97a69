import { writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { text } from "node:stream/consumers"
import { type Call, check } from "@sotto/lens"
import { startRehearsal } from "@sotto/rehearsal"
import fc from "fast-check"
import { describe, expect, it, onTestFinished } from "vitest"
import { serving } from "./support/server.js"
import { type Bench, benchWith, finished, reaching, serverWith, sotto } from "./support/sotto.js"

const SCRIPT = [{ text: "One." }, { text: "Two." }, { text: "Three." }]
const ON = { "sotto.json": '{ "cacheDiagnostics": true }' }

const asked = (body: unknown) =>
  (body as { diagnostics?: { previous_message_id: string | null } }).diagnostics

interface OpenAiBody {
  readonly prompt_cache_options?: { readonly comparison_response_id?: string }
}

/** Writes a session to a file, as `sotto export` prints it. */
async function exported(bench: Bench, id: string): Promise<string> {
  const file = bench.path("session.jsonl")
  writeFileSync(file, (await finished(bench, ["export", id])).out)
  return file
}

/** A gateway before a server: it passes on what `change` makes of a body, or refuses the body. */
async function gatewayTo(
  url: string,
  change: (body: string) => string,
  refusal: (body: string) => string | undefined = () => undefined,
): Promise<string> {
  const server = createServer(async (request, response) => {
    const body = await text(request)
    const message = refusal(body)
    if (message !== undefined) {
      response.writeHead(400, { "content-type": "application/json" })
      response.end(JSON.stringify({ error: { type: "invalid_request_error", message } }))
      return
    }
    const answer = await fetch(`${url}${request.url}`, {
      method: "POST",
      headers: { "content-type": "application/json", "anthropic-version": "2023-06-01" },
      body: change(body),
    })
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" })
    response.end(await answer.text())
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe('"cacheDiagnostics": true', () => {
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
      expect.stringMatching(
        /^cache: missed, because the model changed; \d+ tokens were not read from it\. Sotto: a rebase \(model\)$/,
      ),
    ])
    const log = (await finished(bench, ["export", id])).out
    expect(log.match(/"diagnostics":\{"message":"msg_/g)).toHaveLength(3)
    expect(log).toContain('"reason":"model_changed"')
  })

  it("asks OpenAI's API from GPT-5.6 on, and shows the answers beside what Sotto did", async () => {
    const server = await serverWith(SCRIPT)
    const bench = benchWith(ON)
    const run = (...args: readonly string[]) =>
      finished(bench, ["run", ...args, "--output", "jsonl"], reaching(server.url))
    expect((await run("First.", "--model", "openai/gpt-5.6")).code).toBe(0)
    expect((await run("Second.", "--continue")).code).toBe(0)
    expect((await run("Third.", "--continue", "--model", "openai/gpt-5.6-mini")).code).toBe(0)

    const named = server.requests.map(
      ({ body }) => (body as OpenAiBody).prompt_cache_options?.comparison_response_id,
    )
    expect(named).toEqual([undefined, expect.stringMatching(/^resp_/), expect.stringMatching(/^resp_/)])
    expect(named[2]).not.toBe(named[1])

    const id = /^\S+/.exec((await finished(bench, ["sessions"])).out)?.[0] ?? ""
    const shown = (await finished(bench, ["show", id])).out
    expect(shown.match(/cache: .*/g)).toEqual([
      expect.stringMatching(/^cache: missed, because the model changed; .* Sotto: a rebase \(model\)$/),
    ])
    const cost = (await finished(bench, ["show", id, "--cost"])).out
    expect(cost).toContain("1 step went out with the same bytes as before, and the provider says so too.")
    const checked = await finished(bench, ["check", await exported(bench, id)])
    expect(checked.out).toMatch(
      /The provider says of call 3: model_changed,[^;]*; the lens:\s+parameter-changed/,
    )
    expect(cost).toMatch(/\| 3, 1 \| model_changed, [\d,]+ tokens missed \| a rebase \(model\) \|/)

    const { user } = await serving(bench, reaching(server.url))
    const diagnosisOf = async (n: number) => (await user.get(`/sessions/${id}/requests/${n}`)).json.diagnosis
    expect(await diagnosisOf(2)).toEqual({ provider: "nothing changed", sotto: "sent the same bytes" })
    expect(await diagnosisOf(3)).toEqual({
      provider: expect.stringMatching(/^model_changed, [\d,]+ tokens missed$/),
      sotto: "a rebase (model)",
    })
  })

  it("shows where the provider and Sotto disagree, and what to do", async () => {
    const server = await serverWith(SCRIPT)
    const bench = benchWith(ON)
    const lying = await gatewayTo(server.url, (body) =>
      body.includes("Second.") ? body.replace("First.", "Worst.") : body,
    )
    const run = (...args: readonly string[]) =>
      finished(bench, ["run", ...args, "--output", "jsonl"], reaching(lying))
    expect((await run("First.", "--model", "openai/gpt-5.6")).code).toBe(0)
    expect((await run("Second.", "--continue")).code).toBe(0)
    const id = /^\S+/.exec((await finished(bench, ["sessions"])).out)?.[0] ?? ""
    const cost = (await finished(bench, ["show", id, "--cost"])).out
    const checked = await finished(bench, ["check", await exported(bench, id)])
    expect(checked.out).toMatch(/warning {2}diagnosis-disagrees/)
    expect(cost).toMatch(
      /\| 2, 1 \| input_changed, [\d,]+ tokens missed \| sent the same bytes; they disagree: .*sotto proxy/,
    )
  })

  it("goes on without the question where a gateway refuses it", async () => {
    const server = await serverWith(SCRIPT)
    const bench = benchWith(ON)
    const asked: string[] = []
    const gateway = await gatewayTo(
      server.url,
      (body) => body,
      (body) => {
        asked.push(body)
        const path = "prompt_cache_options.comparison_response_id"
        return body.includes("comparison_response_id") ? `Unknown parameter: '${path}'.` : undefined
      },
    )
    const talking = sotto(
      bench,
      ["run", "--input", "jsonl", "--output", "jsonl", "--model", "openai/gpt-5.6"],
      reaching(gateway),
    )
    for (const [i, words] of ["First.", "Second.", "Third."].entries()) {
      talking.say(words)
      await talking.wait({ type: "turn-end" }, i + 1)
    }
    talking.end()
    expect((await talking.ended).code).toBe(0)
    expect(asked.map((body) => body.includes("comparison_response_id"))).toEqual([false, true, false, false])
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

/** A conversation of one API: its first body, and ways to change what comes after it. */
interface Talk {
  readonly path: string
  readonly body: Readonly<Record<string, unknown>>
  readonly list: "messages" | "input"
  readonly asking: (id: string | null) => object
  readonly changes: Readonly<Record<string, object>>
}

const LONG = "These are long instructions for an assistant that reads notes. ".repeat(120)
const TALKS: Readonly<Record<string, Talk>> = {
  anthropic: {
    path: "/v1/messages",
    list: "messages",
    body: {
      model: "claude-opus-5-5",
      max_tokens: 100,
      system: [{ type: "text", text: LONG, cache_control: { type: "ephemeral" } }],
      tools: [{ name: "read", description: "Reads.", input_schema: { type: "object" } }],
    },
    asking: (previous_message_id) => ({ diagnostics: { previous_message_id } }),
    changes: {
      model: { model: "claude-sonnet-5-5" },
      system: { system: [{ type: "text", text: `${LONG} Be brief.` }] },
      tools: { tools: [{ name: "write", description: "Writes.", input_schema: { type: "object" } }] },
      effort: { output_config: { effort: "low" } },
      "tool choice": { tool_choice: { type: "none" } },
    },
  },
  openai: {
    path: "/v1/responses",
    list: "input",
    body: {
      model: "gpt-5.6",
      prompt_cache_key: "one",
      store: false,
      instructions: LONG,
      tools: [{ type: "function", name: "read", parameters: { type: "object", properties: {} } }],
    },
    asking: (id) => ({
      prompt_cache_options: { mode: "implicit", ...(id !== null && { comparison_response_id: id }) },
    }),
    changes: {
      model: { model: "gpt-5.6-mini" },
      key: { prompt_cache_key: "two" },
      system: { instructions: `${LONG} Be brief.` },
      tools: { tools: [{ type: "function", name: "write", parameters: { type: "object", properties: {} } }] },
      effort: { reasoning: { effort: "low" } },
      verbosity: { text: { verbosity: "low" } },
      format: { text: { format: { type: "json_object" } } },
      tier: { service_tier: "flex" },
      "tool choice": { tool_choice: "none" },
    },
  },
}

describe.each(Object.entries(TALKS))("the rehearsal's diagnoses on %s, and the lens", (_, talk) => {
  const user = (content: string) => ({ role: "user", content })
  const said = (content: string) => ({ role: "assistant", content })
  const HISTORY = [
    user(`Please read my notes as json. ${LONG}`),
    said("I have read them."),
    user("What do they say?"),
    said("Little."),
    user("Anything else?"),
    said("No."),
    user("Thank you."),
  ]

  /** What is done to the conversation before a call: nothing, mostly. */
  const EDITS: Readonly<Record<string, (items: readonly object[]) => readonly object[]>> = {
    nothing: (items) => items,
    "first message": ([, ...rest]) => [user(`Please read my other notes as json. ${LONG}`), ...rest],
    "reply removed": (items) => items.filter((_, i) => i !== 1),
    "reply reworded": (items) => items.map((item, i) => (i === 1 ? said("I did read them all.") : item)),
  }

  it("never disagree where the answers are true", { timeout: 120_000 }, async () => {
    const rehearsal = await startRehearsal({ script: [{ text: "Well." }] })
    onTestFinished(() => rehearsal.close())
    const change = fc.subarray(Object.keys(talk.changes), { maxLength: 2 })
    const step = fc.record({
      change,
      edit: fc.oneof(
        { weight: 2, arbitrary: fc.constant("nothing") },
        { weight: 1, arbitrary: fc.constantFrom(...Object.keys(EDITS)) },
      ),
    })
    const seen = new Set<string>()
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 3 }), async (steps) => {
        const calls: Call[] = []
        let id: string | null = null
        for (const [i, { change: names, edit }] of [
          { change: [] as string[], edit: "nothing" },
          ...steps,
        ].entries()) {
          const changed = Object.assign({}, ...names.map((name) => talk.changes[name]))
          const items = EDITS[edit]?.(HISTORY.slice(0, 1 + 2 * i)) ?? []
          const body = { ...talk.body, ...changed, [talk.list]: items, ...talk.asking(id) }
          const answer = await fetch(`${rehearsal.url}${talk.path}`, {
            method: "POST",
            headers: { "content-type": "application/json", "anthropic-version": "2023-06-01" },
            body: JSON.stringify(body),
          })
          const told = (await answer.json()) as { id: string }
          expect(answer.status, JSON.stringify(told)).toBe(200)
          id = told.id
          calls.push({
            source: "trace",
            number: i + 1,
            body,
            path: talk.path,
            response: { status: 200, body: told },
          })
        }
        const { findings } = check(calls)
        for (const { message } of findings.filter(({ id: one }) => one === "provider-diagnosis"))
          seen.add(/\w+_changed/.exec(message)?.[0] ?? message)
        expect(findings.filter(({ id: one }) => one === "diagnosis-disagrees")).toEqual([])
      }),
      { numRuns: 120 },
    )
    // The answers did name what was changed.
    expect(seen.size).toBeGreaterThanOrEqual(4)
  })

  it.each([
    ["a miss that nothing explains", {}, "tools_changed", true],
    ["another part than the one that changed", { model: "gpt-x" }, "tools_changed", true],
    ["nothing, where the system prompt changed", talk.changes.system ?? {}, undefined, true],
    ["the part that changed", talk.changes.tools ?? {}, "tools_changed", false],
    ["that it could not compare", talk.changes.tools ?? {}, "unavailable", false],
    ["a word that nobody knows", {}, "moon_changed", false],
  ])("are told apart: the provider says %s", (_, changed, reason, isDisagreement) => {
    const isAnthropic = talk.list === "messages"
    const miss = isAnthropic
      ? { diagnostics: reason === undefined ? null : { cache_miss_reason: { type: reason } } }
      : {
          prompt_cache_diagnostics:
            reason === undefined
              ? { type: "cache_hit" }
              : reason === "unavailable"
                ? { type: reason }
                : { type: "cache_miss", reason, cache_missed_tokens: 12 },
        }
    const call = (number: number, id: string | null, fields: object, answer: object): Call => ({
      source: "trace",
      number,
      path: talk.path,
      body: {
        ...talk.body,
        ...fields,
        [talk.list]: HISTORY.slice(0, 2 * number - 1),
        ...talk.asking(id),
      },
      response: { status: 200, body: { id: `reply_${number}`, ...answer } },
    })
    const idsOf = (named: string) =>
      check([call(1, null, {}, {}), call(2, named, changed, miss)]).findings.map(({ id }) => id)
    expect(idsOf("reply_1").includes("diagnosis-disagrees")).toBe(isDisagreement)
    // Compared with another request than the one before, it says nothing of these two.
    expect(idsOf("reply_0")).not.toContain("diagnosis-disagrees")
  })
})
