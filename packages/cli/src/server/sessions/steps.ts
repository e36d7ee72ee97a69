import { type Entry, type LoggedRequest, type Reply, RequestReader } from "@sotto/core"
import type { CalledTool, CallPage, MessageRow, StepRow, ToolUse } from "@sotto/inspector"
import type { HttpDialectName } from "@sotto/lens"
import { createPages, type PageOptions, type Pages, toolUse } from "@sotto/lens/pages"
import { DIALECTS, dialectOf, sottoCall } from "@sotto/lens/sources"

const BEGINNING = 160
/** How long to read before everything else has its turn, and after how many entries to look at the clock. */
const SLICE_MS = 8
const EACH = 16

type Said = Extract<Entry, { type: "said" }>
type StepEntry = Extract<Entry, { type: "step" }>

/** A request of the session, with what the log says about it. */
interface Step {
  readonly asked: LoggedRequest
  readonly entry: StepEntry
  /** When the reply came. */
  readonly repliedAt: number | undefined
}

/** The requests of a session, made again from its log as it grows, and looked at by the lens. */
export class Steps {
  readonly pages: Pages
  readonly #steps: Step[] = []
  readonly #reader = new RequestReader()
  readonly #said = new Map<string, Said>()
  readonly #results = new Map<string, Extract<Entry, { type: "result" }>>()
  readonly #numbers = new Map<string, number>()
  readonly #source: string
  #entry: StepEntry | undefined
  #taken = 0

  constructor(source: string, pages: Pages) {
    this.#source = source
    this.pages = pages
    pages.source(source, "sotto")
  }

