import { describe, expect, it } from "vitest"
import { callModel } from "../src/models/call.js"
import { ModelError } from "../src/models/error.js"
import { resolveModel } from "../src/models/resolve.js"
import { type RetryEvent, withRetry } from "../src/models/retry.js"
import { anthropicStream, asking, EVENTS, environment, json, providerThat } from "./models-support.js"

const fails = (failing: Partial<ModelError> = {}) =>
  new ModelError("It failed.", { kind: "overloaded_error", retryable: true, ...failing })

/** A clock that only writes down how long it was asked to wait. */
function clock() {
  const slept: number[] = []
  return { slept, sleep: async (milliseconds: number) => void slept.push(milliseconds), random: () => 0 }
}

describe("a call that fails for now", () => {
  it("is made again with the same bytes until it succeeds", async () => {
    const { url, received } = await providerThat((response, attempt) => {
      const stream = anthropicStream("Hello", " again")
      switch (attempt) {
        case 1:
          return json(
            response,
            429,
            { type: "error", error: { type: "rate_limit_error", message: "Slow." } },
            {
              "retry-after": "3",
            },
          )
        case 2:
          return json(response, 529, { type: "error", error: { type: "overloaded_error", message: "Full." } })
        case 3:
          return void response.destroy()
        case 4:
          response.writeHead(200, EVENTS)
          return void response.write(stream.slice(0, stream.indexOf(" again")), () => response.destroy())
        default:
          return void response.writeHead(200, EVENTS).end(stream)
      }
    })
    const target = resolveModel("anthropic/claude-opus-5-5", environment(url))
    const request = asking(target.name, "Hello ü")
    const events: RetryEvent[] = []
    const { slept, ...timing } = clock()
    const reply = await withRetry(() => callModel(target, request), {
      ...timing,
      onRetry: (event) => events.push(event),
    })
    expect(reply.parts).toEqual([{ type: "text", text: "Hello again" }])
    expect(new Set(received.map(({ body }) => body)).size).toBe(1)
    expect(events.map(({ attempt, error: { kind } }) => [attempt, kind])).toEqual([
      [1, "rate_limit_error"],
      [2, "overloaded_error"],
      [3, "network"],
      [4, "dropped"],
    ])
    expect(slept).toEqual([3000, 1000, 2000, 4000])
  })

  it("waits longer each time, up to a limit, and gives up with the last error", async () => {
    const { slept, ...timing } = clock()
    let calls = 0
    const failing = withRetry(() => Promise.reject(fails({ status: 500 + calls++ })), {
      ...timing,
      attempts: 9,
    })
    await expect(failing).rejects.toMatchObject({ status: 508 })
    expect(slept).toEqual([500, 1000, 2000, 4000, 8000, 16000, 32000, 32000])
  })

  it("comes back a little sooner or later than others", async () => {
    const { slept, sleep } = clock()
    await expect(
      withRetry(() => Promise.reject(fails()), { sleep, random: () => 0.5, attempts: 2 }),
    ).rejects.toThrow()
    expect(slept).toEqual([438])
  })

  it("is not made again when the provider asks for longer than anybody would wait", async () => {
    const { slept, ...timing } = clock()
    const failing = withRetry(() => Promise.reject(fails({ retryAfter: 3_600_000 })), timing)
    await expect(failing).rejects.toMatchObject({ retryAfter: 3_600_000 })
    expect(slept).toEqual([])
  })
})

it.each([fails({ retryable: false }), new TypeError("a bug")])(
  "does not repeat what cannot help: %s",
  async (error) => {
    const { slept, ...timing } = clock()
    await expect(withRetry(() => Promise.reject(error), timing)).rejects.toBe(error)
    expect(slept).toEqual([])
  },
)

describe("an abort", () => {
  it("ends the waiting at once", async () => {
    const abort = new AbortController()
    const failing = withRetry(() => Promise.reject(fails({ retryAfter: 60_000 })), {
      signal: abort.signal,
      onRetry: () => queueMicrotask(() => abort.abort(new Error("enough"))),
    })
    await expect(failing).rejects.toThrow("enough")
  })

  it("before the first call prevents it", async () => {
    let calls = 0
    const call = async () => calls++
    await expect(withRetry(call, { signal: AbortSignal.abort(new Error("enough")) })).rejects.toThrow(
      "enough",
    )
    expect(calls).toBe(0)
  })
})

describe("a failure of which one more call may help", () => {
  it.each(["silent", "malformed-call"])("is tried again once: %s", async (kind) => {
    const { slept, ...timing } = clock()
    const error = fails({ kind, once: true })
    await expect(withRetry(() => Promise.reject(error), timing)).rejects.toBe(error)
    expect(slept).toHaveLength(1)
  })

  it("leaves other failures their attempts", async () => {
    const { slept, ...timing } = clock()
    const failures = [fails({ kind: "silent", once: true }), fails(), fails()]
    const call = async () => {
      const error = failures.shift()
      if (error !== undefined) throw error
      return "done"
    }
    expect(await withRetry(call, timing)).toBe("done")
    expect(slept).toHaveLength(3)
  })
})
