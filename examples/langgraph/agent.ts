import { appendFileSync, existsSync, readFileSync } from "node:fs"
import {
  AIMessage,
  type AIMessageChunk,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  type UsageMetadata,
} from "@langchain/core/messages"
import type { StructuredToolInterface } from "@langchain/core/tools"
import { END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph"
import { ToolNode } from "@langchain/langgraph/prebuilt"
import type { ChatOpenAI } from "@langchain/openai"
import {
  createSession,
  type Entry,
  type Json,
  type Reply,
  type Request,
  restoreSession,
  type Session,
  type SessionOptions,
  type Usage,
  type WireMessage,
} from "@sotto/core"

type Mode = "build" | "plan"

export interface AgentOptions {
  readonly model: ChatOpenAI
  /** LangChain's own tools. They can ask the session which mode holds. */
  readonly tools: (session: Session<Mode>) => StructuredToolInterface[]
  /** The file that keeps the session. What it holds is taken up where it ended, also after a crash. */
  readonly log: string
  /** Hears the model's words, a whole answer at a time. */
  readonly onText?: (text: string) => void
}

/**
 * An agent with two modes. LangGraph runs the nodes, so this is not built on `drive`: the session decides what the model is
 * told and where to go next.
 */
export function openAgent({ model, tools, log, onText = () => {} }: AgentOptions) {
  const options: SessionOptions<Mode> = {
    agents: [{ name: "build" }, { name: "plan", planning: true }],
    // LangChain's messages can hold what those of Chat Completions can.
    model: { id: model.model, dialect: "openai-chat" },
    now: () => Date.now(),
    newId: () => crypto.randomUUID(),
    onAppend: (entries) => appendFileSync(log, entries.map((entry) => `${JSON.stringify(entry)}\n`).join("")),
  }
  const lines = existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : []
  const entries: Entry[] = lines.map((line) => JSON.parse(line))
  const session =
    entries.length === 0 ? createSession(options) : restoreSession(options, entries, { crashed: true })
  const offered = tools(session)
  const runs = new ToolNode(offered)
  let interrupt: AbortSignal | undefined

  async function askModel() {
    const next = session.next()
    if (next.is !== "request") return {}
    const { id, toolChoice } = next.request
    const able = model.bindTools(offered, { tool_choice: toolChoice })
    const cut = new AbortController()
    // An abort, or a message that could not wait.
    const look = () => {
      if (session.pending.is !== "request" || session.pending.request.id !== id) cut.abort()
    }
    const unwatch = session.watch(look)
    look()
    try {
      const message = await able.invoke(messagesOf(next.request), { signal: cut.signal })
      if (!session.reply(id, replyOf(message)).taken) return {}
      onText(message.text)
      return { messages: [message] }
    } catch (error) {
      if (cut.signal.aborted) return {}
      throw error
    } finally {
      unwatch()
    }
  }

  async function runTools() {
    const next = session.next()
    if (next.is !== "waiting") return {}
    const run = async ({ id, name, input }: (typeof next.calls)[number]) => {
      const call = new AIMessage({ content: "", tool_calls: [{ id, name, args: argsOf(input) }] })
      const done: { messages: ToolMessage[] } = await runs.invoke({ messages: [call] })
      for (const { text, status } of done.messages) session.result(id, text, { error: status === "error" })
      return done.messages
    }
    const stopped = new Promise<ToolMessage[][]>((resolve) => {
      const unwatch = session.watch(() => {
        if (session.isInTurn) return
        unwatch()
        resolve([])
      })
    })
    return { messages: (await Promise.race([Promise.all(next.calls.map(run)), stopped])).flat() }
  }

  const route = () =>
    session.phase === "idle" || interrupt?.aborted
      ? END
      : session.phase === "awaiting-results"
        ? "tools"
        : "model"
  const graph = new StateGraph(MessagesAnnotation)
    .addNode("model", askModel)
    .addNode("tools", runTools)
    .addConditionalEdges(START, route, ["model", "tools", END])
    .addConditionalEdges("model", route, ["model", "tools", END])
    .addConditionalEdges("tools", route, ["model", "tools", END])
    .compile()

  /** Works until nothing is left to do, or until `signal` interrupts. After an error, running again sends the same request. */
  async function run(signal?: AbortSignal): Promise<void> {
    interrupt = signal
    const stop = () => void session.abort()
    signal?.addEventListener("abort", stop)
    if (signal?.aborted) stop()
    await graph.invoke({ messages: [] }, { recursionLimit: 1_000 })
    signal?.removeEventListener("abort", stop)
  }

  return { session, graph, run }
}

/** A request in LangChain's messages. Reasoning stays behind: LangChain has no form of it that all its models take back. */
function messagesOf({ pins, messages }: Request): BaseMessage[] {
  return [new SystemMessage(pins.system), ...[...messages].flatMap(messageOf)]
}

function messageOf(message: WireMessage): readonly BaseMessage[] {
  if (message.role === "assistant") return [new AIMessage(saidBy(message.content))]
  if (message.role === "system") return [new SystemMessage({ content: textsOf(message.content) })]
  const results = message.content.filter((block) => block.type === "tool-result")
  const others = textsOf(message.content)
  return [
    ...results.map(
      ({ callId, content }) => new ToolMessage({ tool_call_id: callId, content: textsOf(content) }),
    ),
    ...(others.length > 0 ? [new HumanMessage({ content: others })] : []),
  ]
}

function textsOf(content: readonly { readonly type: string; readonly text?: string }[]) {
  return content.flatMap(({ type, text }) =>
    type === "text" && text ? [{ type: "text", text } as const] : [],
  )
}

function saidBy(parts: Reply["parts"]) {
  const calls = parts.filter((part) => part.type === "tool-call")
  return {
    content: parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join(""),
    tool_calls: calls.map(({ id, name, input }) => ({ id, name, args: argsOf(input) })),
  }
}

function replyOf({ text, tool_calls = [], usage_metadata }: AIMessageChunk): Reply {
  return {
    parts: [
      { type: "text", text },
      ...tool_calls.map(({ id = "", name, args }) => ({ type: "tool-call", id, name, input: args }) as const),
    ],
    usage: usageOf(usage_metadata),
  }
}

function usageOf(usage: UsageMetadata | undefined): Usage {
  const cacheRead = usage?.input_token_details?.cache_read ?? 0
  const input = (usage?.input_tokens ?? 0) - cacheRead
  return { input, output: usage?.output_tokens ?? 0, cacheRead, cacheWrite: 0 }
}

function argsOf(input: Json): Record<string, Json> {
  return input !== null && typeof input === "object" ? Object.fromEntries(Object.entries(input)) : {}
}
