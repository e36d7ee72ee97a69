import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process"
import { Readable, Writable } from "node:stream"
import { fileURLToPath } from "node:url"
import {
  type AnyMessage,
  type ClientCapabilities,
  ClientSideConnection,
  type ContentBlock,
  ndJsonStream,
  PROTOCOL_VERSION,
  type PromptResponse,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
} from "@agentclientprotocol/sdk"
import type { Rehearsal } from "@sotto/rehearsal"
import { afterAll } from "vitest"
import { type Bench, reaching, TRUSTING, type Variables } from "./sotto.js"

const COMMAND = fileURLToPath(new URL("../../bin/sotto.js", import.meta.url))
const LONGEST_WAIT = 60_000
/** From here on, ids are of requests that a test writes by itself. */
export const HANDWRITTEN = 1_000

const leftovers: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const clear of leftovers.splice(0).reverse()) await clear()
})

type Kind = SessionUpdate["sessionUpdate"]
type Update<K extends Kind> = Extract<SessionUpdate, { sessionUpdate: K }>
type Choose = (request: RequestPermissionRequest) => Promise<RequestPermissionResponse>

export interface EditorOptions {
  readonly args?: readonly string[]
  readonly env?: Variables
  readonly capabilities?: ClientCapabilities
}

/** An editor that has started `sotto acp` and shaken hands with it. */
export async function editorWith(
  bench: Bench,
  server: Rehearsal,
  { args = ["--model", "anthropic/claude-sonnet-4-5"], env = {}, capabilities = {} }: EditorOptions = {},
): Promise<Editor> {
  const own = { PATH: process.env.PATH ?? "", HOME: bench.home, SOTTO_HOME: bench.home, ...TRUSTING }
  const child = spawn(process.execPath, [COMMAND, "acp", ...args], {
    cwd: bench.cwd,
    env: { ...own, ...reaching(server.url), ...env },
  })
  const editor = new Editor(child, bench)
  leftovers.push(async () => {
    if (child.exitCode === null) child.kill("SIGKILL")
    await editor.ended
  })
  await editor.agent.initialize({ protocolVersion: PROTOCOL_VERSION, clientCapabilities: capabilities })
  return editor
}

export class Editor {
  readonly agent: ClientSideConnection
  readonly updates: (SessionUpdate & { readonly sessionId: string })[] = []
  readonly asked: RequestPermissionRequest[] = []
  readonly ended: Promise<{ readonly code: number | null; readonly out: string; readonly err: string }>
  /** How questions are answered; nobody does unless given. */
  choose: Choose = () => new Promise(() => undefined)
  readonly #child: ChildProcessWithoutNullStreams
  readonly #bench: Bench
  readonly #watchers = new Set<() => void>()
  #out = ""
  #err = ""

  constructor(child: ChildProcessWithoutNullStreams, bench: Bench) {
    this.#child = child
    this.#bench = bench
    child.stdin.on("error", () => undefined)
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#err += text
    })
    const output = Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>
    const [heard, kept] = output.tee()
    void this.#keep(kept)
    const input = Writable.toWeb(child.stdin) as WritableStream<Uint8Array>
    const { writable, readable } = ndJsonStream(input, heard)
    this.agent = new ClientSideConnection(
      () => ({
        sessionUpdate: ({ sessionId, update }) => {
          this.updates.push({ ...update, sessionId })
          this.#look()
        },
        requestPermission: (request) => {
          this.asked.push(request)
          this.#look()
          return this.choose(request)
        },
      }),
      { writable, readable: readable.pipeThrough(withoutHandwritten()) },
    )
    this.ended = new Promise((resolve) => {
      child.once("close", (code) => resolve({ code, out: this.#out, err: this.#err }))
    })
  }

  get pid(): number | undefined {
    return this.#child.pid
  }

  /** All that came on stdout. */
  get out(): string {
    return this.#out
  }

  async open(): Promise<string> {
    return (await this.agent.newSession({ cwd: this.#bench.cwd, mcpServers: [] })).sessionId
  }

  prompt(sessionId: string, prompt: string | readonly ContentBlock[]): Promise<PromptResponse> {
    const blocks: ContentBlock[] = typeof prompt === "string" ? [{ type: "text", text: prompt }] : [...prompt]
    return this.agent.prompt({ sessionId, prompt: blocks })
  }

  /** A line as it is, whatever the protocol says. */
  write(line: string): void {
    this.#child.stdin.write(`${line}\n`)
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }

  /** Is gone at once, and neither writes nor reads any more. */
  vanish(): Promise<{ readonly code: number | null; readonly out: string; readonly err: string }> {
    this.#child.stdout.destroy()
    this.#child.stdin.destroy()
    return this.ended
  }

  /** Goes away without a word. */
  async leave(): Promise<{ readonly code: number | null; readonly out: string; readonly err: string }> {
    this.#child.stdin.end()
    return this.ended
  }

  all<K extends Kind>(kind: K, sessionId?: string): readonly Update<K>[] {
    return this.updates.filter(
      (update): update is Update<K> & { sessionId: string } =>
        update.sessionUpdate === kind && (sessionId === undefined || update.sessionId === sessionId),
    )
  }

  /** What the agent said, put together. */
  text(
    sessionId?: string,
    kind: "agent_message_chunk" | "agent_thought_chunk" = "agent_message_chunk",
  ): string {
    return this.all(kind, sessionId)
      .map(({ content }) => (content.type === "text" ? content.text : ""))
      .join("")
  }

  /** The first update of a kind that fits, come or to come. */
  update<K extends Kind>(kind: K, fits: (update: Update<K>) => boolean = () => true): Promise<Update<K>> {
    return this.until(() => this.all(kind).find(fits), `an update ${kind}`)
  }

  question(nth = 1): Promise<RequestPermissionRequest> {
    return this.until(() => this.asked[nth - 1], `question ${nth}`)
  }

  until<T>(find: () => T | undefined, what: string): Promise<T> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const found = find()
        if (found === undefined) return
        clearTimeout(timer)
        this.#watchers.delete(look)
        resolve(found)
      }
      const timer = setTimeout(() => {
        this.#watchers.delete(look)
        const newest = this.updates.slice(-8).map((update) => JSON.stringify(update).slice(0, 300))
        reject(new Error(`Waited too long for ${what}. ${this.#err}\n${newest.join("\n")}`))
      }, LONGEST_WAIT)
      this.#watchers.add(look)
      look()
    })
  }

  async #keep(stream: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder()
    try {
      for await (const chunk of stream) {
        this.#out += decoder.decode(chunk, { stream: true })
        this.#look()
      }
    } catch {
      // Cut off: what has come until then is all there is.
    }
  }

  #look(): void {
    for (const look of [...this.#watchers]) look()
  }
}

/** The SDK numbers its requests from 0; what answers a line that a test wrote by itself is for the test to find. */
function withoutHandwritten(): TransformStream<AnyMessage, AnyMessage> {
  const isOurs = (id: unknown) => typeof id === "number" && id < HANDWRITTEN
  return new TransformStream({
    transform: (message, controller) => {
      if ("method" in message || isOurs(message.id)) controller.enqueue(message)
    },
  })
}

/** Chooses the option with this id, whatever is asked. */
export function choosing(optionId: string): Choose {
  return async () => ({ outcome: { outcome: "selected", optionId } })
}
