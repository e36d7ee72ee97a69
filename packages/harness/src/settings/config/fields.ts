import { THINK_LEVELS } from "@sotto/core"
import type { SandboxSetting } from "../../execution/permissions/sandbox/sandbox.js"
import { hooks, languageServers, limits, mcpServers, tenants, webhooks } from "./outside.js"
import { host, permission } from "./permission.js"
import {
  about,
  anything,
  day,
  duration,
  type FieldShape,
  flag,
  type JsonSchema,
  name,
  number,
  oneOf,
  onOrOff,
  type Read,
  size,
  text,
  whole,
  words,
} from "./shape.js"
import { either, list, object, record } from "./structure.js"
import { USUAL } from "./usual.js"

const thinkLevel = oneOf(...THINK_LEVELS)

const temperature = about(
  number(0, 2),
  "How freely the model chooses its words; left out where a model refuses it.",
)
const topP = about(
  number(0, 1),
  "From which share of likely words it chooses; left out where a model refuses it.",
)

/** What a definition may say about an agent, in `sotto.json` and in the front matter of a Markdown file. */
export const agentFields = {
  description: about(text, "What it is for: other agents choose by it."),
  mode: about(oneOf("primary", "subagent", "all"), "Whom it serves: the user, other agents, or both."),
  model: about(name, 'As "provider/model"; the session\'s unless given.'),
  variant: about(name, "One of the model's variants, or a thinking level."),
  think: about(thinkLevel, "How much the model thinks before it answers."),
  planning: about(flag, "Being this agent is being in plan mode: it writes a plan and changes nothing else."),
  steps: about(whole(1), "How many steps a turn may have."),
  temperature,
  topP,
  color: about(name, "Its colour in the terminal and in editors."),
  hidden: about(flag, "Not offered in lists."),
  permission: about(permission, "Rules of its own, after those for all agents. The last match wins."),
  options: about(
    record(anything),
    "Fields of the provider's request, as they are; `sandbox` is for Sotto itself.",
  ),
  disable: about(flag, "As if it did not exist."),
}

/** One in `sotto.json` has nowhere else to say its prompt. */
const agent = object({
  ...agentFields,
  prompt: about(
    either(
      text,
      object({ add: about(words, "Follows layer 1 of the system prompt.") }, "add"),
      ({ is }) => is === "scalar",
    ),
    "Replaces layer 1 of the system prompt; `{add}` is added to it.",
  ),
})

const throttle = object({
  steps: about(whole(0), "Steps between two."),
  turns: about(whole(0), "Turns of the user between two."),
  limit: about(whole(0), "How many in a session."),
})

const kindSettings = object({
  text: about(words, "Replaces the line; {{line}} and the rule's own values can stand in it."),
  throttle: about(throttle, "At least so many steps or turns between two, at most so many in a session."),
  carrier: about(
    oneOf("system-message", "tool-result", "user-text", "assistant-text"),
    "How it travels, where the model and the reminder's trust allow it.",
  ),
  priority: about(number(0), "Higher speaks first.", { usual: 50 }),
  budget: about(whole(0), "Tokens a step for this kind."),
})

const capabilities = object({
  systemMessages: about(flag, "Takes system messages in the middle of a conversation."),
  toolResultReminders: about(flag, "Reads a reminder inside a tool result."),
  prefill: about(flag, "Goes on from a beginning of its own answer."),
  images: about(flag, "Takes images."),
  documents: about(flag, "Takes PDFs."),
  contentParts: about(flag, "Takes content as a list of parts."),
  cacheBreakpoints: about(flag, "Is told where its cache entries end: OpenAI's models from GPT-5.6 on."),
  tiedReasoning: about(flag, "Refuses its own reasoning when anything before it has changed."),
})

const tuning = {
  temperature,
  topP,
  think: about(thinkLevel, "For agents that do not say."),
  options: about(record(anything), "Fields of the provider's request, as they are."),
}

const rates = {
  input: about(number(0), "Read, and not from the cache."),
  output: about(number(0), "Written by the model."),
  cacheRead: about(number(0), "Read from the cache."),
  cacheWrite: about(number(0), "Written to the cache."),
  cacheWriteHour: about(number(0), "Written to the cache, which keeps it for an hour."),
}

