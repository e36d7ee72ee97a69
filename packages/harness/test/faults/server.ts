import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Json, Message, Problem } from "@sotto/core"
import { validate as anthropic } from "@sotto/core/anthropic"
import { validate as gemini } from "@sotto/core/gemini"
import { validate as openai } from "@sotto/core/openai"
import { validate as chat } from "@sotto/core/openai-chat"
import { expect } from "vitest"
import {
  type HarnessEvent,
  OpenQuestions,
  openConversation,
  openProjectRuntime,
  type ProjectRuntime,
} from "../../src/index.js"
import { environment } from "../models-support.js"
import type { Api, Event } from "./wire.js"

/** What the provider does with one request. */
export type Answer =
  | { readonly is: "stream"; readonly events: readonly Event[]; readonly cut?: boolean }
  | {
      readonly is: "body"
      readonly status: number
      readonly type: string
      readonly body: Json | Uint8Array
      readonly headers?: Readonly<Record<string, string>>
    }
  /** Sends the events, and then nothing more. */
  | { readonly is: "silence"; readonly events: readonly Event[] }
  /** Sends all in pieces of so many bytes. */
  | { readonly is: "pieces"; readonly events: readonly Event[]; readonly size: number }

export const stream = (events: readonly Event[]): Answer => ({ is: "stream", events })
export const cut = (events: readonly Event[]): Answer => ({ is: "stream", events, cut: true })
export const body = (status: number, json: Json, headers: Readonly<Record<string, string>> = {}): Answer => ({
  is: "body",
  status,
  type: "application/json",
  body: json,
  headers,
})

/** How a turn went, as somebody sees it from outside. */
export interface TurnResult {
  readonly reason: string | undefined
  readonly requests: number
  /** How often the model's words, or a part of them, were lost and began again. */
  readonly retries: number
  readonly error: string
  /** The words of the last reply in the conversation. */
  readonly said: string
  readonly calls: number
}

/** One workplace and one server for all cases: each case has a session of its own. */
export class FaultyServer {
  readonly #root = realpathSync(mkdtempSync(join(tmpdir(), "sotto-faults-")))
  readonly #server = createServer()
  readonly #bodies: string[] = []
  #answers: readonly Answer[] = []
  #workplace: ProjectRuntime | undefined

  /** `settings` are those of the user. */
  async open(settings: Json = {}): Promise<void> {
    mkdirSync(join(this.#root, "home"))
    writeFileSync(join(this.#root, "home", "sotto.json"), JSON.stringify(settings))
    this.#server.on("request", async (request, response) => {
      const pieces: Buffer[] = []
      for await (const piece of request as AsyncIterable<Buffer>) pieces.push(piece)
      this.#bodies.push(Buffer.concat(pieces).toString("utf8"))
      await give(response, this.#answers[Math.min(this.#bodies.length, this.#answers.length) - 1])
    })
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve))
    const url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
    this.#workplace = await openProjectRuntime({
      cwd: this.#root,
      env: {
        ...environment(url),
        PATH: process.env.PATH,
        HOME: join(this.#root, "home"),
        SOTTO_HOME: join(this.#root, "home"),
      },
      calling: { sleep: async () => {}, silence: quietly, bounds: { event: 200_000, reply: 400_000 } },
    })
  }

  async close(): Promise<void> {
    await this.#workplace?.close()
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve())
      this.#server.closeAllConnections()
    })
    rmSync(this.#root, { recursive: true, force: true })
  }

  /** Says "Go." to a model whose provider answers like this; the last answer is given to every further request. */
  async play(api: Api, answers: readonly Answer[], isQuiet = false): Promise<TurnResult> {
    if (this.#workplace === undefined) throw new Error("open the server first")
    this.#answers = answers
    this.#bodies.length = 0
    const events: HarnessEvent[] = []
    const questions = new OpenQuestions(
      () => {},
      () => false,
    )
    const { conversation, close } = await openConversation({
      workplace: this.#workplace,
      questions,
      emit: (event) => events.push(event),
      yes: () => true,
      model: isQuiet ? `${api.model}${QUIET}` : api.model,
    })
    const all = <T extends HarnessEvent["type"]>(type: T) =>
      events.filter((event): event is Extract<HarnessEvent, { type: T }> => event.type === type)
    try {
      conversation.say("Go.")
      await conversation.wake()
      const requests = this.#bodies.length
      const outcome: TurnResult = {
        reason: all("turn-end").at(-1)?.reason,
        requests,
        retries: all("retry").length,
        error: all("error").at(-1)?.message ?? "",
        said: wordsOf(conversation.session.view()),
        calls: all("tool-call").length,
      }
      // Whatever happened, the next prompt is taken: what goes up is what the API accepts, and has everything once.
      this.#answers = [stream(api.reply("Good again."))]
      this.#bodies.length = 0
      if (isQuiet) conversation.switchModel(this.#workplace.modelNamed(api.model))
      conversation.say("Once more.")
      await conversation.wake()
      expect(all("turn-end").at(-1)?.reason, "the next turn").toBe("done")
      const sent: Sent = JSON.parse(this.#bodies.at(-1) ?? "null")
      expect(VALIDATORS[api.name]?.(sent).filter(isError), "problems of the next request").toEqual([])
      expect(JSON.stringify(sent).split("Once more.").length - 1, "the next prompt in it").toBe(1)
      return outcome
    } finally {
      await close()
    }
  }
}

/** The end of a model's name of which silence is not borne for long. */
const QUIET = "-quiet"

function quietly(model: string): number | undefined {
  return model.endsWith(QUIET) ? 50 : undefined
}

/** A body as it came: of whichever API. */
type Sent = Parameters<typeof anthropic>[0] &
  Parameters<typeof openai>[0] &
  Parameters<typeof chat>[0] &
  Parameters<typeof gemini>[0]

const VALIDATORS: Readonly<Record<string, (sent: Sent) => readonly Problem[]>> = {
  anthropic,
  openai,
  "openai-chat": chat,
  gemini,
}

function isError(problem: Problem): boolean {
  return !("severity" in problem) || problem.severity === "error"
}

function wordsOf(view: readonly Message[]): string {
  const last = view.findLast(({ role }) => role === "assistant")
  return last?.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("") ?? ""
}

async function give(response: ServerResponse, answer: Answer | undefined): Promise<void> {
  if (answer === undefined) throw new Error("no answer is left")
  if (answer.is === "body") {
    const { status, type, body: content, headers } = answer
    response.writeHead(status, { "content-type": type, ...headers })
    response.end(
      content instanceof Uint8Array || typeof content === "string" ? content : JSON.stringify(content),
    )
    return
  }
  response.writeHead(200, { "content-type": "text/event-stream" })
  const all = Buffer.from(answer.events.join(""))
  if (answer.is === "stream" && !answer.cut) response.end(all)
  else if (answer.is === "stream") response.write(all, () => response.destroy())
  else if (answer.is === "silence") {
    response.flushHeaders()
    if (all.length > 0) response.write(all)
  } else {
    for (let from = 0; from < all.length; from += answer.size)
      await new Promise((resolve) => response.write(all.subarray(from, from + answer.size), resolve))
    response.end()
  }
}
