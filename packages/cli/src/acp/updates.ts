import type { ContentBlock, PlanEntry, SessionUpdate, ToolCallContent } from "@agentclientprotocol/sdk"
import type { ContentPart, Json, Message, ToolResultPart } from "@sotto/core"
import { allClasses } from "@sotto/core/economy"
import type { HarnessEvent } from "@sotto/harness"
import {
  diffOf,
  outputOf,
  type ShownCall,
  type ToolCall,
  textContent,
  textIn,
  toolCallOf,
} from "./tool-calls.js"

export interface EditorContext {
  readonly cwd: string
  /** Reads what is in a file before a call changes it. */
  before(absolute: string): string | undefined
  window(): number
}

interface Open {
  readonly call: ShownCall
  readonly shown: ToolCall
  readonly progress: string[]
}

const MOST_PROGRESS = 50

/** What an editor shows of what happens. Keeps the calls that are open, so that their ends can be told. */
export class Updates {
  readonly #context: EditorContext
  readonly #open = new Map<string, Open>()
  #step = 0
  /** Tokens of the newest step. */
  #used = 0
  /** Two answers without a call between them would run into each other. */
  #spokeIn: number | undefined

  constructor(context: EditorContext) {
    this.#context = context
  }

  /** Finds the open call that a question is about; by its name where the question does not say which. */
  asking(question: Extract<HarnessEvent, { type: "ask" }>): ToolCall | undefined {
    if (question.kind === "permission") return this.#open.get(question.call)?.shown
    const name = question.kind === "plan" ? "plan_exit" : "question"
    const open = [...this.#open.values()].filter(({ call }) => call.name === name)
    const same = open.find(
      ({ call }) => question.kind === "question" && textIn(call.input, "question") === question.question,
    )
    return (same ?? open[0])?.shown
  }

  of(event: HarnessEvent): readonly SessionUpdate[] {
    switch (event.type) {
      case "step":
        this.#step++
        return []
      case "turn-end":
        this.#spokeIn = undefined
        return []
      case "text":
        return [this.#chunk("agent_message_chunk", event.text)]
      case "reasoning":
        return [this.#chunk("agent_thought_chunk", event.text)]
      case "tool-call":
        return this.#begin(event)
      case "progress":
        return this.#progress(event.id, event.line)
      case "tool-result":
        return this.#end(event.id, event.output, event.error === true)
      case "interrupted":
        return [...this.#open.keys()].flatMap((id) => this.#end(id, "Interrupted.", true))
      case "usage":
        return [this.#usage(event)]
      default:
        return []
    }
  }

  /** Tells how full the context is, by the newest step of the session itself, and what all of it has cost. */
  #usage(event: Extract<HarnessEvent, { type: "usage" }>): SessionUpdate {
    const { purpose, session, account } = event
    if (purpose === "step" && session === undefined) this.#used = allClasses(event)
    const cost = account?.cost === undefined ? {} : { cost: { amount: account.cost, currency: "USD" } }
    return { sessionUpdate: "usage_update", used: this.#used, size: this.#context.window(), ...cost }
  }

  #chunk(sessionUpdate: "agent_message_chunk" | "agent_thought_chunk", words: string): SessionUpdate {
    const isAnswer = sessionUpdate === "agent_message_chunk"
    const apart = isAnswer && this.#spokeIn !== undefined && this.#spokeIn !== this.#step
    if (isAnswer) this.#spokeIn = this.#step
    const text = apart ? `\n\n${words}` : words
    return { sessionUpdate, content: { type: "text", text }, messageId: `step-${this.#step}` }
  }

  #begin({ id, name, input }: ShownCall): readonly SessionUpdate[] {
    this.#spokeIn = undefined
    const call = { id, name, input }
    const diff = diffOf(call, this.#context.cwd, this.#context.before)
    const shown = { ...toolCallOf(call, this.#context.cwd), ...(diff && { content: [diff] }) }
    this.#open.set(id, { call, shown, progress: [] })
    // The list has a place of its own in an editor.
    return name === "todo_write" ? [] : [{ sessionUpdate: "tool_call", ...shown, status: "in_progress" }]
  }

  #progress(id: string, line: string): readonly SessionUpdate[] {
    const open = this.#open.get(id)
    if (open === undefined) return []
    open.progress.push(line)
    const lines = open.progress.slice(-MOST_PROGRESS).join("\n")
    return [
      {
        sessionUpdate: "tool_call_update",
        toolCallId: id,
        status: "in_progress",
        content: [textContent(lines)],
      },
    ]
  }

  #end(id: string, output: string, failed: boolean): readonly SessionUpdate[] {
    const open = this.#open.get(id)
    if (open === undefined) return []
    this.#open.delete(id)
    if (open.call.name === "todo_write") return failed ? [] : [planOf(open.call.input)]
    return [endOf(open.call, open.shown, output, failed)]
  }
}

/** Shows how a call ended. A change that was made stays in sight; one that was not makes room for the reason. */
function endOf(call: ShownCall, { content = [] }: ToolCall, output: string, failed: boolean): SessionUpdate {
  const result: ToolCallContent[] = !failed && content.length > 0 ? content : [outputOf(call, output)]
  return {
    sessionUpdate: "tool_call_update",
    toolCallId: call.id,
    status: failed ? "failed" : "completed",
    content: result,
    rawOutput: { output },
  }
}

/** Shows the agent's list, which knows no priorities. */
function planOf(input: Json): SessionUpdate {
  const todos = (input as { readonly todos?: Json } | null)?.todos
  const entries = (Array.isArray(todos) ? todos : []).map((todo: Json): PlanEntry => {
    const status = textIn(todo, "status")
    return {
      content: textIn(todo, "content") ?? "",
      priority: "medium",
      status: status === "completed" || status === "in_progress" ? status : "pending",
    }
  })
  return { sessionUpdate: "plan", entries }
}

export function replayOf(view: readonly Message[], cwd: string): readonly SessionUpdate[] {
  const results = new Map<string, ToolResultPart>()
  for (const { parts } of view)
    for (const part of parts) if (part.type === "tool-result") results.set(part.callId, part)
  // What was in a file then is not known any more.
  const before = () => undefined
  return view.flatMap(({ id: messageId, role, parts }) =>
    parts.flatMap((part): readonly SessionUpdate[] => {
      switch (part.type) {
        case "text":
        case "image":
        case "file": {
          const sessionUpdate = role === "user" ? "user_message_chunk" : "agent_message_chunk"
          return [{ sessionUpdate, content: blockOf(part), messageId }]
        }
        case "reasoning":
          if (part.text === "") return []
          return [
            {
              sessionUpdate: "agent_thought_chunk",
              content: { type: "text", text: part.text },
              messageId,
            },
          ]
        case "tool-call": {
          const result = results.get(part.id)
          const failed = result === undefined || result.error === true
          if (part.name === "todo_write") return failed ? [] : [planOf(part.input)]
          const diff = diffOf(part, cwd, before)
          const shown = { ...toolCallOf(part, cwd), ...(diff && { content: [diff] }) }
          const output = result === undefined ? "It has no result." : textOf(result.output)
          return [
            { sessionUpdate: "tool_call", ...shown, status: "in_progress" },
            endOf(part, shown, output, failed),
          ]
        }
        case "tool-result":
          return []
      }
    }),
  )
}

function blockOf(part: ContentPart): ContentBlock {
  if (part.type === "text") return { type: "text", text: part.text }
  const { mediaType, data, name } = part
  if (part.type === "image") return { type: "image", mimeType: mediaType, data }
  return { type: "resource", resource: { uri: name ?? "", mimeType: mediaType, blob: data } }
}

function textOf(output: readonly ContentPart[]): string {
  return output.map((part) => (part.type === "text" ? part.text : `[${part.mediaType}]`)).join("\n")
}
