/** A recording of `sotto proxy`: a conversation whose system prompt and an old result change, and of which two calls are mended. */

const MANUAL = "Mind the manual. Keep to the conventions of the project, and read before you write.\n".repeat(
  90,
)
const marker = { cache_control: { type: "ephemeral" } }

const tools = ["bash", "read", "write"].map((name) => ({
  name,
  description: `The tool ${name}.`,
  input_schema: { type: "object", properties: { path: { type: "string" } } },
}))

export interface RecordingOptions {
  readonly calls: number
  /** What the user asks first. */
  readonly prompt?: string
  /** The call from which on the date in the system prompt is another. */
  readonly breakAt?: number
  /** The call that the proxy mends. */
  readonly mendAt?: number
  /** How often each result repeats its line. */
  readonly lines?: number
}

type Message = { role: string; content: object[] }

/** The lines of the recording, each with all that was said before. */
export function recordingOf({
  calls,
  prompt = "Tidy up the parser.",
  breakAt,
  mendAt,
  lines = 20,
}: RecordingOptions): string {
  const messages: Message[] = [{ role: "user", content: [{ type: "text", text: prompt }] }]
  const recorded: string[] = []
  for (let n = 1; n <= calls; n++) {
    if (n > 1) messages.push(...exchange(n, lines))
    const day = breakAt !== undefined && n >= breakAt ? "17th" : "16th"
    recorded.push(JSON.stringify(callOf(n, messages, day, n === mendAt, n === calls)))
  }
  return `${recorded.join("\n")}\n`
}

function exchange(n: number, lines: number): readonly Message[] {
  const reminder = `<system-reminder>\nThe todo list has not been used for a while. It has ${n} items.\n</system-reminder>`
  return [
    { role: "assistant", content: [{ type: "text", text: `I read file ${n}.` }, callBlock(n - 1)] },
    {
      role: "user",
      content: [
        {
          type: "tool_result",
          tool_use_id: `toolu_${n - 1}`,
          content: `export const line${n} = ${n}\n`.repeat(lines),
        },
        ...(n % 7 === 0 ? [{ type: "text", text: reminder }] : []),
      ],
    },
  ]
}

function callBlock(n: number): object {
  return { type: "tool_use", id: `toolu_${n}`, name: "read", input: { path: `src/file-${n + 1}.ts` } }
}

function callOf(
  n: number,
  messages: readonly Message[],
  day: string,
  isMended: boolean,
  isLast: boolean,
): object {
  const marked = messages.map((message, i) =>
    i < messages.length - 1
      ? message
      : {
          ...message,
          content: message.content.map((block, j) =>
            j === message.content.length - 1 ? { ...block, ...marker } : block,
          ),
        },
  )
  const bodyWith = (date: string, conversation: readonly object[]) => ({
    model: "claude-opus-4-5",
    max_tokens: 8_000,
    tools,
    system: [{ type: "text", text: `${MANUAL}\nToday is the ${date} of November.`, ...marker }],
    messages: conversation,
  })
  const told = {
    role: "user",
    content: [
      { type: "text", text: "<system-reminder>\nToday is the 17th of November.\n</system-reminder>" },
    ],
  }
  const content = isLast
    ? [{ type: "text", text: "All done." }]
    : [{ type: "text", text: `I read file ${n + 1}.` }, callBlock(n)]
  const answer = { id: `msg_${n}`, type: "message", role: "assistant", model: "claude-opus-4-5", content }
  return {
    at: 1_790_000_000_000 + n * 7_000,
    ms: 1_000 + ((n * 733) % 4_000),
    request: {
      method: "POST",
      path: "/v1/messages",
      headers: {},
      body: JSON.stringify(bodyWith(isMended ? "17th" : day, marked)),
    },
    ...(isMended && { sent: { body: JSON.stringify(bodyWith(day, [...marked, told])) } }),
    response: {
      status: 200,
      headers: {},
      body: JSON.stringify({ ...answer, stop_reason: isLast ? "end_turn" : "tool_use" }),
    },
  }
}
