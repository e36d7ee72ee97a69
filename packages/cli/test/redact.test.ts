import { writeFileSync } from "node:fs"
import { expect, it } from "vitest"
import { benchWith, finished, reaching, serverWith, talk } from "./support/sotto.js"

const KEY = "my-own-key-0123456789"
const PASTED = ["ghp", "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5"].join("_")
const MODEL = ["--model", "anthropic/claude-opus-5-5"]
const env = (url: string) => ({ ...reaching(url), ANTHROPIC_API_KEY: KEY })

it("an export is exact, and with --redact a copy without secrets that can be imported and gone on with", async () => {
  const server = await serverWith([
    { text: `I see ${KEY}.`, calls: [{ name: "read", input: { path: "env.txt", [PASTED]: 1 } }] },
    { calls: [{ name: "read", input: { path: "env.txt" } }] },
    { text: "Done." },
    { text: "Again." },
  ])
  const bench = benchWith({
    "env.txt": `TOKEN=${PASTED}\nkey ${KEY}\ncommit 9fceb02d0ae598e95dc970b74767f19372d61af8\n`,
  })
  const run = talk(
    bench,
    server,
    ...MODEL,
    `Look at password=hunter2 and ${JSON.stringify({ deep: PASTED })}.`,
  )
  await run.wait({ type: "turn-end" })
  await run.end()
  const { id } = await run.wait({ type: "session" })

  const whole = await finished(bench, ["export", id], env(server.url))
  for (const secret of [KEY, PASTED, "hunter2"]) expect(whole.out).toContain(secret)
  const copy = await finished(bench, ["export", id, "--redact"], env(server.url))
  expect({ code: copy.code, err: copy.err }).toEqual({ code: 0, err: "" })
  for (const secret of [KEY, PASTED, "hunter2"]) expect(copy.out).not.toContain(secret)
  expect(copy.out).toContain("9fceb02d0ae598e95dc970b74767f19372d61af8")
  expect(copy.out.split("\n").map(typeIn)).toEqual(whole.out.split("\n").map(typeIn))

  const other = benchWith()
  writeFileSync(other.path("copy.jsonl"), copy.out)
  expect((await finished(other, ["import", "copy.jsonl"])).code).toBe(0)
  const shown = await finished(other, ["show", id])
  expect(shown.out).toContain("I see [redacted-")
  expect(shown.out).toContain("Done.")
  const again = talk(other, server, "--session", id, "Once more.")
  await again.wait({ type: "turn-end", reason: "done" })
  expect((await again.end()).code).toBe(0)
  expect(again.text()).toBe("Again.")
})

function typeIn(line: string): unknown {
  return line === "" ? "" : ((JSON.parse(line) as { type?: string }).type ?? "header")
}