  /** Takes what is new of a log, for a few milliseconds. Returns true if it has taken all. */
  take(log: readonly Entry[]): boolean {
    const end = performance.now() + SLICE_MS
    while (this.#taken < log.length) {
      const entry = log[this.#taken++]
      if (entry !== undefined) this.#add(entry)
      if (this.#taken % EACH === 0 && performance.now() > end) break
    }
    return this.hasAllOf(log)
  }

  hasAllOf(log: readonly Entry[]): boolean {
    return this.#taken >= log.length
  }

  get length(): number {
    return this.#steps.length
  }

  get turns(): number {
    return this.#steps.at(-1)?.asked.request.turn ?? 0
  }

  step(n: number): Step | undefined {
    return this.#steps[n - 1]
  }

  /** Counts the place of a step of a turn among all requests, from 1; 0 if it has not been answered. */
  numberOf(turn: number, step: number): number {
    return this.#numbers.get(`${turn}.${step}`) ?? 0
  }

  rows(from: number, limit: number): readonly StepRow[] {
    return this.pages.rows(from, limit).flatMap((row) => {
      const step = this.step(row.n)
      return step === undefined ? [] : [this.#row(row, step)]
    })
  }

  body(n: number, dialect?: HttpDialectName): unknown {
    const step = this.step(n)
    return step && sottoCall(this.#source, n, step.asked, dialect).body
  }

  page(
    n: number,
    options: PageOptions,
    dialect?: HttpDialectName,
  ): (CallPage & { readonly row: StepRow }) | undefined {
    const step = this.step(n)
    const own = step && dialectOf(step.asked)
    const found =
      dialect === undefined || dialect === own
        ? this.pages.page(n, options)
        : this.#inOther(n, dialect, options)
    const row = this.pages.rows(n, 1)[0]
    if (step === undefined || found === undefined || row === undefined) return undefined
    return { ...found, row: this.#row(row, step), reply: replyOf(step.asked.reply) }
  }

  /** Lists the tools that the model called at a step, with their results; `whole` names the one to give uncut. */
  tools(n: number, whole?: string): readonly ToolUse[] {
    const parts = this.step(n)?.asked.reply?.parts ?? []
    return parts.flatMap((part) => {
      if (part.type !== "tool-call" || (whole !== undefined && part.id !== whole)) return []
      const entry = this.#results.get(part.id)
      const result = entry && { text: wordsIn(entry.output), error: entry.error, at: entry.at }
      return [toolUse({ ...part, ...(result && { result }) }, whole !== undefined)]
    })
  }

  dialectOf(n: number): HttpDialectName {
    const step = this.step(n)
    return step ? dialectOf(step.asked) : "anthropic"
  }

  get dialects(): readonly HttpDialectName[] {
    return DIALECTS
  }

  #add(entry: Entry): void {
    if (entry.type === "said") this.#said.set(entry.id, entry)
    if (entry.type === "result") this.#results.set(entry.callId, entry)
    const step = this.#entry
    const asked = this.#reader.take(entry)
    if (entry.type === "step") this.#entry = entry
    if (asked === undefined || step === undefined) return
    const repliedAt = asked.reply === undefined ? undefined : entry.at
    this.#steps.push({ asked, entry: step, repliedAt })
    this.#numbers.set(`${step.turn}.${step.step}`, this.#steps.length)
    const call = sottoCall(this.#source, this.#steps.length, asked)
    const ms = repliedAt === undefined ? {} : { ms: repliedAt - asked.at }
    const taken = { ...call, ...ms, ...(asked.reply === undefined && { error: "no reply" }) }
    // Inside an epoch a request only adds to the one before it.
    const isSameEpoch = this.#steps.at(-2)?.asked.request.pins === asked.request.pins
    if (isSameEpoch) this.pages.extend(taken)
    else this.pages.push(taken)
  }

  /** Shows the same step and the one before it in another dialect: what is new stays what it is. */
  #inOther(n: number, dialect: HttpDialectName, options: PageOptions): CallPage | undefined {
    const pages = createPages()
    for (const number of [n - 1, n]) {
      const step = this.step(number)
      if (step !== undefined) pages.push(sottoCall(this.#source, number, step.asked, dialect))
    }
    return pages.page(pages.length, options)
  }

  #row(row: StepRow | Omit<StepRow, "turn" | "step" | "agent" | "messages" | "seq">, step: Step): StepRow {
    const { asked, entry } = step
    const { request, reply } = asked
    const said = textOf(reply)
    return {
      ...row,
      turn: request.turn,
      step: request.step,
      agent: request.agent,
      seq: entry.seq,
      messages: entry.delivered.flatMap(({ id }) => this.#message(id, entry.at)),
      tools: this.#tools(reply),
      ...(said !== "" && { said: beginning(said) }),
      ...(entry.epoch && { epoch: entry.epoch.reasons }),
    }
  }

  #message(id: string, deliveredAt: number): readonly MessageRow[] {
    const said = this.#said.get(id)
    if (said === undefined) return []
    const { origin, delivery, at, content } = said
    return [{ id, origin, delivery, arrivedAt: at, deliveredAt, text: beginning(wordsIn(content)) }]
  }

  #tools(reply: Reply | undefined): readonly CalledTool[] {
    return (reply?.parts ?? []).flatMap((part) => {
      if (part.type !== "tool-call") return []
      const result = this.#results.get(part.id)
      return [
        {
          id: part.id,
          name: part.name,
          about: beginning(JSON.stringify(part.input)),
          ...(result && { endedAt: result.at }),
          ...(result?.error && { error: true }),
        },
      ]
    })
  }
}

function replyOf(reply: Reply | undefined): CallPage["reply"] {
  return (reply?.parts ?? []).flatMap((part): CallPage["reply"] => {
    if (part.type === "tool-call")
      return [{ kind: "call", name: part.name, text: JSON.stringify(part.input, undefined, 2) }]
    return part.type === "text" || part.type === "reasoning" ? [{ kind: part.type, text: part.text }] : []
  })
}

function textOf(reply: Reply | undefined): string {
  return (reply?.parts ?? []).flatMap((part) => (part.type === "text" ? [part.text] : [])).join(" ")
}

export function wordsIn(
  parts: readonly { readonly type: string; readonly text?: string; readonly mediaType?: string }[],
): string {
  return parts.map((part) => part.text ?? `[${part.mediaType ?? part.type}]`).join("\n")
}

export function beginning(text: string): string {
  const line = text
    .slice(0, BEGINNING * 4)
    .replaceAll(/\s+/g, " ")
    .trim()
  return line.length > BEGINNING ? `${line.slice(0, BEGINNING)}…` : line
}
