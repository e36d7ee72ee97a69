import type { ContentBlock, SessionUpdate } from "@agentclientprotocol/sdk"
import type { Agent, Message } from "@sotto/core"
import type { HarnessEvent, Question, TurnEnd } from "@sotto/harness"
import { describe, expect, it } from "vitest"
import { readPrompt } from "../src/acp/content.js"
import { fileFact, readEditorState, selectionFact } from "../src/acp/editor-state.js"
import { placeOf, placeOfUri } from "../src/acp/file-range.js"
import { readSteering } from "../src/acp/methods.js"
import { commandIn, idOf, modeNamed, modesOf } from "../src/acp/offers.js"
import { answerFor, requestFor, unasked } from "../src/acp/permission.js"
import { Prompts } from "../src/acp/prompts.js"
import { mcpOf } from "../src/acp/sessions.js"
import { replayOf, Updates } from "../src/acp/updates.js"

const CWD = "/work/place"
const text = (words: string): ContentBlock => ({ type: "text", text: words })
const link = (uri: string, name = "it"): ContentBlock => ({ type: "resource_link", uri, name })
const embedded = (uri: string, words: string): ContentBlock => ({
  type: "resource",
  resource: { uri, text: words },
})

describe("a place in an editor", () => {
  it.each([
    ["file:///work/place/a%20b.ts", { path: "a b.ts", absolute: "/work/place/a b.ts" }],
    ["file:///work/place/a.ts#L10-L20", { path: "a.ts", lines: { from: 10, to: 20 } }],
    ["file:///work/place/a.ts#L10:20", { path: "a.ts", lines: { from: 10, to: 20 } }],
    ["file:///work/place/a.ts#L20-10", { path: "a.ts", lines: { from: 10, to: 20 } }],
    ["file:///work/place/a.ts#L7", { path: "a.ts", lines: { from: 7, to: 7 } }],
    ["file:///work/places/a.ts", { path: "/work/places/a.ts" }],
    ["file:///work/place", { path: "." }],
  ])("%s", (uri, place) => {
    expect(placeOfUri(uri, CWD)).toMatchObject(place)
  })

  it("has no lines where the fragment is none of that kind", () => {
    for (const fragment of ["#L0", "#top", "#L1-L", "#"])
      expect(placeOfUri(`file:///work/place/a.ts${fragment}`, CWD)?.lines).toBeUndefined()
  })

  it("is none elsewhere than on this machine", () => {
    for (const uri of ["https://a.b/c", "file://host/a.ts", "untitled:1"])
      expect(placeOfUri(uri, CWD)).toBeUndefined()
    expect(placeOf("src/a.ts", CWD)).toEqual({ path: "src/a.ts", absolute: "/work/place/src/a.ts" })
  })
})

