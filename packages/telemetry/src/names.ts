/*
 * Every name that is sent. Names of `gen_ai`, `server` and `error` are those of OpenTelemetry's semantic conventions
 * 1.41, the last release that holds those for generative AI; `sotto` is ours. docs/telemetry.md lists them, and a test
 * compares the page with this file.
 */

export const SCHEMA = "https://opentelemetry.io/schemas/1.41.0"

export const SPAN = { turn: "invoke_agent", chat: "chat", tool: "execute_tool" } as const

export const ATTRIBUTE = {
  operation: "gen_ai.operation.name",
  provider: "gen_ai.provider.name",
  conversation: "gen_ai.conversation.id",
  agent: "gen_ai.agent.name",
  model: "gen_ai.request.model",
  stream: "gen_ai.request.stream",
  temperature: "gen_ai.request.temperature",
  topP: "gen_ai.request.top_p",
  maxTokens: "gen_ai.request.max_tokens",
  answeredBy: "gen_ai.response.model",
  responseId: "gen_ai.response.id",
  finish: "gen_ai.response.finish_reasons",
  firstChunk: "gen_ai.response.time_to_first_chunk",
  input: "gen_ai.usage.input_tokens",
  output: "gen_ai.usage.output_tokens",
  cacheRead: "gen_ai.usage.cache_read.input_tokens",
  cacheWrite: "gen_ai.usage.cache_creation.input_tokens",
  tokenType: "gen_ai.token.type",
  toolName: "gen_ai.tool.name",
  toolCall: "gen_ai.tool.call.id",
  toolType: "gen_ai.tool.type",
  toolDescription: "gen_ai.tool.description",
  address: "server.address",
  port: "server.port",
  error: "error.type",
  turn: "sotto.turn",
  step: "sotto.step",
  steps: "sotto.turn.steps",
  end: "sotto.turn.end",
  requests: "sotto.account.requests",
  cost: "sotto.account.cost",
  think: "sotto.request.think",
  interrupted: "sotto.interrupted",
  kind: "sotto.token.kind",
  origin: "sotto.message.origin",
  delivery: "sotto.message.delivery",
} as const

/** Sent only where content is asked for. */
export const CONTENT = {
  system: "gen_ai.system_instructions",
  tools: "gen_ai.tool.definitions",
  inputs: "gen_ai.input.messages",
  outputs: "gen_ai.output.messages",
  arguments: "gen_ai.tool.call.arguments",
  result: "gen_ai.tool.call.result",
} as const

export const EVENT = {
  reminder: {
    name: "sotto.reminder",
    kind: "sotto.reminder.kind",
    carrier: "sotto.reminder.carrier",
    tokens: "sotto.reminder.tokens",
  },
  rebase: { name: "sotto.rebase", reason: "sotto.rebase.reason" },
  break: { name: "sotto.break", reason: "sotto.break.reason", tokens: "sotto.break.tokens" },
  retry: { name: "sotto.retry", attempt: "sotto.retry.attempt", delay: "sotto.retry.delay" },
  leaseLost: { name: "sotto.lease.lost" },
} as const

const SECONDS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92]
const LONG = [...SECONDS, 163.84, 327.68, 655.36]
const SHORT = [0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10]
const TOKENS = Array.from({ length: 14 }, (_, power) => 4 ** power)

/** The metrics: instrument, unit, and where a histogram's buckets end. */
export const METRIC = {
  tokenUsage: {
    name: "gen_ai.client.token.usage",
    is: "histogram",
    unit: "{token}",
    description: "Tokens that a model call read and wrote, as the provider counted them.",
    buckets: TOKENS,
  },
  callTime: {
    name: "gen_ai.client.operation.duration",
    is: "histogram",
    unit: "s",
    description: "How long a model call took, with its retries.",
    buckets: SECONDS,
  },
  firstChunk: {
    name: "gen_ai.client.operation.time_to_first_chunk",
    is: "histogram",
    unit: "s",
    description: "How long the first piece of a reply took to come.",
    buckets: SECONDS,
  },
  tokens: {
    name: "sotto.tokens",
    is: "counter",
    unit: "{token}",
    description: "Tokens by kind: input (read anew), cache_read, cache_write and output.",
  },
  queueTime: {
    name: "sotto.queue.time",
    is: "histogram",
    unit: "s",
    description: "How long a message waited, from when it was said until a step delivered it.",
    buckets: LONG,
  },
  stepTime: {
    name: "sotto.step.time",
    is: "histogram",
    unit: "s",
    description: "How long a step took: the model call, and the calls of tools that it led to.",
    buckets: LONG,
  },
  storeTime: {
    name: "sotto.step.store_time",
    is: "histogram",
    unit: "s",
    description: "How much of a step was spent waiting for the store.",
    buckets: SHORT,
  },
  toolTime: {
    name: "sotto.tool.time",
    is: "histogram",
    unit: "s",
    description: "How long a call of a tool took: judged, asked about, and run.",
    buckets: SECONDS,
  },
  openSessions: {
    name: "sotto.session.open",
    is: "up-down-counter",
    unit: "{session}",
    description: "Sessions that this process has open.",
  },
  activeSessions: {
    name: "sotto.session.active",
    is: "up-down-counter",
    unit: "{session}",
    description: "Sessions of this process that are in a turn.",
  },
  leasesLost: {
    name: "sotto.lease.losses",
    is: "counter",
    unit: "{lease}",
    description: "Leases that this process lost to another worker.",
  },
} as const
