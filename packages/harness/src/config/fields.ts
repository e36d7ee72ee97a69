import { THINK_LEVELS } from "@sotto/core"
import type { SandboxSetting } from "../permissions/sandbox/sandbox.js"
import { hooks, languageServers, limits, mcpServers } from "./outside.js"
import { permission } from "./permission.js"
import {
  about,
  anything,
  duration,
  flag,
  type JsonSchema,
  name,
  number,
  oneOf,
  onOrOff,
  type Read,
  type Shape,
  size,
  text,
  whole,
} from "./shape.js"
import { either, list, object, record } from "./structure.js"

const thinkLevel = oneOf(...THINK_LEVELS)

/** What a definition may say about an agent, in `sotto.json` and in the front matter of a Markdown file. */
export const agentFields = {
  description: about(text, "What it is for: other agents choose by it."),
  mode: about(oneOf("primary", "subagent", "all"), "Whom it serves: the user, other agents, or both."),
  model: about(name, 'As "provider/model"; the session\'s unless given.'),
  variant: about(name, "One of the model's variants, or a thinking level."),
  think: about(thinkLevel, "How much the model thinks before it answers."),
  planning: about(flag, "Being this agent is being in plan mode: it writes a plan and changes nothing else."),
  steps: about(whole(1), "How many steps a turn may have."),
  temperature: number(0, 2),
  topP: number(0, 1),
  color: name,
  hidden: about(flag, "Not offered in lists."),
  permission: about(permission, "Rules of its own, after those for all agents. The last match wins."),
  options: about(
    record(anything),
    "Fields of the provider's request, as they are; `sandbox` is for Sotto itself.",
  ),
  disable: about(flag, "As if it did not exist."),
}

/** One in `sotto.json` has nowhere else to say its prompt. */
const agent = object({ ...agentFields, prompt: about(text, "Replaces layer 1 of the system prompt.") })

const throttle = object({ steps: whole(0), turns: whole(0), limit: whole(0) })

const kindSettings = object({
  text: about(text, "Replaces the line; {{line}} and the rule's own values can stand in it."),
  throttle: about(throttle, "At least so many steps or turns between two, at most so many in a session."),
  carrier: oneOf("system-message", "tool-result", "user-text", "assistant-text"),
  priority: about(number(0), "Higher speaks first; 50 is usual."),
  budget: about(whole(0), "Tokens a step for this kind."),
})

const capabilities = object({
  systemMessages: flag,
  toolResultReminders: flag,
  prefill: flag,
  images: flag,
  documents: flag,
  contentParts: flag,
  tiedReasoning: flag,
})

const tuning = {
  temperature: number(0, 2),
  topP: number(0, 1),
  think: about(thinkLevel, "For agents that do not say."),
  options: about(record(anything), "Fields of the provider's request, as they are."),
}

const price = object({ input: number(0), output: number(0), cacheRead: number(0), cacheWrite: number(0) })

const model = object({
  capabilities: about(capabilities, "What it accepts, where the built-in table is wrong or silent."),
  contextWindow: about(whole(1), "In tokens."),
  ...tuning,
  variants: about(record(object(tuning)), "By name: what holds where an agent's `variant` names it."),
  price: about(price, "In dollars for a million tokens."),
  silence: about(
    number(1),
    "Seconds without a byte after which a call is given up: 300 at the provider's own address, 600 at any other.",
  ),
})

const economySettings = object({
  keep: about(whole(0), "Tokens of the newest tool results that are never dropped; 20,000 unless set."),
  reasoning: about(
    oneOf("wait", "close", "drop"),
    'What to do while reasoning of an open turn has to come back unchanged: "wait" for the end of the turn, "close" it and go on after (unless set), or have the API "drop" the reasoning where it can.',
  ),
  lifetime: about(
    oneOf("auto", "5m", "1h"),
    "How long Anthropic keeps its cache; by the session's pauses unless set.",
  ),
  summaryFrom: about(whole(0), "Tokens from which a summary may pay; 100,000 unless set."),
})

const sandboxSetting: Shape<SandboxSetting> = oneOf("off", "workspace", "read-only")

const mending = object({
  hold: about(
    either(flag, oneOf("results"), (node) => node.is === "scalar" && typeof node.value === "boolean"),
    'What was sent before goes out as it was first sent; "results": masked tool results too.',
  ),
  mute: about(list(name), "Kinds of reminders that are no longer sent."),
  throttle: about(record(whole(1)), "By kind: reminders of it are sent at most once in so many steps."),
  breakpoints: about(flag, "Whether cache markers are added where the agent placed none within reach."),
})

/** What the terminal UI looks like and reacts to. It is the person's own: no folder can set it. */
const terminal = object({
  theme: about(
    name,
    '"auto", one of the built-in themes, or the name of a file in the folder `themes` beside your own sotto.json.',
  ),
  keys: about(
    record(list(name)),
    'By what they do: the keys for it, as {"asides": ["ctrl+e"]}. An empty list takes its keys away.',
  ),
  title: about(flag, "Whether the title of the window says what goes on. On unless set."),
  notify: about(
    oneOf("auto", "bell", "off"),
    "How you are called when it needs you or has finished and you look elsewhere: as the terminal can, by its bell alone, or not at all.",
  ),
  links: about(
    flag,
    "Whether names of files are links to them. On unless set, where the terminal knows them.",
  ),
})