describe("a prompt", () => {
  it("keeps words and names as they stood, and mentions what is linked", () => {
    const { parts } = readPrompt(
      [
        text("See"),
        link("file:///work/place/a.ts"),
        text("and"),
        link("file:///work/place/b c.ts"),
        text("."),
      ],
      CWD,
    )
    expect(parts).toEqual([{ type: "text", text: 'See @a.ts and @"b c.ts".' }])
  })

  it("keeps paragraphs apart, and images in their place", () => {
    const image: ContentBlock = { type: "image", mimeType: "image/png", data: "AAAA" }
    expect(readPrompt([text("One."), text("Two."), image, text("Three.")], CWD).parts).toEqual([
      { type: "text", text: "One.\nTwo." },
      { type: "image", mediaType: "image/png", data: "AAAA" },
      { type: "text", text: "Three." },
    ])
  })

  it("attaches what the editor sends along, numbered as reading would", () => {
    const { parts, attachments, selections } = readPrompt(
      [embedded("file:///work/place/a.ts", "x\ny\n"), embedded("file:///work/place/a.ts#L4-L5", "p\nq")],
      CWD,
    )
    expect(parts).toEqual([{ type: "text", text: "a.ts a.ts:4-5" }])
    expect(attachments).toEqual([{ type: "mention.file", path: "a.ts", content: "1\tx\n2\ty" }])
    expect(selections).toEqual([{ file: "a.ts", absolute: "/work/place/a.ts", from: 4, to: 5, text: "p\nq" }])
  })

  it("cuts what is too long to be shown, with a note", () => {
    const long = "line\n".repeat(5_000)
    expect(readPrompt([embedded("file:///work/place/a.ts", long)], CWD).attachments).toMatchObject([
      { truncated: { shown: 2_000, total: 5_000 } },
    ])
    const [wide] = readPrompt([embedded("file:///work/place/a.ts", "x".repeat(9_000_000))], CWD).attachments
    expect(JSON.stringify(wide).length).toBeLessThan(51_000)
    const [foreign] = readPrompt([embedded("zed:///thread/1", "x".repeat(9_000_000))], CWD).attachments
    expect(foreign).toMatchObject({ type: "mention.resource", server: "editor", uri: "zed:///thread/1" })
    expect(JSON.stringify(foreign)).toContain("more characters are left out")
    expect(JSON.stringify(foreign).length).toBeLessThan(51_000)
  })

  it("shows a PDF, and only names what no model can see", () => {
    const blob = (mimeType: string, uri: string): ContentBlock => ({
      type: "resource",
      resource: { uri, blob: "AAAA", mimeType },
    })
    const { parts } = readPrompt(
      [blob("application/pdf", "file:///work/place/a.pdf"), blob("application/zip", "mail:1")],
      CWD,
    )
    expect(parts).toEqual([
      { type: "file", mediaType: "application/pdf", data: "AAAA", name: "a.pdf" },
      { type: "text", text: "mail:1 (application/zip, cannot be shown)" },
    ])
  })

  it("is refused when there is nothing in it, or sound", () => {
    expect(() => readPrompt([text(" \n")], CWD)).toThrow("the prompt is empty")
    expect(() => readPrompt([], CWD)).toThrow("the prompt is empty")
    expect(() => readPrompt([{ type: "audio", data: "AA", mimeType: "audio/wav" }], CWD)).toThrow("audio")
  })

  it("is a command only by itself and only if it is known", () => {
    expect(commandIn([text("/compact")])).toEqual({ name: "compact", argument: "" })
    expect(commandIn([text(" /model  openai/gpt-5.6 ")])).toEqual({
      name: "model",
      argument: "openai/gpt-5.6",
    })
    for (const words of ["/unknown", "/etc/hosts", "say /compact", "/compact/now"])
      expect(commandIn([text(words)])).toBeUndefined()
    expect(commandIn([text("/compact"), link("file:///a")])).toBeUndefined()
  })

  it("may come as steering, checked block by block", () => {
    const prompt = [text("x"), link("file:///a"), embedded("a:b", "c")]
    expect(readSteering({ sessionId: "s", prompt })).toEqual({
      sessionId: "s",
      prompt,
      whenIdle: "start-a-turn",
      options: {},
    })
    const _meta = { steering: { idleBehavior: "promptRequired" } }
    expect(readSteering({ sessionId: "s", prompt, _meta }).whenIdle).toBe("ask-for-prompt")
    for (const bad of [
      null,
      "x",
      [null],
      [{ type: "text" }],
      [{ type: "resource", resource: {} }],
      [{ type: "x" }],
    ])
      expect(() => readSteering({ sessionId: "s", prompt: bad })).toThrow("content blocks")
    expect(() => readSteering(undefined)).toThrow("sessionId")
  })
})

describe("the editor's state", () => {
  it("tells what is absent from what is gone", () => {
    expect(readEditorState({ sessionId: "s" })).toEqual({ sessionId: "s" })
    expect(readEditorState({ sessionId: "s", file: null, selection: null })).toEqual({
      sessionId: "s",
      file: null,
      selection: null,
    })
  })

  it("names files as the tools do, and a cursor is no selection", () => {
    expect(fileFact("file:///work/place/src/a.ts", CWD)).toBe("src/a.ts")
    const selection = { file: "/work/place/a.ts", from: 1, to: 1, text: "x".repeat(99_999) }
    expect(selectionFact(selection, CWD)).toMatchObject({ file: "a.ts", from: 1, to: 1 })
    expect(selectionFact(selection, CWD)?.text.length).toBeLessThan(20_000)
    expect(selectionFact({ ...selection, text: "" }, CWD)).toBeUndefined()
  })

  it("is refused when it makes no sense", () => {
    const selection = { file: "a", from: 1, to: 2, text: "x" }
    for (const bad of [{ file: 1 }, { from: 0 }, { from: 3 }, { to: 1.5 }, { text: null }])
      expect(() => readEditorState({ sessionId: "s", selection: { ...selection, ...bad } })).toThrow(
        /selection/,
      )
    expect(() => readEditorState({ file: "a" })).toThrow(/sessionId/)
    expect(() => readEditorState(7)).toThrow(/params/)
  })
})

