import { createServer } from "node:http"

/** What the model server saw: one request. */
export interface SeenRequest {
  /** The life of a worker that sent it, by the address it was sent to. */
  readonly life: string
  readonly session: string
  /** Ids of the messages in it, in their order. */
  readonly messages: readonly string[]
  readonly at: number
}

export interface ModelServer {
  readonly url: string
  readonly requests: readonly SeenRequest[]
  close(): Promise<void>
}

/** How a message of the storm reads: "Task s3-m2.". */
export const wordsOf = (message: string) => `Task ${message}.`
const MESSAGE = /Task (s\d+-m\d+)\./g

interface Heard {
  readonly role: string
  readonly content?: unknown
}

/**
 * A model that answers each new message with one command and ends the turn when that has run. It speaks Chat Completions,
 * takes its time, and records every request as it arrives. `command` is what a message has it run, if anything. Its last
 * words come in so many pieces.
 */
export async function startModel(
  command: (message: string, call: string) => string | undefined,
  pause: () => number,
  seen: (request: SeenRequest) => void = () => {},
  pieces = 1,
): Promise<ModelServer> {
  const requests: SeenRequest[] = []
  let calls = 0
  const server = createServer(async (incoming, answer) => {
    const at = Date.now()
    const received: Buffer[] = []
    try {
      for await (const piece of incoming) received.push(piece as Buffer)
    } catch {
      // Its sender was killed while it sent.
      return
    }
    const { messages } = JSON.parse(Buffer.concat(received).toString("utf8")) as {
      readonly messages: readonly Heard[]
    }
    const said = messages.filter(({ role }) => role === "user").flatMap(idsIn)
    const session = said[0]?.split("-")[0] ?? ""
    const life = /^\/([^/]+)\//.exec(incoming.url ?? "")?.[1] ?? ""
    const request = { life, session, messages: said, at }
    requests.push(request)
    seen(request)
    await new Promise((resolve) => setTimeout(resolve, pause()))
    const answered = messages.findLastIndex(({ role }) => role === "assistant")
    const fresh = messages
      .slice(answered + 1)
      .filter(({ role }) => role === "user")
      .flatMap(idsIn)
    const made = fresh.flatMap((message) => {
      const id = `call_${++calls}`
      const run = command(message, id)
      const called = { name: "bash", arguments: JSON.stringify({ command: run }) }
      return run === undefined ? [] : [{ id, type: "function", function: called }]
    })
    const delta =
      made.length > 0
        ? { role: "assistant", tool_calls: made.map((call, index) => ({ index, ...call })) }
        : { role: "assistant", content: "Done." }
    const chunk = (choice: object) =>
      `data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, ...choice }] })}\n\n`
    answer.writeHead(200, { "content-type": "text/event-stream" })
    answer.write(chunk({ delta, finish_reason: null }))
    for (let piece = 1; made.length === 0 && piece < pieces; piece++) {
      await new Promise((resolve) => setTimeout(resolve, 1))
      answer.write(chunk({ delta: { content: ` ${piece}` }, finish_reason: null }))
    }
    answer.end(
      `${chunk({ delta: {}, finish_reason: made.length > 0 ? "tool_calls" : "stop" })}data: [DONE]\n\n`,
    )
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("The model server has no port.")
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function idsIn({ content }: Heard): readonly string[] {
  const text = typeof content === "string" ? content : JSON.stringify(content ?? "")
  return [...text.matchAll(MESSAGE)].map(([, id = ""]) => id)
}
