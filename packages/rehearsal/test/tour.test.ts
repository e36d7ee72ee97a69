import type { Reply, Session, ToolDefinition } from "@sotto/core"
import { decode, encode } from "@sotto/core/anthropic"
import { expect, it } from "vitest"
import { rehearse, WHO_SPEAKS } from "../src/index.js"
import { type Client, type Happenings, openSession, runTurn } from "./support/turn.js"

const text = { type: "string" }
const TOOLS: readonly ToolDefinition[] = [
  tool("glob", { pattern: text, path: text }, ["pattern"]),
  tool("read", { path: text, offset: { type: "integer", minimum: 1 } }, ["path"]),
  tool("bash", { command: text, timeout: { type: "number" } }, ["command"]),
  tool("write", { path: text, content: text }, ["path", "content"]),
  tool(
    "todo_write",
    {
      todos: {
        type: "array",
        items: {
          type: "object",
          properties: { content: text, status: { enum: ["pending", "in_progress", "completed"] } },
          required: ["content", "status"],
        },
      },
    },
    ["todos"],
  ),
]

it("says what it is, looks around with harmless tools, and ends", async () => {
  const { replies } = await tour(TOOLS)
  const calls = replies.map((reply) =>
    reply.parts.flatMap((part) => (part.type === "tool-call" ? [part] : [])),
  )
  expect(textIn(replies[0])).toContain(WHO_SPEAKS)
  expect(textIn(replies[0])).toContain("Read everything, please.")
  expect(calls.map((list) => list.map(({ name }) => name))).toEqual([
    ["todo_write", "glob"],
    ["bash"],
    ["read"],
    ["todo_write"],
    [],
  ])
  expect(calls.flat().map(({ input }) => input)).toMatchObject([
    { todos: expect.any(Array) },
    { pattern: "*" },
    { command: "ls" },
    { path: "README.md" },
    { todos: expect.any(Array) },
  ])
  expect(textIn(replies.at(-1))).toContain("I made 5 tool calls.")
})

it.each(["claude-opus-5-5", "claude-sonnet-4-5"])(
  "acknowledges what it is told on the way, and lists it (%s)",
  async (model) => {
    const during: Happenings = {
      1: (session) => session.say("Hurry up."),
      2: (session) => session.switchAgent("build"),
    }
    const { replies } = await tour(TOOLS, during, model)
    expect(textIn(replies[1])).toMatch(/told me while I worked: ".*Hurry up\./)
    expect(textIn(replies[2])).toMatch(/The harness told me while I worked: ".*from plan to build/)
    // Words of the harness are never said to be the user's.
    for (const reply of replies)
      expect(textIn(reply)).not.toMatch(/You told me[^\n]*(sent a new message|from plan to build)/)
    expect(textIn(replies.at(-1))).toContain("The harness told me:\n- (")
    expect(textIn(replies.at(-1))).toContain("from plan to build")
  },
)

it("answers a word that comes with the last answer, and starts nothing new", async () => {
  const late = openSession("claude-opus-5-5", TOOLS)
  const sent: Reply[] = []
  const client = stateless(sent, (request) => {
    if (request === 5) late.say("One more thing.")
  })
  await runTurn(late, client, {})
  expect(sent).toHaveLength(6)
  expect(textIn(sent[5])).toContain("One more thing.")
})

it("sums up when it may call nothing, and needs no tools at all", async () => {
  const { replies } = await tour([])
  expect(replies).toHaveLength(1)
  expect(textIn(replies[0])).toContain(WHO_SPEAKS)
  const performance = rehearse(
    {
      model: "claude-sonnet-4-5",
      max_tokens: 10,
      messages: [{ role: "user", content: "Hello" }],
      tools: [{ name: "read", input_schema: { type: "object" } }],
      tool_choice: { type: "none" },
    },
    "anthropic",
  )
  expect(performance).toMatchObject({ is: "answered", reply: { stop: "end" } })
})

it("calls unknown tools only if their names promise to look, with input that their schema accepts", async () => {
  const { replies } = await tour([
    tool("delete_all", {}, []),
    tool(
      "list_things",
      { kind: { enum: ["big", "small"] }, most: { type: "integer", minimum: 3 }, path: text },
      ["kind", "most"],
    ),
  ])
  const calls = replies.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "tool-call" ? [part] : [])),
  )
  expect(calls.map(({ name, input }) => [name, input])).toEqual([
    ["list_things", { kind: "big", most: 3, path: "README.md" }],
  ])
})

async function tour(tools: readonly ToolDefinition[], during: Happenings = {}, model = "claude-opus-5-5") {
  const replies: Reply[] = []
  const session: Session = openSession(model, tools)
  await runTurn(session, stateless(replies), during)
  return { replies, session }
}

/** The rehearsal without a server. */
function stateless(replies: Reply[], before: (request: number) => void = () => {}): Client {
  return {
    async send(request) {
      before(replies.length + 1)
      const performance = rehearse(encode(request), "anthropic")
      if (performance.is === "refused") throw new Error(performance.error.message)
      if (!("body" in performance.content)) throw new Error("It streams, unasked.")
      const reply = decode(performance.content.body)
      replies.push(reply)
      return reply
    },
  }
}

function textIn(reply: Reply | undefined): string {
  return reply?.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n") ?? ""
}

function tool(
  name: string,
  properties: ToolDefinition["inputSchema"],
  required: readonly string[],
): ToolDefinition {
  return { name, description: name, inputSchema: { type: "object", properties, required } }
}