/** Every field of `sotto.json`. */
export const configShape = object({
  $schema: text,
  model: about(name, 'What to start with, as "provider/model".'),
  agent: about(name, "Whom to start with."),
  think: about(thinkLevel, "How much models think, where neither the agent nor the model's settings say."),
  agents: about(record(agent), "Agents of your own, and changes to the built-in ones, by name."),
  permission: about(permission, "Rules for all agents. The last match wins; an agent's own limits stay."),
  projects: about(
    record(object({ permission: about(permission, "Rules for all agents there, after the others.") })),
    "By the absolute path of a folder: what holds in it and below. Counts in the user's own file only.",
  ),
  reminders: about(
    record(either(onOrOff, kindSettings, ({ is }) => is === "scalar")),
    "By kind: false turns it off, true turns on one that is off by default.",
  ),
  budget: about(
    object({
      perStep: about(whole(0), "Tokens of reminders a step."),
      share: about(number(0, 1), "Of the context."),
    }),
    "What reminders may cost.",
  ),
  system: about(
    oneOf("pinned", "recompute"),
    "Whether a system prompt that comes out different is told as a difference, or sent anew.",
  ),
  channelsWake: about(flag, "Whether a message from a channel may start an idle agent."),
  snip: about(flag, "Whether the model may drop messages it no longer needs."),
  nonce: about(flag, "Whether tags carry a nonce of the session."),
  maxSteps: about(whole(1), "How many steps a turn may have, for agents that do not say."),
  instructions: about(list(name), "More instruction files: paths or globs, from the folder of this file."),
  models: about(record(model), 'By "provider/model".'),
  mcp: about(mcpServers, "MCP servers by name, beside those in `.mcp.json`."),
  lsp: about(languageServers, "Language servers by name, for diagnostics of the files the agent touches."),
  hooks: about(hooks, "Commands to run when something happens."),
  collectTimeout: about(number(1), "Milliseconds that a step waits for what is collected before it."),
  titles: about(
    flag,
    "Whether a model names sessions and sums them up. On in the terminal UI unless set, off elsewhere.",
  ),
  cacheDiagnostics: about(
    flag,
    "Whether Anthropic's API is asked why a request missed its cache. The answer is in the log and in `sotto show`.",
  ),
  style: about(name, "The output style to start with."),
  auto: about(flag, "Whether to act without asking; what is denied stays denied."),
  compaction: about(
    object({
      auto: about(flag, "Whether to compact when the context is nearly full."),
      at: about(number(0.1, 1), "The share of the context window that counts as nearly full."),
      tail: about(whole(0), "Tokens of the newest messages that are kept whole."),
    }),
    "When the conversation is summarised.",
  ),
  economy: about(
    either(oneOf("break-even", "off"), economySettings, ({ is }) => is === "scalar"),
    'When old tool results are dropped and the conversation is summarised for its price: "break-even" unless set.',
  ),
  sandbox: about(
    sandboxSetting,
    'What the commands of agents that do not say may write: with "workspace" nothing but the workspace.',
  ),
  environment: about(
    list(name),
    "Key variables that commands, hooks and servers may have all the same. In your own sotto.json only.",
  ),
  proxy: about(
    mending,
    "What `sotto proxy` may change in the requests that pass through it; nothing unless said.",
  ),
  terminal: about(
    terminal,
    "The terminal UI: its colours, its keys, and how it calls you. In your own sotto.json only.",
  ),
  store: about(
    name,
    "Where sessions are kept: the path of a file, or postgres://… for many machines. In your own sotto.json only.",
  ),
  retention: about(
    object({
      olderThan: about(duration, "Sessions that nobody has used for this long."),
      largerThan: about(size, "The oldest sessions, as long as the store holds more than this."),
      keepLatest: about(whole(0), "So many sessions that were used last stay in any case."),
      to: about(name, "The folder for the files; `archive` beside the store unless set."),
    }),
    "Which sessions `sotto serve` moves to files once an hour; none unless set. In your own sotto.json only.",
  ),
  limits: about(limits, "What a turn and a session may use before it stops and says so."),
})

export type ConfigFile = Read<typeof configShape>
export type AgentSettings = Read<typeof agent>
export type MendingSettings = Read<typeof mending>
export type ModelSettings = Read<typeof model>
export type EconomySetting = NonNullable<ConfigFile["economy"]>
export type TerminalSettings = Read<typeof terminal>

/** What `sotto.schema.json` holds. */
export function configSchema(): JsonSchema {
  return { $schema: "http://json-schema.org/draft-07/schema#", title: "sotto.json", ...configShape.schema }
}