const priceFields = {
  ...rates,
  long: about(
    object(
      { over: about(whole(0), "Tokens of the prompt beyond which these rates hold."), ...rates },
      "over",
    ),
    "What every token of a request costs once its prompt is long.",
  ),
}
const price = object(priceFields)

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

/** What `sotto models update` takes and keeps. */
export const modelUpdate = object(
  {
    asOf: about(day, "The day of which it is."),
    source: about(name, "Where it comes from, for people."),
    models: about(
      record(
        object({
          price: about(object(priceFields, "input", "output"), "In dollars for a million tokens."),
          contextWindow: about(whole(1), "In tokens."),
          capabilities: about(capabilities, "What it accepts."),
        }),
      ),
      "By the model's name, or by provider/model.",
    ),
  },
  "asOf",
  "models",
)

const economySettings = object({
  keep: about(whole(0), "Tokens of the newest tool results that are never dropped.", { usual: 14_000 }),
  reasoning: about(
    oneOf("wait", "close", "drop"),
    'What to do while reasoning of an open turn has to come back unchanged: "wait" for the end of the turn, "close" it and go on after, or have the API "drop" the reasoning where it can.',
    { usual: "close" },
  ),
  lifetime: about(
    oneOf("auto", "5m", "1h", "12h"),
    'How long the provider keeps its cache, at most: Anthropic offers 5 minutes and an hour, OpenAI half an hour and, from GPT-5.6 on, 12 hours. "auto" goes by the session\'s pauses, and never takes 12 hours.',
    { usual: "auto" },
  ),
  summaryFrom: about(whole(0), "Tokens from which a summary may pay.", { usual: 100_000 }),
  keepWarm: about(
    flag,
    "Whether the cache is kept while a question to you or a long call is open, where that costs less than to write it again.",
    { usual: false },
  ),
})

const sandboxSetting: FieldShape<SandboxSetting> = oneOf("off", "workspace", "read-only")

const mending = object({
  hold: about(
    either(flag, oneOf("results"), (node) => node.is === "scalar" && typeof node.value === "boolean"),
    'What was sent before goes out as it was first sent; "results": masked tool results too.',
  ),
  mute: about(list(name), "Kinds of reminders that are no longer sent."),
  throttle: about(record(whole(1)), "By kind: reminders of it are sent at most once in so many steps."),
  smoosh: about(
    flag,
    "Whether reminders that follow tool results on Anthropic's API go out inside the last result.",
  ),
  breakpoints: about(flag, "Whether cache markers are added where the agent placed none within reach."),
})

const web = object({
  search: about(
    flag,
    "Whether the model may search the web with a tool of the provider's, which charges for it: Anthropic, OpenAI and Gemini.",
    { usual: false },
  ),
  private: about(
    list(host),
    "Hosts of this machine or its network that `fetch` may ask, each with a port or for all of them. Only your own sotto.json can say it.",
  ),
})

/** What the terminal UI looks like and reacts to. It is the person's own: no folder can set it. */
const terminal = object({
  theme: about(
    name,
    '"auto", one of the built-in themes, or the name of a file in the folder `themes` beside your own sotto.json.',
    { usual: "auto" },
  ),
  keys: about(
    record(list(name)),
    'By what they do: the keys for it, as {"asides": ["ctrl+e"]}. An empty list takes its keys away.',
  ),
  title: about(flag, "Whether the title of the window says what goes on.", { usual: true }),
  notify: about(
    oneOf("auto", "bell", "off"),
    "How you are called when it needs you or has finished and you look elsewhere: as the terminal can, by its bell alone, or not at all.",
    { usual: "auto" },
  ),
  links: about(flag, "Whether names of files are links to them, where the terminal knows links.", {
    usual: true,
  }),
})

