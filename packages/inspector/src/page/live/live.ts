import type {
  OpenQuestion,
  QueuedMessage,
  SessionDetail,
  SessionEvent,
  SessionState,
} from "../../contract.js"
import type { FeedLink } from "../data/reader.js"

/** What is going on in a session right now. */
export interface Live {
  readonly state: SessionState
  /** What the model has said in the step that runs. */
  readonly text: string
  readonly reasoning: string
  /** Calls of the step that runs, without their results. */
  readonly tools: readonly { readonly id: string; readonly name: string; readonly line: string }[]
  readonly queue: readonly QueuedMessage[]
  readonly questions: readonly OpenQuestion[]
  readonly step: number | undefined
  readonly link: FeedLink
  /** True once an event has said what the session does: events come in order, answers to requests do not. */
  readonly hasHeard: boolean
  /** The number of the newest event. */
  readonly seq: number
  /** Counts events after which rows and details have to be fetched again. */
  readonly stale: number
  /** The last thing that went wrong, in words. */
  readonly trouble: string | undefined
}

export type LiveUpdate =
  | { readonly is: "event"; readonly event: SessionEvent; readonly seq?: number }
  | { readonly is: "detail"; readonly detail: SessionDetail }
  | { readonly is: "link"; readonly link: FeedLink }

export const NOTHING: Live = {
  state: "idle",
  text: "",
  reasoning: "",
  tools: [],
  queue: [],
  questions: [],
  step: undefined,
  link: "open",
  hasHeard: false,
  seq: 0,
  stale: 0,
  trouble: undefined,
}

/** How much of a reply is shown while it comes. */
const LONGEST = 20_000

/** Returns the state after something happened. Pure: the same happenings give the same state in every browser. */
export function reduce(live: Live, happening: LiveUpdate): Live {
  switch (happening.is) {
    case "link":
      // Whatever was missed while the connection was lost is fetched.
      return {
        ...live,
        link: happening.link,
        stale: live.link === "lost" && happening.link === "open" ? live.stale + 1 : live.stale,
      }
    case "detail": {
      const { state, queue, questions, seq } = happening.detail
      return {
        ...live,
        state: live.hasHeard ? live.state : state,
        queue,
        // An answer that was overtaken by an event does not know of a question that was asked since.
        questions: seq < live.seq ? live.questions : questions,
      }
    }
    case "event": {
      const now = heard(live, happening.event)
      // What is told of the moment has no number.
      const seq = Math.max(now.seq, happening.seq || 0)
      return seq === now.seq ? now : { ...now, seq }
    }
  }
}

function heard(live: Live, event: SessionEvent): Live {
  const stale = live.stale + 1
  switch (event.type) {
    case "step":
      return {
        ...live,
        state: "running",
        step: event.n,
        text: "",
        reasoning: "",
        tools: [],
        trouble: undefined,
        stale,
      }
    // A reply that comes has overcome what made the request fail before.
    case "text":
      return { ...live, text: appended(live.text, event.text), trouble: undefined }
    case "reasoning":
      return { ...live, reasoning: appended(live.reasoning, event.text), trouble: undefined }
    case "tool-call":
      return {
        ...live,
        trouble: undefined,
        tools: [...live.tools, { id: event.id ?? "", name: event.name ?? "", line: "" }],
      }
    case "progress":
      return {
        ...live,
        tools: live.tools.map((tool) =>
          tool.id === event.id && typeof event.line === "string" ? { ...tool, line: event.line } : tool,
        ),
      }
    case "tool-result":
      return { ...live, tools: live.tools.filter(({ id }) => id !== event.id), stale }
    case "ask": {
      const { type: _, ...question } = event
      const others = live.questions.filter(({ id }) => id !== event.id)
      return {
        ...live,
        hasHeard: true,
        state: "asking",
        questions: [...others, question as unknown as OpenQuestion],
      }
    }
    case "question-answered": {
      const questions = live.questions.filter(({ id }) => id !== event.id)
      return { ...live, questions, state: questions.length === 0 ? "running" : live.state }
    }
    case "delivered":
    case "cancelled":
      return { ...live, queue: live.queue.filter(({ id }) => id !== event.id), stale }
    case "turn-end":
      return { ...live, hasHeard: true, state: "idle", tools: [], questions: [], stale }
    case "interrupted":
      return { ...live, hasHeard: true, state: "idle", tools: [], stale }
    case "error":
      return {
        ...live,
        trouble: typeof event.message === "string" ? event.message : "Something failed.",
        stale,
      }
    case "retry":
      return { ...live, trouble: typeof event.reason === "string" ? event.reason : undefined }
    case "queued":
    case "usage":
    case "agent":
    case "attached":
    case "compacted":
    case "rebase":
    case "rewound":
    case "redone":
      return { ...live, stale }
    default:
      return live
  }
}

function appended(before: string, more: string | undefined): string {
  return (before + (more ?? "")).slice(-LONGEST)
}