describe("modes", () => {
  const agents: readonly Agent[] = [
    { name: "build", mode: "primary", description: "Does the work." },
    { name: "plan", mode: "primary", planning: true },
    { name: "review", mode: "all" },
    { name: "explore", mode: "subagent" },
    { name: "title", mode: "primary", hidden: true },
  ]

  it("are the agents that a person can talk to, and auto", () => {
    const { currentModeId, availableModes } = modesOf(agents, { agent: "plan", auto: false })
    expect(currentModeId).toBe("plan")
    expect(availableModes.map(({ id, name }) => `${id} ${name}`)).toEqual([
      "build Build",
      "plan Plan",
      "review Review",
      "auto Auto",
    ])
  })

  it("act without asking with the agent at work, unless that one only plans", () => {
    const from = (agent: string) => modeNamed("auto", agents, { agent, auto: false })
    expect(from("review")).toEqual({ agent: "review", auto: true })
    expect(from("plan")).toEqual({ agent: "build", auto: true })
    expect(idOf({ agent: "build", auto: true }, agents)).toBe("auto")
    expect(idOf({ agent: "plan", auto: true }, agents)).toBe("plan")
    expect(modeNamed("plan", agents, { agent: "build", auto: true })).toEqual({ agent: "plan", auto: false })
    expect(modeNamed("title", agents, { agent: "build", auto: false })).toBeUndefined()
  })

  it("leave the name to an agent that has it", () => {
    const named: readonly Agent[] = [...agents, { name: "auto", mode: "primary" }]
    expect(modesOf(named, { agent: "auto", auto: false }).availableModes).toHaveLength(4)
    expect(modeNamed("auto", named, { agent: "build", auto: false })).toEqual({ agent: "auto", auto: false })
  })
})

