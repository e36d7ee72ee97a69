import { expect, it, vi } from "vitest"
import { serving } from "./support/server.js"
import { benchWith, finished, reaching, serverWith } from "./support/sotto.js"
import { KEYS, terminalWith } from "./tui/support/terminal.js"

const MODEL = "anthropic/claude-opus-5-5"
const PATIENT = { timeout: 30_000, interval: 50 }

it("the cost of a session is one figure: in the list, in the session, in the figures, on the command line, in the terminal", async () => {
  const look = { name: "task", input: { agent: "explore", prompt: "Look around." } }
  const server = await serverWith({
    scripts: [
      {
        when: "/^Look around/",
        steps: [{ calls: [{ name: "read", input: { path: "a.txt" } }] }, { text: "There is one file." }],
      },
    ],
    steps: [
      { calls: [look] },
      { text: "This breaks off in the middle.", fail: [{ drop: "middle" }] },
      { text: "Again." },
    ],
  })
  const bench = benchWith({ "a.txt": "one\n", "sotto.json": '{"titles":false}' })
  const { user, run } = await serving(bench, reaching(server.url))
  const id = await user.open(bench.cwd, { model: MODEL })
  const events = user.events(`/sessions/${id}/events`)
  await user.post(`/sessions/${id}/say`, { text: "Begin." })
  await events.wait("turn-end")
  await events.close()
  expect(server.billed).toHaveLength(5)

  const { cost, tokens } = (await user.get(`/sessions/${id}`)).json as {
    readonly cost: number
    readonly tokens: { readonly sent: number; readonly output: number }
  }
  const sums = server.billed.map(({ tokens: told }) => ({
    input: told?.input ?? 0,
    output: told?.output ?? 0,
  }))
  expect(tokens).toMatchObject({
    sent: sums.reduce((sum, { input }) => sum + input, 0),
    output: sums.reduce((sum, { output }) => sum + output, 0),
  })
  const { sessions } = (await user.get("/sessions")).json as { readonly sessions: readonly object[] }
  expect(sessions).toMatchObject([{ id, cost, tokens, steps: 2 }])
  await vi.waitFor(async () => {
    const { text } = await user.get("/metrics")
    expect(Number(/^sotto_cost_dollars_total (\S+)$/m.exec(text)?.[1])).toBeCloseTo(cost, 9)
  }, PATIENT)
  run.signal("SIGTERM")
  await run.ended

  const { out } = await finished(bench, ["show", id, "--cost"])
  expect(out).toContain(`5 requests cost`)
  expect(out).toContain(`input-token equivalents, $${cost.toFixed(4)}.`)
  expect(out).toMatch(/\| this session \| 3 \|.*\n\| explore \S+ \| 2 \|/)
  expect(out).toMatch(/\| retry, anthropic\/claude-opus-5-5 \| 1 \|/)

  const terminal = terminalWith(bench, server, { args: ["--continue"], columns: 120, rows: 60 })
  await terminal.see(`$${cost.toFixed(3)}`)
  terminal.type(`/cost${KEYS.enter}`)
  await terminal.see(`5 requests cost`)
  await terminal.see(/explore/)
})
