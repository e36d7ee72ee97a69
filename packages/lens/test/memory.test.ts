import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { expect, it } from "vitest"
import { createLens } from "../src/index.js"

setFlagsFromString("--expose-gc")
const collect = runInNewContext("gc") as () => void

/** Sessions of a few steps with long results: in all far more than may stay in memory. */
function* trace(sessions: number): Generator<unknown> {
  for (let session = 0; session < sessions; session++) {
    const messages: unknown[] = [{ role: "user", content: `Session ${session}` }]
    for (let step = 0; step < 4; step++) {
      yield {
        model: "claude-sonnet-4-5",
        max_tokens: 9,
        system: "Help.",
        messages: structuredClone(messages),
      }
      const id = `c_${session}_${step}`
      messages.push({ role: "assistant", content: [{ type: "tool_use", id, name: "read", input: {} }] })
      const content = `${id} ${Math.sin(session * 7 + step)} `.repeat(2_000)
      messages.push({ role: "user", content: [{ type: "tool_result", tool_use_id: id, content }] })
    }
  }
}

it("keeps the newest call of the open threads, not the trace", () => {
  const lens = createLens()
  const heap = () => {
    collect()
    return process.memoryUsage().heapUsed
  }
  const before = heap()
  let number = 0
  const read = (sessions: number) => {
    for (const body of trace(sessions)) lens.push({ source: "trace", number: ++number, body })
    return heap() - before
  }
  // The newest calls of 500 sessions hold about 90 MB of text.
  const used = read(500)
  expect(lens.report().threads).toHaveLength(500)
  expect(used / 1e6).toBeLessThan(60)
})