describe("what happens, as updates", () => {
  const updates = (files: Readonly<Record<string, string>> = {}) =>
    new Updates({ cwd: CWD, before: (path) => files[path], window: () => 1_000 })
  const all = (one: Updates, events: readonly HarnessEvent[]) => events.flatMap((event) => one.of(event))

  it("keeps the answers of two steps apart, unless a call stands between them", () => {
    const said = (step: readonly SessionUpdate[]) =>
      step.map((update) =>
        "content" in update && !Array.isArray(update.content) ? update.content : undefined,
      )
    const step = { type: "step", n: 1 } as const
    const words = { type: "text", text: "Done." } as const
    expect(said(all(updates(), [step, words, words, step, words]))).toEqual([
      { type: "text", text: "Done." },
      { type: "text", text: "Done." },
      { type: "text", text: "\n\nDone." },
    ])
    const end = { type: "turn-end", reason: "done", steps: 1 } as const
    expect(said(all(updates(), [step, words, end, step, words]))).toEqual([words, words])
  })

  it("shows a change with what was there before", () => {
    const one = updates({ "/work/place/a.ts": "old" })
    const input = { path: "a.ts", content: "new" }
    const diff = { type: "diff", path: "/work/place/a.ts", oldText: "old", newText: "new" }
    expect(one.of({ type: "tool-call", id: "1", name: "write", input })).toMatchObject([
      {
        sessionUpdate: "tool_call",
        title: "Write a.ts",
        kind: "edit",
        status: "in_progress",
        content: [diff],
      },
    ])
    expect(one.of({ type: "tool-result", id: "1", output: "Replaced a.ts." })).toMatchObject([
      { toolCallId: "1", status: "completed", content: [diff], rawOutput: { output: "Replaced a.ts." } },
    ])
    one.of({ type: "tool-call", id: "2", name: "write", input })
    expect(one.of({ type: "tool-result", id: "2", output: "Not allowed.", error: true })).toMatchObject([
      { status: "failed", content: [{ type: "content", content: { type: "text", text: "Not allowed." } }] },
    ])
  })

  it("closes calls that an interruption leaves open, once", () => {
    const one = updates()
    one.of({ type: "tool-call", id: "1", name: "mcp__a__b", input: { x: 1 } })
    expect(one.of({ type: "interrupted" })).toMatchObject([{ toolCallId: "1", status: "failed" }])
    expect(one.of({ type: "interrupted" })).toEqual([])
    expect(one.of({ type: "tool-result", id: "1", output: "late" })).toEqual([])
    expect(one.of({ type: "progress", id: "1", line: "late" })).toEqual([])
  })

  it("lets no output out of its fence", () => {
    const one = updates()
    one.of({ type: "tool-call", id: "1", name: "bash", input: { command: "cat x\ny" } })
    const [end] = one.of({ type: "tool-result", id: "1", output: "```\n# not a heading" })
    expect(JSON.stringify(end)).toContain("````console\\n$ cat x\\ny\\n```\\n# not a heading\\n````")
  })

  it("shows the list as a plan, and not as a call", () => {
    const one = updates()
    const input = { todos: [{ content: "A", status: "in_progress" }] }
    expect(one.of({ type: "tool-call", id: "1", name: "todo_write", input })).toEqual([])
    expect(one.of({ type: "tool-result", id: "1", output: "" })).toEqual([
      { sessionUpdate: "plan", entries: [{ content: "A", status: "in_progress", priority: "medium" }] },
    ])
    one.of({ type: "tool-call", id: "2", name: "todo_write", input: { todos: "x" } })
    expect(one.of({ type: "tool-result", id: "2", output: "wrong", error: true })).toEqual([])
  })

  it("keeps reminders and receipts to itself", () => {
    const reminder = {
      type: "reminder",
      kind: "date_change",
      step: 1,
      carrier: "user-text",
      tokens: 9,
      text: "x",
    } as const
    expect(
      all(updates(), [reminder, { type: "queued", id: "m" }, { type: "rebase", reason: "model" }]),
    ).toEqual([])
  })

  it("replays a conversation with its calls and their ends", () => {
    const view: readonly Message[] = [
      {
        id: "1",
        role: "user",
        parts: [
          { type: "text", text: "Hi" },
          { type: "image", mediaType: "image/png", data: "AA" },
        ],
      },
      {
        id: "2",
        role: "assistant",
        parts: [
          { type: "reasoning", text: "Hm." },
          { type: "tool-call", id: "c", name: "edit", input: { path: "a", old: "1", new: "2" } },
          { type: "tool-call", id: "d", name: "bash", input: { command: "x" } },
        ],
      },
      {
        id: "3",
        role: "tool",
        parts: [{ type: "tool-result", callId: "c", output: [{ type: "text", text: "Edited." }] }],
      },
    ]
    expect(replayOf(view, CWD)).toMatchObject([
      { sessionUpdate: "user_message_chunk", content: { text: "Hi" } },
      { sessionUpdate: "user_message_chunk", content: { type: "image", mimeType: "image/png" } },
      { sessionUpdate: "agent_thought_chunk" },
      { sessionUpdate: "tool_call", toolCallId: "c" },
      { sessionUpdate: "tool_call_update", status: "completed", content: [{ type: "diff", newText: "2" }] },
      { sessionUpdate: "tool_call", toolCallId: "d" },
      { sessionUpdate: "tool_call_update", status: "failed" },
    ])
  })
})

