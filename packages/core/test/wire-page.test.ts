import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Request } from "@sotto/core"
import * as anthropic from "@sotto/core/anthropic"
import * as gemini from "@sotto/core/gemini"
import * as openai from "@sotto/core/openai"
import * as chat from "@sotto/core/openai-chat"
import { expect, it } from "vitest"
import { request, start, work } from "./support/session.js"

const page = join(import.meta.dirname, "../../../docs/wire.md")

const dialects: Readonly<
  Record<string, { encode(request: Request): object; validate(body: unknown): readonly object[] }>
> = {
  anthropic,
  openai,
  "openai-chat": chat,
  gemini,
}

/** The boundary that the page is about: a result is in, the user has typed, the mode and a file have changed. */
function boundary(model: string): Request {
  const session = start({ model: { id: model }, agent: "plan" })
  session.say("Make sync() retry.")
  work(session, "call_1", "export async function sync() {}")
  session.say("At most three times, please.")
  session.switchAgent("build")
  session.note({
    type: "file.edited",
    path: "options.ts",
    before: "timeout: 5",
    after: "timeout: 30",
    actor: "vim",
  })
  return request(session)
}

/** What went up at that boundary: the end of the conversation, from the newest results on. */
function tail(body: object): object {
  const { messages, input, contents } = body as Record<string, readonly Record<string, unknown>[] | undefined>
  const list = messages ?? input ?? contents ?? []
  const reply = list.findLastIndex(
    ({ role, type }) => role === "assistant" || role === "model" || type === "function_call",
  )
  const rest = list.slice(reply + 1)
  return messages
    ? { messages: ["…", ...rest] }
    : input
      ? { input: ["…", ...rest] }
      : { contents: ["…", ...rest] }
}

/** Every `<!-- body: dialect model -->` of the page is followed by the body that this code makes now. */
it("docs/wire.md shows the bodies that are really sent (UPDATE_DOCS=1 writes them)", () => {
  const text = readFileSync(page, "utf8")
  let shown = 0
  const current = text.replace(
    /(<!-- body: (\S+) (\S+) -->\n)```json\n[\s\S]*?```/g,
    (_, mark: string, name: string, model: string) => {
      const dialect = dialects[name]
      if (dialect === undefined) throw new Error(`docs/wire.md names no dialect "${name}"`)
      const body = dialect.encode(boundary(model))
      expect(dialect.validate(body)).toEqual([])
      shown++
      return `${mark}\`\`\`json\n${JSON.stringify(tail(body), null, 2)}\n\`\`\``
    },
  )
  expect(shown).toBeGreaterThanOrEqual(5)
  if (process.env.UPDATE_DOCS === "1") writeFileSync(page, current)
  expect(readFileSync(page, "utf8")).toBe(current)
})