/** Every field of `sotto.json`. */
export const configShape = object({
  $schema: about(text, "Where the schema is, for editors.", {
    example: "node_modules/@sotto/harness/sotto.schema.json",
  }),
  model: about(name, 'What to start with, as "provider/model".', { example: "anthropic/claude-opus-5-5" }),
  agent: about(name, "Whom to start with.", { usual: "build", example: "plan" }),
  think: about(thinkLevel, "How much models think, where neither the agent nor the model's settings say.", {
    example: "high",
  }),
  agents: about(record(agent), "Agents of your own, and changes to the built-in ones, by name.", {
    example: {
      reviewer: {
        description: "Reads a change and says what is wrong with it.",
        mode: "subagent",
        prompt: "You review changes. You name the line and the reason.",
        permission: { edit: "deny" },
      },
    },
  }),
  permission: about(permission, "Rules for all agents. The last match wins; an agent's own limits stay.", {
    example: { bash: { "npm test*": "allow", "git push*": "deny" }, read: { ".env*": "deny" } },
  }),
  projects: about(
    record(object({ permission: about(permission, "Rules for all agents there, after the others.") })),
    "By the absolute path of a folder: what holds in it and below.",
    { example: { "/home/me/app": { permission: { bash: { "npm test": "allow" } } } } },
  ),
  reminders: about(
    record(either(onOrOff, kindSettings, ({ is }) => is === "scalar")),
    "By kind: false turns it off, true turns on one that is off by default.",
    { example: { date_change: false, todo_reminder: { throttle: { steps: 20 } }, token_usage: true } },
  ),
  budget: about(
    object({
      perStep: about(whole(0), "Tokens of reminders a step.", { usual: 8_000 }),
      share: about(
        number(0, 1),
        "The share of the context that all reminders together may take; no limit unless set.",
      ),
    }),
    "What reminders may cost.",
    { example: { perStep: 4_000, share: 0.1 } },
  ),
  system: about(
    oneOf("pinned", "recompute"),
    "Whether a system prompt that comes out different is told as a difference, or sent anew.",
    { usual: "pinned", example: "recompute" },
  ),
  channelsWake: about(flag, "Whether a message from a channel may start an idle agent.", {
    usual: false,
    example: true,
  }),
  snip: about(flag, "Whether the model may drop messages it no longer needs.", {
    usual: false,
    example: true,
  }),
  nonce: about(
    flag,
    "Whether tags carry a word that only this session knows, so that no text from outside can know it.",
    {
      usual: false,
      example: true,
    },
  ),
  maxSteps: about(
    whole(1),
    "How many steps a turn may have, for agents that do not say; no limit unless set.",
    { example: 60 },
  ),
  instructions: about(list(name), "More instruction files: paths or globs, from the folder of this file.", {
    example: ["docs/conventions.md", ".cursor/rules/*.md"],
  }),
  models: about(
    record(model),
    'By "provider/model": what Sotto does not know of a model, or knows otherwise.',
    {
      example: {
        "openai-chat/my-model": {
          contextWindow: 131_072,
          price: { input: 0.5, output: 1.5, cacheRead: 0.05, cacheWrite: 0.5 },
        },
      },
    },
  ),
  mcp: about(mcpServers, "MCP servers by name, beside those in `.mcp.json`.", {
    example: {
      docs: { command: "npx", args: ["some-mcp-server"] },
      tracker: { url: "https://tracker.example/mcp" },
    },
  }),
  lsp: about(languageServers, "Language servers by name, for diagnostics of the files the agent touches.", {
    example: { typescript: true, zig: { command: ["zls"], extensions: [".zig"] } },
  }),
  hooks: about(hooks, "Commands to run when something happens.", {
    example: { after_tool: [{ name: "format", match: "edit|write", command: "npm run format" }] },
  }),
  collectTimeout: about(number(1), "Milliseconds that a step waits for what is collected before it.", {
    usual: USUAL.collectTimeout,
    example: 3_000,
  }),
  titles: about(
    flag,
    "Whether a model names sessions and sums them up. On in the terminal UI unless set, off elsewhere.",
    { example: false },
  ),
  cacheDiagnostics: about(
    flag,
    "Whether Anthropic's API, and OpenAI's from GPT-5.6 on, is asked why a request missed its cache. `sotto show` and `/cost` show the answer beside what Sotto did.",
    { usual: false, example: true },
  ),
  style: about(name, "The output style to start with.", { usual: "default", example: "concise" }),
  auto: about(flag, "Whether to act without asking; what is denied stays denied.", {
    usual: false,
    example: true,
  }),
  compaction: about(
    object({
      auto: about(flag, "Whether to compact when the context is nearly full.", { usual: true }),
      at: about(number(0.1, 1), "The share of the context window that counts as nearly full.", {
        usual: USUAL.compactionAt,
      }),
      tail: about(whole(0), "Tokens of the newest messages that are kept whole.", {
        usual: USUAL.compactionTail,
      }),
    }),
    "When the conversation is summarised.",
    { example: { at: 0.7, tail: 12_000 } },
  ),
  economy: about(
    either(oneOf("break-even", "off"), economySettings, ({ is }) => is === "scalar"),
    "When old tool results are dropped and the conversation is summarised for its price.",
    { usual: "break-even", example: { keep: 40_000, lifetime: "1h" } },
  ),
  snapshots: about(
    either(
      flag,
      object({
        file: about(size, `The largest file that is kept, ${USUAL.snapshotFile} unless set.`),
        total: about(
          size,
          `What all that is kept for a workspace may take, ${USUAL.snapshotTotal} unless set.`,
        ),
      }),
      ({ is }) => is === "scalar",
    ),
    "How much of the files is kept for undo: what was there before the agent and its commands changed it. `false` keeps nothing: then only what the tools write can be undone.",
    { example: { file: "50MB", total: "4GB" } },
  ),
  sandbox: about(
    sandboxSetting,
    'What the commands of agents that do not say may write: with "workspace" nothing but the workspace.',
    { usual: "off", example: "workspace" },
  ),
  env: about(
    object({ pass: about(list(name), "Variables that look like secrets and are passed on all the same.") }),
    "What commands, hooks and servers get of the environment.",
    { example: { pass: ["GITHUB_TOKEN"] } },
  ),
  environment: about(list(name), "An older way to write `env.pass`.", { example: ["OPENAI_API_KEY"] }),
  processes: about(
    oneOf("own", "shared"),
    'With "shared", programs that Sotto starts can see its processes, and sudo and debuggers work. They can then read its keys.',
    { usual: "own", example: "shared" },
  ),
  web: about(web, "What the agent reads of the web: searches of the provider's, and private addresses.", {
    example: { search: true, private: ["wiki.corp.example", "127.0.0.1:8080"] },
  }),
  proxy: about(
    mending,
    "What `sotto proxy` may change in the requests that pass through it; nothing unless said.",
    { example: { hold: true, mute: ["todo_reminder"], throttle: { plan_mode: 5 } } },
  ),
  workspaces: about(
    record(name),
    "By name: the folder of a workspace that other machines have too, so that any of them can run its sessions.",
    { example: { app: "/srv/app" } },
  ),
  store: about(name, "Where sessions are kept: the path of a file, or postgres://… for many machines.", {
    example: "postgres://sotto@db.internal/sotto",
  }),
  terminal: about(terminal, "The terminal UI: its colours, its keys, and how it calls you.", {
    example: { theme: "auto", keys: { asides: ["ctrl+e"] }, notify: "bell" },
  }),
  limits: about(
    limits,
    "What a turn and a session may use before it stops and says so; nothing is limited unless set.",
    {
      example: { turn: { steps: 40, cost: 0.5 }, session: { tokens: 5_000_000 } },
    },
  ),
  retention: about(
    object({
      olderThan: about(duration, "Sessions that nobody has used for this long."),
      largerThan: about(size, "The oldest sessions, as long as the store holds more than this."),
      keepLatest: about(whole(0), "So many sessions that were used last stay in any case."),
      to: about(name, "The folder for the files; `archive` beside the store unless set."),
    }),
    "Which sessions `sotto serve` moves to files once an hour; none unless set.",
    { example: { olderThan: "90d", keepLatest: 50 } },
  ),
  tenants: about(
    tenants,
    "What `sotto serve` allows each credential: `user` is your own token, every other name a channel or a token. Nothing is limited unless set.",
    { example: { ci: { requests: 5, sessions: 2, cost: 10 } } },
  ),
  webhooks: about(
    webhooks,
    "Where `sotto serve` posts what happens in the sessions that it runs, signed; nowhere unless set.",
    {
      example: {
        chat: {
          url: "https://chat.example/sotto",
          events: ["question", "turn-end"],
          secretEnv: "CHAT_SECRET",
        },
      },
    },
  ),
})

export type ConfigFile = Read<typeof configShape>
export type AgentSettings = Read<typeof agent>
export type MendingSettings = Read<typeof mending>
export type ConfiguredModel = Read<typeof model>
export type EconomySetting = NonNullable<ConfigFile["economy"]>
/** Settings of the terminal's user interface. */
export type TerminalSettings = Read<typeof terminal>

/** Makes what `sotto.schema.json` holds. */
export function configSchema(): JsonSchema {
  return { $schema: "http://json-schema.org/draft-07/schema#", title: "sotto.json", ...configShape.schema }
}
