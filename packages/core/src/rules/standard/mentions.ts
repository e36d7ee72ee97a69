import { inline } from "../../text/reminder-text.js"
import type { Form } from "../../vocabulary/reminder.js"
import type { Signal } from "../../vocabulary/signal.js"
import type { StandardKind } from "../kinds.js"
import { defineRule, type Moment, type Rule, type Utterance } from "../rule.js"
import { fieldsOf, type StandardSignals } from "../signals.js"
import type { CheckedNames, ReadTool } from "./names.js"

/**
 * Tells what a message mentions with the message: waits until that is delivered, is dropped if that is cancelled, and,
 * being the user's own wish, is never cut.
 */
function onMention<T extends keyof StandardSignals>(
  kind: StandardKind,
  type: T,
  say: (mention: Partial<StandardSignals[T]>) => readonly Form[],
  settings: Partial<Omit<Rule, "kind">> = {},
): Rule<StandardKind> {
  const keyOf = (signal: Signal) => {
    const { message, path, server, uri, agent, lines } = signal
    return JSON.stringify([message, path, server, uri, agent, lines])
  }
  return defineRule({
    kind,
    priority: 80,
    exempt: true,
    trust: "untrusted",
    ...settings,
    signals: [type],
    onlyOnSignals: true,
    keyOf,
    decide: (moment) => {
      const latest = new Map(moment.signals.map((signal) => [keyOf(signal), signal]))
      return [...latest].flatMap(([key, signal]): Utterance[] => {
        if (isCancelled(moment, signal)) return []
        if (isQueued(moment, signal)) return [{ key, until: "its message is delivered" }]
        return [{ key, forms: say(fieldsOf(signal, type) ?? {}) }]
      })
    },
  })
}

function isQueued({ receipt }: Moment, { message }: Signal): boolean {
  return typeof message === "string" && receipt(message) === "queued"
}

function isCancelled({ receipt }: Moment, { message }: Signal): boolean {
  return typeof message === "string" && receipt(message) === "cancelled"
}

/** As if the file had been read; as text, because the assistant has made no such call. */
export const file = ({ read }: CheckedNames): Rule<StandardKind> =>
  onMention("file", "mention.file", ({ path = "a file", content, lines, truncated, media, restored }) => {
    const call = callOf(read, path, lines)
    const part = lines && !call.includes("{") ? `, lines ${lines.from} to ${lines.to}` : ""
    const called = restored
      ? `${inline(path)} was read before the conversation was compacted. As it is now:`
      : `The user mentioned ${inline(path)}${part}. It was read for you${call}:`
    const note = truncated
      ? `\n[only ${truncated.shown} of ${truncated.total} lines are shown${restOf(read)}]`
      : ""
    const text =
      content === undefined || content === ""
        ? media?.length
          ? "(see what follows)"
          : "(empty file)"
        : content
    const attached = media?.length ? { media } : {}
    return [{ line: called, body: { text: `${text}${note}`, source: path, trust: "untrusted", ...attached } }]
  })

/** Writes the call that would have shown the same; with its input, if it is known what that is called. */
function callOf(
  read: ReadTool | undefined,
  path: string,
  lines: { readonly from: number; readonly to: number } | undefined,
): string {
  if (read === undefined) return ""
  const { name, offset, limit } = read
  if (read.path === undefined || (lines && (offset === undefined || limit === undefined)))
    return `, as by ${name}`
  const range = lines && offset && limit ? { [offset]: lines.from, [limit]: lines.to - lines.from + 1 } : {}
  return `, as by ${name} ${inline(JSON.stringify({ [read.path]: path, ...range }))}`
}

function restOf(read: ReadTool | undefined): string {
  if (read === undefined) return ""
  const { offset, limit } = read
  const how = offset === undefined || limit === undefined ? "" : ` with ${offset} and ${limit}`
  return `: read the rest${how}`
}

export const pdfReference = ({ read }: CheckedNames): Rule<StandardKind> =>
  onMention(
    "pdf_reference",
    "mention.pdf",
    ({ path = "the PDF", pages }) => [
      {
        line: `The user mentioned ${inline(path)}. It has ${pages ?? "many"} pages, too many to show at once${byRanges(read)}.`,
      },
    ],
    { trust: "harness" },
  )

function byRanges(read: ReadTool | undefined): string {
  if (read === undefined) return ""
  const how =
    read.pages === undefined ? `, with ${read.name}` : `, with the input \`${read.pages}\` of ${read.name}`
  return `: read it by ranges${how}, at most 20 pages a call`
}

export const directory = onMention(
  "directory",
  "mention.directory",
  ({ path = "a directory", listing = "" }) => [
    {
      line: `The user mentioned the directory ${inline(path)}. Its listing:`,
      body: { text: listing === "" ? "(empty)" : listing, source: path, trust: "untrusted" },
    },
  ],
)

export const mcpResource = onMention("mcp_resource", "mention.resource", (resource) => {
  const { server = "a server", uri = "", text, mediaType = "unknown type", bytes } = resource
  const size = bytes === undefined ? "" : `, ${bytes} bytes`
  return [
    {
      line: `The user mentioned a resource of the MCP server ${inline(server)}:`,
      body: {
        text: text ?? `[binary content: ${mediaType}${size}]`,
        source: uri,
        trust: "untrusted",
        tag: "mcp-resource",
        attributes: { server, uri },
      },
    },
  ]
})

export const agentMention = ({ task }: CheckedNames): Rule<StandardKind> =>
  onMention(
    "agent_mention",
    "mention.agent",
    ({ agent = "" }) => [
      {
        line: `The user wants the agent ${inline(agent)} invoked.${task === undefined ? "" : ` The ${task} tool does that.`}`,
      },
    ],
    { trust: "harness" },
  )
