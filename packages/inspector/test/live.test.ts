import { describe, expect, it } from "vitest"
import type { SessionDetail, SessionEvent } from "../src/contract.js"
import { type Live, NOTHING, reduce } from "../src/page/live/live.js"

const after = (...events: readonly SessionEvent[]): Live =>
  events.reduce((live, event) => reduce(live, { is: "event", event }), NOTHING)

describe("what happens in a session", () => {
  it("shows what the model says until the next step begins", () => {
    const said = after({ type: "step", n: 1 }, { type: "text", text: "I " }, { type: "text", text: "read." })
    expect(said).toMatchObject({ state: "running", text: "I read.", step: 1 })
    expect(reduce(said, { is: "event", event: { type: "step", n: 2 } })).toMatchObject({ text: "", step: 2 })
  })

  it("shows a tool from its call to its result, with its newest line", () => {
    const running = after(
      { type: "tool-call", id: "a", name: "bash" },
      { type: "progress", id: "a", line: "50%" },
    )
    expect(running.tools).toEqual([{ id: "a", name: "bash", line: "50%" }])
    expect(reduce(running, { is: "event", event: { type: "tool-result", id: "a" } }).tools).toEqual([])
  })

  it("asks a question once, and forgets it when somebody has answered", () => {
    const ask = { type: "ask", id: "q1", kind: "question", question: "Which?" }
    const asked = after(ask, ask)
    expect(asked).toMatchObject({ state: "asking", questions: [{ id: "q1", kind: "question" }] })
    expect(asked.questions).toHaveLength(1)
    const answered = reduce(asked, { is: "event", event: { type: "question-answered", id: "q1" } })
    expect(answered).toMatchObject({ state: "running", questions: [] })
  })

  it("keeps a question although details that were asked for before it come after it", () => {
    const ask = { type: "ask", id: "q1", kind: "question", question: "Which?" }
    const asked = reduce(NOTHING, { is: "event", event: ask, seq: 7 })
    const detail = (seq: number) =>
      ({ state: "asking", queue: [], questions: [], seq }) as unknown as SessionDetail
    expect(reduce(asked, { is: "detail", detail: detail(5) }).questions).toHaveLength(1)
    expect(reduce(asked, { is: "detail", detail: detail(7) }).questions).toEqual([])
    // What is told of the moment has no number, and changes none.
    const later = reduce(asked, { is: "event", event: { type: "progress", id: "a" }, seq: Number.NaN })
    expect(later.seq).toBe(7)
  })

  it("takes the queue from the details, and drops what was delivered or cancelled", () => {
    const message = { text: "Hey", delivery: "next-step", origin: { kind: "human" }, at: 1 } as const
    const detail = {
      state: "running",
      queue: [
        { id: "a", ...message },
        { id: "b", ...message },
      ],
      questions: [],
    }
    const queued = reduce(NOTHING, { is: "detail", detail: detail as unknown as SessionDetail })
    const delivered = reduce(queued, { is: "event", event: { type: "delivered", id: "a", step: 2 } })
    expect(delivered.queue.map(({ id }) => id)).toEqual(["b"])
    expect(reduce(delivered, { is: "event", event: { type: "cancelled", id: "b" } }).queue).toEqual([])
  })

  it("fetches everything anew once a lost connection is back", () => {
    const lost = reduce(NOTHING, { is: "link", link: "lost" })
    expect(lost.stale).toBe(NOTHING.stale)
    expect(reduce(lost, { is: "link", link: "open" }).stale).toBe(NOTHING.stale + 1)
  })

  it("believes events more than an answer that was on its way", () => {
    const over = after({ type: "step", n: 1 }, { type: "turn-end" })
    const late = { state: "running", queue: [], questions: [] } as unknown as SessionDetail
    expect(reduce(over, { is: "detail", detail: late }).state).toBe("idle")
    expect(reduce(NOTHING, { is: "detail", detail: late }).state).toBe("running")
  })

  it("passes over events that it does not know", () => {
    expect(after({ type: "something-new", n: 3 })).toBe(NOTHING)
  })
})
