import { isDeepStrictEqual } from "node:util"
import { expectAppendOnly } from "@sotto/core/testing"
import type { HttpDialectName } from "../../src/call.js"
import { createMender, type MendedRequest, type Mender, type MendingPolicy } from "../../src/index.js"
import { problemsOf } from "../../src/problems/validate.js"
import type { Body } from "./history.js"
import { known, reconstructed } from "./reader.js"

export interface Sent extends MendedRequest {
  readonly json: Body
}

export function request(body: unknown, dialect: HttpDialectName = "anthropic") {
  const text = typeof body === "string" ? body : JSON.stringify(body)
  const path = dialect === "gemini" ? "/v1beta/models/gemini-2.5-pro:generateContent" : "/v1"
  return { dialect, path, body: text }
}

export function send(mender: Mender, body: unknown, dialect: HttpDialectName = "anthropic"): Sent {
  const result = mender.mend(request(body, dialect))
  return { ...result, json: JSON.parse(result.body) }
}

export function sendAll(
  bodies: readonly unknown[],
  policy: MendingPolicy,
  dialect: HttpDialectName = "anthropic",
): readonly Sent[] {
  const mender = createMender(policy)
  return bodies.map((body) => send(mender, body, dialect))
}

/** The requests of one epoch: each adds to the one before, is valid, and says what the original says. */
export function heldAll(
  bodies: readonly unknown[],
  dialect: HttpDialectName = "anthropic",
  policy: MendingPolicy = { hold: true },
): readonly Sent[] {
  const all = sendAll(bodies, policy, dialect)
  expectAppendOnly(all.map(({ json }) => json))
  all.forEach(({ json, fellBack }, i) => {
    const model = String(json.model ?? "gemini-2.5-pro")
    const wrong = problemsOf({ source: "", number: 0, body: json }, dialect, model).filter(
      ({ severity }) => severity === "error",
    )
    if (wrong.length > 0 || fellBack !== undefined) throw new Error(`${fellBack} ${JSON.stringify(wrong)}`)
    const [said, meant] = [reconstructed(json, dialect), known(bodies[i], dialect)]
    if (!isDeepStrictEqual(said, meant))
      throw new Error(`request ${i} says\n${JSON.stringify(said)}\nand not\n${JSON.stringify(meant)}`)
  })
  return all
}

export const words = (seed: number, count = 30) =>
  Array.from({ length: count }, (_, i) => `w${(seed * 31 + i * 17) % 997}`).join(" ")
const part = (text: string) => ({ type: "text", text })
export const user = (...texts: readonly string[]) => ({ role: "user", content: texts.map(part) })
export const assistant = (text: string) => ({ role: "assistant", content: [part(text)] })
export const calling = (id: string, name = "read") => ({
  role: "assistant",
  content: [part(`I call ${name}.`), { type: "tool_use", id, name, input: { path: "a.ts" } }],
})
export const result = (id: string, text: string, ...more: readonly string[]) => ({
  role: "user",
  content: [{ type: "tool_result", tool_use_id: id, content: text }, ...more.map(part)],
})
export const reminder = (text: string) => `<system-reminder>\n${text}\n</system-reminder>`

export const tool = (name: string, description = `Runs ${name}.`, more: object = {}) => ({
  name,
  description,
  input_schema: { type: "object", properties: { path: { type: "string" } }, ...more },
})

export const TOOLS = [tool("read"), tool("bash")]

export function claude(messages: readonly unknown[], more: object = {}): Body {
  return {
    model: "claude-sonnet-4-5",
    max_tokens: 100,
    system: "You are an agent.",
    tools: TOOLS,
    messages,
    ...more,
  }
}
