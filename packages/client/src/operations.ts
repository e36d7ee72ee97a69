// Written by `npm run docs` from the description of the server; a test says when it is not current.
import type { Schemas } from "./schemas.js"
import type { NumberedItem, SendOptions, Transport } from "./transport.js"

/** A method for every operation of the server, under its operationId. */
export class ServerOperations {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** POST /sessions: Opens a new session. */
  createSession(
    input: Schemas["CreateSessionInput"],
    options: SendOptions = {},
  ): Promise<Schemas["SessionDetail"]> {
    return this.#transport.call({ method: "POST", path: "/sessions", input, signal: options.signal })
  }

  /** GET /sessions: The sessions, the newest first. */
  listSessions(
    query?: {
      readonly limit?: number | undefined
      readonly before?: string | undefined
      readonly q?: string | undefined
      readonly state?: "idle" | "running" | "asking" | "waiting" | undefined
      readonly label?: string | readonly string[] | undefined
      readonly cwd?: string | undefined
      readonly parent?: string | undefined
    },
    options: SendOptions = {},
  ): Promise<Schemas["SessionList"]> {
    return this.#transport.call({ method: "GET", path: "/sessions", query, signal: options.signal })
  }

  /** GET /sessions/{id}: One session: what it does, what waits, what it asks. */
  getSession(id: string, options: SendOptions = {}): Promise<Schemas["SessionDetail"]> {
    return this.#transport.call({
      method: "GET",
      path: `/sessions/${encodeURIComponent(id)}`,
      signal: options.signal,
    })
  }

  /** PATCH /sessions/{id}: Renames or labels a session. What is given replaces what was there. */
  describeSession(
    id: string,
    input: Schemas["DescribeSessionInput"],
    options: SendOptions = {},
  ): Promise<Schemas["SessionListItem"]> {
    return this.#transport.call({
      method: "PATCH",
      path: `/sessions/${encodeURIComponent(id)}`,
      input,
      signal: options.signal,
    })
  }

  /** DELETE /sessions/{id}: Removes a session with those of its subagents, for good. */
  deleteSession(
    id: string,
    options: SendOptions = {},
  ): Promise<{
    /** Its id, and those of its subagents' sessions. */
    readonly removed: readonly string[]
  }> {
    return this.#transport.call({
      method: "DELETE",
      path: `/sessions/${encodeURIComponent(id)}`,
      signal: options.signal,
    })
  }

  /** POST /sessions/{id}/say: Says something: a prompt when the session is idle, else for its inbox. The same id twice is the same message. */
  say(id: string, input: Schemas["SayInput"], options: SendOptions = {}): Promise<Schemas["MessageReceipt"]> {
    return this.#transport.call({
      method: "POST",
      path: `/sessions/${encodeURIComponent(id)}/say`,
      input,
      signal: options.signal,
    })
  }

  /** GET /sessions/{id}/receipts/{messageId}: What has become of a message. */
  getReceipt(id: string, messageId: string, options: SendOptions = {}): Promise<Schemas["MessageReceipt"]> {
    return this.#transport.call({
      method: "GET",
      path: `/sessions/${encodeURIComponent(id)}/receipts/${encodeURIComponent(messageId)}`,
      signal: options.signal,
    })
  }

  /** POST /sessions/{id}/agent: Another agent answers from the next step on. */
  agent(id: string, input: Schemas["AgentInput"], options: SendOptions = {}): Promise<Schemas["DoneAnswer"]> {
    return this.#transport.call({
      method: "POST",
      path: `/sessions/${encodeURIComponent(id)}/agent`,
      input,
      signal: options.signal,
    })
  }

  /** POST /sessions/{id}/model: Another model answers from the next request that can start an epoch. */
  model(id: string, input: Schemas["ModelInput"], options: SendOptions = {}): Promise<Schemas["DoneAnswer"]> {
    return this.#transport.call({
      method: "POST",
      path: `/sessions/${encodeURIComponent(id)}/model`,
      input,
      signal: options.signal,
    })
  }

  /** POST /sessions/{id}/compact: Puts a summary in the place of what was said, at the next boundary. */
  compact(
    id: string,
    input?: Schemas["CompactInput"],
    options: SendOptions = {},
  ): Promise<Schemas["DoneAnswer"]> {
    return this.#transport.call({
      method: "POST",
      path: `/sessions/${encodeURIComponent(id)}/compact`,
      input: input ?? {},
      signal: options.signal,
    })
  }

  /** POST /sessions/{id}/undo: Goes back to before the newest turn, with what it did to files. A turn that runs is aborted. */
  undo(
    id: string,
    input?: Schemas["UndoInput"],
    options: SendOptions = {},
  ): Promise<Schemas["RewindAnswer"]> {
    return this.#transport.call({
      method: "POST",
      path: `/sessions/${encodeURIComponent(id)}/undo`,
      input: input ?? {},
      signal: options.signal,
    })
  }

  /** POST /sessions/{id}/redo: Takes the newest rewind or undo back, with what it did to files, until something new is said. */
  redo(
    id: string,
    input?: Schemas["RedoInput"],
    options: SendOptions = {},
  ): Promise<Schemas["RewindAnswer"]> {
    return this.#transport.call({
      method: "POST",
      path: `/sessions/${encodeURIComponent(id)}/redo`,
      input: input ?? {},
      signal: options.signal,
    })
  }

  /** POST /sessions/{id}/rewind: Goes back to before the turn that a prompt opened. A turn that runs is aborted. */
  rewind(
    id: string,
    input: Schemas["RewindInput"],
    options: SendOptions = {},
  ): Promise<Schemas["RewindAnswer"]> {
    return this.#transport.call({
      method: "POST",
      path: `/sessions/${encodeURIComponent(id)}/rewind`,
      input,
      signal: options.signal,
    })
  }

  /** POST /sessions/{id}/auto: Allows what would be asked, or asks again. What is denied stays denied. */
  auto(id: string, input: Schemas["AutoInput"], options: SendOptions = {}): Promise<Schemas["DoneAnswer"]> {
    return this.#transport.call({
      method: "POST",
      path: `/sessions/${encodeURIComponent(id)}/auto`,
      input,
      signal: options.signal,
    })
  }

  /** POST /sessions/{id}/style: The agent writes in another style from now on. */
  style(id: string, input: Schemas["StyleInput"], options: SendOptions = {}): Promise<Schemas["DoneAnswer"]> {
    return this.#transport.call({
      method: "POST",
      path: `/sessions/${encodeURIComponent(id)}/style`,
      input,
      signal: options.signal,
    })
  }

  /** POST /sessions/{id}/task: Stops a background task, or has the model told what is new of it. */
  task(id: string, input: Schemas["TaskInput"], options: SendOptions = {}): Promise<Schemas["DoneAnswer"]> {
    return this.#transport.call({
      method: "POST",
      path: `/sessions/${encodeURIComponent(id)}/task`,
      input,
      signal: options.signal,
    })
  }

  /** POST /sessions/{id}/remind: Has the model told something at the next boundary, in these words, whatever the budget. */
  remind(
    id: string,
    input: Schemas["RemindInput"],
    options: SendOptions = {},
  ): Promise<Schemas["DoneAnswer"]> {
    return this.#transport.call({
      method: "POST",
      path: `/sessions/${encodeURIComponent(id)}/remind`,
      input,
      signal: options.signal,
    })
  }

  /** POST /sessions/{id}/reminders: Switches a kind of reminder off, or on again, for this session. */
  reminder(
    id: string,
    input: Schemas["ReminderInput"],
    options: SendOptions = {},
  ): Promise<Schemas["DoneAnswer"]> {
    return this.#transport.call({
      method: "POST",
      path: `/sessions/${encodeURIComponent(id)}/reminders`,
      input,
      signal: options.signal,
    })
  }

  /** POST /sessions/{id}/answer: Answers a question or a permission prompt, by its id. */
  answer(
    id: string,
    input: Schemas["AnswerInput"],
    options: SendOptions = {},
  ): Promise<Schemas["DoneAnswer"]> {
    return this.#transport.call({
      method: "POST",
      path: `/sessions/${encodeURIComponent(id)}/answer`,
      input,
      signal: options.signal,
    })
  }

  /** GET /sessions/{id}/answer: The model's final words of the turn that had a message. Waits for them if asked to. */
  turnAnswer(
    id: string,
    query: { readonly after: string; readonly wait?: number | undefined },
    options: SendOptions = {},
  ): Promise<{
    readonly id: string
    readonly state: "answered" | "queued" | "delivered"
    /** The model's final words of the turn that had it. */
    readonly text?: string
    /** Why the turn ended, as in the event `turn-end`. */
    readonly reason?: string
    /** What the session does. A channel is not told. */
    readonly session?: "idle" | "running" | "asking" | "waiting"
  }> {
    return this.#transport.call({
      method: "GET",
      path: `/sessions/${encodeURIComponent(id)}/answer`,
      query,
      signal: options.signal,
    })
  }

  /** POST /sessions/{id}/abort: Ends the turn where it is. What was said and not delivered waits for the next prompt. */
  abort(
    id: string,
    input?: Schemas["AbortInput"],
    options: SendOptions = {},
  ): Promise<Schemas["QueueAnswer"]> {
    return this.#transport.call({
      method: "POST",
      path: `/sessions/${encodeURIComponent(id)}/abort`,
      input: input ?? {},
      signal: options.signal,
    })
  }

  /** PATCH /sessions/{id}/queue/{messageId}: Changes a message that was not delivered yet. */
  edit(
    id: string,
    messageId: string,
    input: Schemas["EditInput"],
    options: SendOptions = {},
  ): Promise<Schemas["MessageReceipt"]> {
    return this.#transport.call({
      method: "PATCH",
      path: `/sessions/${encodeURIComponent(id)}/queue/${encodeURIComponent(messageId)}`,
      input,
      signal: options.signal,
    })
  }

  /** DELETE /sessions/{id}/queue/{messageId}: Takes a message back that was not delivered yet. */
  cancel(id: string, messageId: string, options: SendOptions = {}): Promise<Schemas["MessageReceipt"]> {
    return this.#transport.call({
      method: "DELETE",
      path: `/sessions/${encodeURIComponent(id)}/queue/${encodeURIComponent(messageId)}`,
      signal: options.signal,
    })
  }

  /** GET /sessions/{id}/events: What happens, as server-sent events, from a number on. */
  events(
    id: string,
    options: SendOptions & { readonly from?: number | undefined } = {},
  ): AsyncGenerator<NumberedItem<Schemas["SessionStreamEvent"]>, void, undefined> {
    return this.#transport.stream({
      method: "GET",
      path: `/sessions/${encodeURIComponent(id)}/events`,
      query: { from: options.from },
      signal: options.signal,
    })
  }

  /** GET /sessions/{id}/log: The entries of the log. */
  getLog(
    id: string,
    query?: { readonly from?: number | undefined; readonly limit?: number | undefined },
    options: SendOptions = {},
  ): Promise<Schemas["LogPart"]> {
    return this.#transport.call({
      method: "GET",
      path: `/sessions/${encodeURIComponent(id)}/log`,
      query,
      signal: options.signal,
    })
  }

  /** GET /sessions/{id}/steps: The requests that were answered, a row each. */
  getSteps(
    id: string,
    query?: { readonly from?: number | undefined; readonly limit?: number | undefined },
    options: SendOptions = {},
  ): Promise<Schemas["StepRows"]> {
    return this.#transport.call({
      method: "GET",
      path: `/sessions/${encodeURIComponent(id)}/steps`,
      query,
      signal: options.signal,
    })
  }

  /** GET /sessions/{id}/requests/{n}: Request n of the session, counted from 1: as it was sent, and laid out for reading. */
  getRequest(
    id: string,
    n: number,
    query?: {
      readonly from?: number | undefined
      readonly limit?: number | undefined
      readonly dialect?: Schemas["HttpDialectName"] | undefined
      readonly whole?: string | undefined
      readonly body?: "0" | "1" | "true" | "false" | undefined
    },
    options: SendOptions = {},
  ): Promise<Schemas["StepRequest"]> {
    return this.#transport.call({
      method: "GET",
      path: `/sessions/${encodeURIComponent(id)}/requests/${encodeURIComponent(n)}`,
      query,
      signal: options.signal,
    })
  }

  /** GET /sessions/{id}/requests/{n}/tools: What the model called in its answer to request n: arguments, results, changes of files. */
  getRequestTools(
    id: string,
    n: number,
    query?: { readonly whole?: string | undefined },
    options: SendOptions = {},
  ): Promise<Schemas["ToolsAnswer"]> {
    return this.#transport.call({
      method: "GET",
      path: `/sessions/${encodeURIComponent(id)}/requests/${encodeURIComponent(n)}/tools`,
      query,
      signal: options.signal,
    })
  }

  /** GET /sessions/{id}/requests/{n}/body: Only the body of request n, as it was sent. */
  getRequestBody(
    id: string,
    n: number,
    query?: { readonly dialect?: Schemas["HttpDialectName"] | undefined },
    options: SendOptions = {},
  ): Promise<Schemas["FreeObject"]> {
    return this.#transport.call({
      method: "GET",
      path: `/sessions/${encodeURIComponent(id)}/requests/${encodeURIComponent(n)}/body`,
      query,
      signal: options.signal,
    })
  }

  /** GET /sessions/{id}/ledger: What every rule said at every step, and why the others kept silent. */
  getLedger(
    id: string,
    query?: { readonly from?: number | undefined; readonly limit?: number | undefined },
    options: SendOptions = {},
  ): Promise<Schemas["LedgerPart"]> {
    return this.#transport.call({
      method: "GET",
      path: `/sessions/${encodeURIComponent(id)}/ledger`,
      query,
      signal: options.signal,
    })
  }

  /** GET /sessions/{id}/asides: What the model was told beside the conversation. */
  getAsides(
    id: string,
    query?: { readonly step?: number | undefined },
    options: SendOptions = {},
  ): Promise<Schemas["AsidesAnswer"]> {
    return this.#transport.call({
      method: "GET",
      path: `/sessions/${encodeURIComponent(id)}/asides`,
      query,
      signal: options.signal,
    })
  }

  /** GET /sessions/{id}/breaks: Where a request did not continue the one before it. */
  getBreaks(id: string, options: SendOptions = {}): Promise<Schemas["BreakList"]> {
    return this.#transport.call({
      method: "GET",
      path: `/sessions/${encodeURIComponent(id)}/breaks`,
      signal: options.signal,
    })
  }

  /** GET /sessions/{id}/search: Where a text first stands in what was sent. */
  search(
    id: string,
    query: { readonly q: string; readonly limit?: number | undefined },
    options: SendOptions = {},
  ): Promise<Schemas["SearchAnswer"]> {
    return this.#transport.call({
      method: "GET",
      path: `/sessions/${encodeURIComponent(id)}/search`,
      query,
      signal: options.signal,
    })
  }

  /** POST /sessions/{id}/fork: Makes a new session that begins as this one is, or was before a prompt. */
  forkSession(
    id: string,
    input?: Schemas["ForkSessionInput"],
    options: SendOptions = {},
  ): Promise<Schemas["SessionListItem"]> {
    return this.#transport.call({
      method: "POST",
      path: `/sessions/${encodeURIComponent(id)}/fork`,
      input: input ?? {},
      signal: options.signal,
    })
  }

  /** GET /totals: What sessions have used together, by state, label and model. metadata.NAME=VALUE filters too. */
  totals(
    query?: {
      readonly q?: string | undefined
      readonly state?: "idle" | "running" | "asking" | "waiting" | undefined
      readonly label?: string | readonly string[] | undefined
      readonly cwd?: string | undefined
      readonly parent?: string | undefined
    },
    options: SendOptions = {},
  ): Promise<{
    readonly sessions: number
    readonly steps: number
    readonly tokens: {
      readonly sent: number
      readonly read: number
      readonly output: number
    }
    /** Dollars, without requests to models whose price is not known. */
    readonly cost: number
    /** Models that were asked and whose price is not known. */
    readonly unpriced: readonly string[]
    /** Models whose own price is not known, each with the model whose price was taken for it. */
    readonly assumed?: { readonly [field: string]: string }
    readonly byState: readonly {
      readonly state: "idle" | "running" | "asking" | "waiting"
      readonly sessions: number
      readonly steps: number
      readonly tokens: {
        readonly sent: number
        readonly read: number
        readonly output: number
      }
      /** Dollars, without requests to models whose price is not known. */
      readonly cost: number
    }[]
    readonly byLabel: readonly {
      readonly label: string
      readonly sessions: number
      readonly steps: number
      readonly tokens: {
        readonly sent: number
        readonly read: number
        readonly output: number
      }
      /** Dollars, without requests to models whose price is not known. */
      readonly cost: number
    }[]
    readonly byModel: readonly {
      readonly model: string
      readonly sessions: number
      readonly steps: number
      readonly tokens: {
        readonly sent: number
        readonly read: number
        readonly output: number
      }
      /** Dollars, without requests to models whose price is not known. */
      readonly cost: number
    }[]
  }> {
    return this.#transport.call({ method: "GET", path: "/totals", query, signal: options.signal })
  }

  /** GET /models: The models of the configuration, and those that Sotto knows. */
  models(options: SendOptions = {}): Promise<{
    /** The model of a session that names none. */
    readonly default: string
    readonly models: readonly {
      /** As `provider/model`. */
      readonly id: string
      /** The API that it is asked by. */
      readonly dialect?: string
      /** Tokens that fit into a request and its answer. */
      readonly window: number
      /** Dollars for a million tokens; absent where it is not known. */
      readonly price?: {
        readonly input: number
        readonly output: number
        readonly cacheRead: number
        readonly cacheWrite: number
        readonly cacheWriteHour: number
        readonly long?: {
          readonly input: number
          readonly output: number
          readonly cacheRead: number
          readonly cacheWrite: number
          readonly cacheWriteHour: number
          readonly over: number
        }
        /** The last day on which it holds. */
        readonly until?: string
        /** The model whose price it is, because its own is not known. */
        readonly assumed?: string
      }
      readonly images: boolean
      readonly documents: boolean
      readonly thinks: boolean
      /** There is a key for it, or it is on this machine. */
      readonly isReachable: boolean
      /** The configuration names it. */
      readonly isConfigured: boolean
    }[]
  }> {
    return this.#transport.call({ method: "GET", path: "/models", signal: options.signal })
  }

  /** GET /compare: What differs between two requests, of one or two sessions or traces. */
  compare(
    query: { readonly a: string; readonly b: string },
    options: SendOptions = {},
  ): Promise<Schemas["CompareAnswer"]> {
    return this.#transport.call({ method: "GET", path: "/compare", query, signal: options.signal })
  }

  /** GET /traces: Recordings that the server was shown, and proxies that run. */
  listTraces(options: SendOptions = {}): Promise<Schemas["TraceList"]> {
    return this.#transport.call({ method: "GET", path: "/traces", signal: options.signal })
  }

  /** POST /traces: Shows the server a recording. */
  addTrace(input: Schemas["AddTraceInput"], options: SendOptions = {}): Promise<Schemas["TraceDetail"]> {
    return this.#transport.call({ method: "POST", path: "/traces", input, signal: options.signal })
  }

  /** GET /traces/{id}: A trace, with the report of `sotto check`. */
  getTrace(id: string, options: SendOptions = {}): Promise<Schemas["TraceDetail"]> {
    return this.#transport.call({
      method: "GET",
      path: `/traces/${encodeURIComponent(id)}`,
      signal: options.signal,
    })
  }

  /** GET /traces/{id}/calls: The calls of a trace, a row each. */
  getCalls(
    id: string,
    query?: { readonly from?: number | undefined; readonly limit?: number | undefined },
    options: SendOptions = {},
  ): Promise<Schemas["CallRows"]> {
    return this.#transport.call({
      method: "GET",
      path: `/traces/${encodeURIComponent(id)}/calls`,
      query,
      signal: options.signal,
    })
  }

  /** GET /traces/{id}/calls/{n}: Call n of a trace, counted from 1, laid out for reading. */
  getCall(
    id: string,
    n: number,
    query?: {
      readonly from?: number | undefined
      readonly limit?: number | undefined
      readonly dialect?: Schemas["HttpDialectName"] | undefined
      readonly whole?: string | undefined
      readonly body?: "0" | "1" | "true" | "false" | undefined
    },
    options: SendOptions = {},
  ): Promise<Schemas["CallRequest"]> {
    return this.#transport.call({
      method: "GET",
      path: `/traces/${encodeURIComponent(id)}/calls/${encodeURIComponent(n)}`,
      query,
      signal: options.signal,
    })
  }

  /** GET /traces/{id}/calls/{n}/tools: What the model called in its answer to call n: arguments, results, changes of files. */
  getCallTools(
    id: string,
    n: number,
    query?: { readonly whole?: string | undefined },
    options: SendOptions = {},
  ): Promise<Schemas["ToolsAnswer"]> {
    return this.#transport.call({
      method: "GET",
      path: `/traces/${encodeURIComponent(id)}/calls/${encodeURIComponent(n)}/tools`,
      query,
      signal: options.signal,
    })
  }

  /** GET /traces/{id}/calls/{n}/body: Only the body of call n, as it went out. */
  getCallBody(id: string, n: number, options: SendOptions = {}): Promise<Schemas["FreeObject"]> {
    return this.#transport.call({
      method: "GET",
      path: `/traces/${encodeURIComponent(id)}/calls/${encodeURIComponent(n)}/body`,
      signal: options.signal,
    })
  }

  /** GET /traces/{id}/breaks: Where a call did not continue the one before it. */
  getTraceBreaks(id: string, options: SendOptions = {}): Promise<Schemas["BreakList"]> {
    return this.#transport.call({
      method: "GET",
      path: `/traces/${encodeURIComponent(id)}/breaks`,
      signal: options.signal,
    })
  }

  /** GET /traces/{id}/search: Where a text first stands in what was sent. */
  searchTrace(
    id: string,
    query: { readonly q: string; readonly limit?: number | undefined },
    options: SendOptions = {},
  ): Promise<Schemas["SearchAnswer"]> {
    return this.#transport.call({
      method: "GET",
      path: `/traces/${encodeURIComponent(id)}/search`,
      query,
      signal: options.signal,
    })
  }

  /** GET /traces/{id}/events: Calls as they come, as server-sent events. The number of an event is that of its call; `from` is the first one wanted. */
  traceEvents(
    id: string,
    options: SendOptions & { readonly from?: number | undefined } = {},
  ): AsyncGenerator<NumberedItem<Schemas["TraceEvent"]>, void, undefined> {
    return this.#transport.stream(
      {
        method: "GET",
        path: `/traces/${encodeURIComponent(id)}/events`,
        query: { from: options.from },
        signal: options.signal,
      },
      "end",
    )
  }

  /** GET /live: Whether the process answers. Asks nothing of the store. */
  live(options: SendOptions = {}): Promise<Schemas["LiveAnswer"]> {
    return this.#transport.call({ method: "GET", path: "/live", signal: options.signal })
  }

  /** GET /ready: Whether the server takes sessions: its store answers, and it is not being drained or stopped. */
  ready(options: SendOptions = {}): Promise<Schemas["ReadyAnswer"]> {
    return this.#transport.call({ method: "GET", path: "/ready", signal: options.signal })
  }

  /** GET /metrics: Figures for Prometheus, in its text format 0.0.4. */
  metrics(options: SendOptions = {}): Promise<string> {
    return this.#transport.call({ method: "GET", path: "/metrics", signal: options.signal })
  }

  /** POST /drain: Takes no more sessions. Those at work here go on to the end of their turns. /ready says 503 from now on. */
  drain(options: SendOptions = {}): Promise<Schemas["DrainAnswer"]> {
    return this.#transport.call({ method: "POST", path: "/drain", signal: options.signal })
  }

  /** GET /health: Whether the server is there. */
  health(options: SendOptions = {}): Promise<Schemas["HealthAnswer"]> {
    return this.#transport.call({ method: "GET", path: "/health", signal: options.signal })
  }

  /** GET /openapi.json: This description. */
  describe(options: SendOptions = {}): Promise<Schemas["FreeObject"]> {
    return this.#transport.call({ method: "GET", path: "/openapi.json", signal: options.signal })
  }

  /** POST /browser: The page's way in: a one-time code in exchange for a cookie. */
  letIn(input: Schemas["LetInInput"], options: SendOptions = {}): Promise<Schemas["LetIn"]> {
    return this.#transport.call({ method: "POST", path: "/browser", input, signal: options.signal })
  }

  /** POST /links: A one-time link to the page. */
  createLink(options: SendOptions = {}): Promise<Schemas["LinkAnswer"]> {
    return this.#transport.call({ method: "POST", path: "/links", signal: options.signal })
  }
}