describe("a question", () => {
  const permission: Question = {
    id: "ask-1",
    kind: "permission",
    call: "c",
    agent: "general",
    tool: "bash",
    permission: "bash:unknown",
    target: "make",
    detail: "make all",
  }
  const selected = (optionId: string) => ({ outcome: "selected", optionId }) as const

  it("of a subagent, whose call the editor does not know, says what it is about", () => {
    expect(requestFor(permission, undefined, CWD).toolCall).toMatchObject({
      toolCallId: "ask-1",
      title: "general: bash: bash:unknown make",
      content: [{ content: { text: "make all" } }],
    })
  })

  it("is answered by what was chosen, and by nothing else", () => {
    for (const id of ["allow", "always", "deny"]) expect(answerFor(permission, selected(id))).toBe(id)
    expect(answerFor(permission, selected("made up"))).toMatch(/^deny/)
    expect(answerFor(permission, { outcome: "cancelled" })).toMatch(/^deny/)
    expect(unasked(permission, "no window")).toBe("deny: the editor could not ask: no window")
    const plan: Question = { id: "ask-2", kind: "plan", path: "p.md", plan: "# P" }
    expect(answerFor(plan, selected("approve"))).toBe("approve")
    expect(answerFor(plan, selected("plan"))).not.toMatch(/^(approve|yes|allow|ok)/)
    expect(answerFor(plan, { outcome: "cancelled" })).not.toMatch(/^(approve|yes|allow|ok)/)
    const choice: Question = { id: "ask-3", kind: "question", question: "Which?", options: ["a", "b"] }
    expect(answerFor(choice, selected("option-1"))).toBe("b")
    expect(answerFor(choice, selected("option-9"))).toContain("without an answer")
  })
})

describe("prompts that wait", () => {
  const end = (reason: TurnEnd): HarnessEvent => ({
    type: "turn-end",
    reason,
    steps: 1,
  })
  const hear = (prompts: Prompts, events: readonly HarnessEvent[]) => {
    for (const event of events) prompts.hear(event)
  }

  it("end with the turn they were delivered in; one that came too late with the next", async () => {
    const prompts = new Prompts()
    const [one, two] = [prompts.wait("1"), prompts.wait("2")]
    const usage = {
      type: "usage",
      purpose: "step",
      input: 1,
      output: 2,
      cacheRead: 3,
      cacheWrite: 4,
    } as const
    hear(prompts, [{ type: "delivered", id: "1", step: 1 }, usage, end("max-steps")])
    expect(await one).toMatchObject({ stopReason: "max_turn_requests", usage: { totalTokens: 10 } })
    hear(prompts, [{ type: "delivered", id: "2", step: 1 }, usage, usage, end("done")])
    expect(await two).toMatchObject({ stopReason: "end_turn", usage: { totalTokens: 20 } })
  })

  it("are all cancelled by an interruption, and one by itself", async () => {
    const prompts = new Prompts()
    const [one, two, three] = [prompts.wait("1"), prompts.wait("2"), prompts.wait("3")]
    hear(prompts, [{ type: "cancelled", id: "2" }])
    expect(await two).toEqual({ stopReason: "cancelled" })
    hear(prompts, [{ type: "delivered", id: "1", step: 1 }, end("interrupted")])
    expect([await one, await three]).toEqual([{ stopReason: "cancelled" }, { stopReason: "cancelled" }])
  })

  it("do not wait beyond a limit, which holds back what was not delivered", async () => {
    const prompts = new Prompts()
    const [one, two] = [prompts.wait("1"), prompts.wait("2")]
    hear(prompts, [{ type: "delivered", id: "1", step: 1 }, end("limit")])
    const stopped = { stopReason: "max_turn_requests" }
    expect([await one, await two]).toEqual([stopped, stopped])
  })

  it("fail with the words of what went wrong", async () => {
    const prompts = new Prompts()
    const one = prompts.wait("1")
    hear(prompts, [{ type: "error", message: "No route." }, end("error")])
    await expect(one).rejects.toMatchObject({ code: -32603, message: "No route." })
  })
})

it("hands over MCP servers in the words of sotto.json", () => {
  expect(
    mcpOf([
      { name: "files", command: "/bin/files", args: ["-v"], env: [{ name: "KEY", value: "1" }] },
      { type: "http", name: "web", url: "http://localhost/mcp", headers: [{ name: "A", value: "b" }] },
    ]),
  ).toEqual({
    files: { type: "stdio", command: "/bin/files", args: ["-v"], env: { KEY: "1" } },
    web: { type: "http", url: "http://localhost/mcp", headers: { A: "b" } },
  })
})
