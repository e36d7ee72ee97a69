import { estimateTokens, type Part, type Session } from "@sotto/core"
import type { AccountFigures, ProjectRuntime } from "@sotto/harness"
import { counted, whole } from "./figures.js"

/** What is said of a session that goes on. */
export interface SessionStatus {
  readonly session: Session
  /** The model as it is asked, and how much it thinks if that was said. */
  readonly model: string
  readonly think: string | undefined
  readonly account: AccountFigures
  /** What it costs, in words; undefined before the first reply. */
  readonly cost: string | undefined
  /** What happens without asking, in words. */
  readonly mode: string
}

/** Says in a table who answers, where, with which rights, and what that has used so far. */
export function statusPage(
  { session, model, think, account, cost, mode }: SessionStatus,
  { cwd, config, trust, mcp }: ProjectRuntime,
): string {
  const { tokens, window } = session.context
  const share = Math.round((tokens / window) * 100)
  const untrusted =
    trust.leftOut.length === 0 ? "nothing to trust here" : "no; `sotto trust` says what is left out"
  return table([
    ["session", session.id],
    ["folder", cwd],
    ["trusted", trust.trusted ? "yes" : untrusted],
    ["agent", `${session.agent}; ${mode}`],
    ["model", think === undefined ? model : `${model}, thinks: ${think}`],
    ["context", `about ${whole(tokens)} of ${whole(window)} tokens (${share}%); \`/context\` says of what`],
    [
      "cost",
      cost === undefined
        ? "nothing yet"
        : `${counted(account.requests, "request")}, ${cost}; \`/cost\` says for what`,
    ],
    ["MCP servers", mcp.names.length === 0 ? "none" : `${mcp.names.join(", ")}; \`/mcp\` says how they are`],
    ["settings", config.files.length === 0 ? "none of your own" : "`/config` says where they come from"],
  ])
}

/** Says what the next request consists of, by estimate. */
export function contextPage(session: Session): string {
  const { tokens, head, window } = session.context
  const sums = new Map<string, number>([["system prompt and tools", head]])
  for (const exchange of session.exchanges()) for (const [what, text] of textsOf(exchange)) count(what, text)
  const known = [...sums.values()].reduce((sum, one) => sum + one, 0)
  const rows = [...sums].filter(([, one]) => one > 0).sort(([, a], [, b]) => b - a)
  const free = Math.max(0, window - tokens)
  return [
    `A request has about ${whole(tokens)} tokens now; ${session.model} takes ${whole(window)}.`,
    "",
    "| it consists of | tokens | of the window |",
    "| --- | --- | --- |",
    ...rows.map(([what, one]) => `| ${what} | ${whole(one)} | ${percentOf(one)} |`),
    ...(tokens > known
      ? [`| images, documents and marks | ${whole(tokens - known)} | ${percentOf(tokens - known)} |`]
      : []),
    `| free | ${whole(free)} | ${percentOf(free)} |`,
    "",
    "`/compact` puts a summary in the place of the conversation; `/clear` begins a new one.",
  ].join("\n")

  function count(what: string, text: string): void {
    sums.set(what, (sums.get(what) ?? 0) + estimateTokens(text))
  }
  function percentOf(one: number): string {
    return `${((one / window) * 100).toFixed(1)}%`
  }
}

/** Lists the texts of an exchange by what they are. */
function textsOf({
  group,
  reply = [],
}: ReturnType<Session["exchanges"]>[number]): readonly (readonly [what: string, text: string])[] {
  const parts = (what: string, content: readonly Part[]) =>
    content.flatMap((part) => (part.type === "text" ? [[what, part.text] as const] : []))
  return [
    ...(group.summary === undefined ? [] : [["summary", group.summary] as const]),
    ...group.results.flatMap(({ output }) => parts("tool results", output)),
    ...group.messages.flatMap(({ content }) => parts("messages", content)),
    ...group.reminders.map(({ line, body }) => ["asides", `${line}\n${body?.text ?? ""}`] as const),
    ...reply.flatMap((part): (readonly [string, string])[] => {
      if (part.type === "text") return [["answers", part.text]]
      if (part.type === "tool-call") return [["calls", JSON.stringify(part.input)]]
      return part.type === "reasoning" ? [["thoughts", part.text]] : []
    }),
  ]
}

/** Lists the files that settings come from, and what the sum of them says. */
export function configPage({ config }: ProjectRuntime): string {
  const { files, ...settings } = config
  const set = Object.entries(settings).filter(([, value]) => !isEmpty(value))
  return [
    files.length === 0
      ? "No file has settings for this folder. `sotto init` writes one with comments."
      : "Settings come from these files; a later one counts more:",
    "",
    ...files.map((path) => `- \`${path}\``),
    ...(set.length === 0 ? [] : ["", "| setting | value |", "| --- | --- |"]),
    ...set.map(([name, value]) => `| ${name} | ${shortened(JSON.stringify(value))} |`),
    "",
    "`/model`, `/think`, `/theme`, `/permissions` and `/asides` change what can be changed here. Other changes count from the next start on.",
  ].join("\n")
}

const LONGEST = 200

function shortened(text: string): string {
  const cell = text.replaceAll("|", "\\|")
  return cell.length > LONGEST ? `${cell.slice(0, LONGEST)}…` : cell
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null) return true
  return typeof value === "object" && Object.keys(value).length === 0
}

/** Makes a table of names and values, of which the first row is the head. */
function table([head = ["", ""], ...rows]: readonly (readonly [name: string, value: string])[]): string {
  const row = ([name, value]: readonly [string, string]) => `| ${name} | ${value.replaceAll("|", "\\|")} |`
  return [row(head), "| --- | --- |", ...rows.map(row)].join("\n")
}
