import { type Form, inline } from "../../reminder/reminder.js"
import type { StandardKind } from "../kinds.js"
import { defineRule, type Moment, type Rule, type Signal, type Utterance } from "../rule.js"
import { fieldsOf, type StandardSignals } from "../signals.js"

/**
 * What a message mentions is told with the message: it waits until that is delivered, is dropped if that is
 * cancelled, and, being the user's own wish, is never cut.
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
export const file = onMention(
  "file",
  "mention.file",
  ({ path = "a file", content, lines, truncated, media, restored }) => {
    const input = lines ? { path, offset: lines.from, limit: lines.to - lines.from + 1 } : { path }
    const called = restored
      ? `${inline(path)} was read before the conversation was compacted. As it is now:`
      : `The user mentioned ${inline(path)}. It was read for you, as by read ${inline(JSON.stringify(input))}:`
    const note = truncated
      ? `\n[only ${truncated.shown} of ${truncated.total} lines are shown: read the rest with offset and limit]`
      : ""
    const text =
      content === undefined || content === ""
        ? media?.length
          ? "(see what follows)"
          : "(empty file)"
        : content
    const attached = media?.length ? { media } : {}
    return [{ line: called, body: { text: `${text}${note}`, source: path, trust: "untrusted", ...attached } }]
  },
)

export const pdfReference = onMention(
  "pdf_reference",
  "mention.pdf",
  ({ path = "the PDF", pages }) => [
    {
      line: `The user mentioned ${inline(path)}. It has ${pages ?? "many"} pages, too many to show at once: read it by ranges, with the input \`pages\` of read, at most 20 pages a call.`,
    },
  ],
  { trust: "harness" },
)

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

export const agentMention = onMention(
  "agent_mention",
  "mention.agent",
  ({ agent = "" }) => [
    { line: `The user wants the agent ${inline(agent)} invoked. The task tool does that.` },
  ],
  { trust: "harness" },
)
