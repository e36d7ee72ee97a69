import { execFile } from "node:child_process"
import { mkdirSync, readFileSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect, it } from "vitest"
import { serving } from "./support/server.js"
import { benchWith, reaching, serverWith } from "./support/sotto.js"

const CLIENT = join(import.meta.dirname, "../../client")
const MODEL = "anthropic/claude-opus-5-5"

it.concurrent("the client's README shows a conversation that works as it stands", async () => {
  const readme = readFileSync(join(CLIENT, "README.md"), "utf8")
  const example = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? ""
  const bench = benchWith()
  const model = await serverWith([{ text: "Nothing is here." }])
  const { url, token } = await serving(bench, reaching(model.url))
  mkdirSync(bench.path("node_modules/@sotto"), { recursive: true })
  symlinkSync(CLIENT, bench.path("node_modules/@sotto/client"))
  const code = example
    .replace("http://127.0.0.1:4096", url)
    .replace("{ cwd: process.cwd() }", `{ cwd: process.cwd(), model: "${MODEL}" }`)
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", code], {
    cwd: bench.cwd,
    env: { PATH: process.env.PATH, SOTTO_TOKEN: token },
  })
  const [words, refusal] = stdout.trim().split("\n")
  expect(words).toBe("Nothing is here.")
  expect(example).toContain(`// ${refusal}`)
})

it.concurrent("the client's stream goes on when the server is killed and started again", async () => {
  const bench = benchWith()
  const gate = bench.gate()
  const model = await serverWith([
    { text: "I wait.", calls: [{ name: "bash", input: { command: "cat gate" } }] },
    { text: "Done." },
  ])
  const before = await serving(bench, reaching(model.url))
  const { api } = before
  const { id } = await api.createSession({ cwd: bench.cwd, model: MODEL })
  await api.say(id, { text: "Begin.", id: "m1" })
  const numbers: number[] = []
  const types: string[] = []
  for await (const { seq, event } of api.events(id)) {
    if (seq === undefined) continue
    numbers.push(seq)
    types.push(event.type)
    if (event.type === "tool-call" && types.filter((type) => type === "tool-call").length === 1) {
      before.run.signal("SIGKILL")
      await before.run.ended
      // Under the same address, which the client knows.
      await serving(bench, reaching(model.url), ["--port", new URL(before.url).port])
      void gate.open()
    }
    if (event.type === "turn-end") break
  }
  const whole: number[] = []
  for await (const { seq, event } of api.events(id, { from: 0 })) {
    if (seq !== undefined) whole.push(seq)
    if (event.type === "turn-end") break
  }
  expect(numbers).toEqual(whole)
  expect(types.filter((type) => type === "delivered")).toHaveLength(1)
})
