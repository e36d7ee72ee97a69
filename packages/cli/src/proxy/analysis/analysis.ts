import { jsonIn } from "@sotto/core/dialect"
import type { ModelFacts } from "@sotto/harness"
import { type Break, type CallSeen, createLens, type Lens, type Report } from "@sotto/lens"
import { betasIn } from "@sotto/lens/sources"
import { pricesIn } from "../../traffic/prices.js"
import { MendingNotes } from "../mender/findings.js"
import { type CallTexts, type CapturedCall, lineOf, textsOf } from "../recorder/line.js"
import { headerOf } from "../transport/headers.js"

const SOURCE = "sotto proxy"

/** What a person is told of one call. */
export interface CallTold {
  readonly number: number
  readonly ms: number
  readonly status?: number
  readonly error?: string
  readonly seen?: CallSeen
  readonly breaks: readonly Break[]
  /** Why nothing more is known of it. */
  readonly problem?: string
  /** How many changes were made to the request, and why the original went out although there was something to change. */
  readonly mends: number
  readonly fellBack?: string
}

/** Explains calls one by one, with the lens. Nothing in it waits or throws. */
export class Analysis {
  readonly #lens: Lens
  readonly #mending = new MendingNotes()

  constructor(models: ModelFacts) {
    this.#lens = createLens({ prices: pricesIn(models) })
    this.#lens.source(SOURCE, "calls")
  }

  /** Returns the line of the recording, and what to tell. */
  take(call: CapturedCall): { readonly line: string; readonly told: CallTold } {
    const texts = textsOf(call)
    const { number, ms, error, mending } = call
    if (mending !== undefined) this.#mending.add(mending)
    const told = {
      number,
      ms,
      ...(call.response && { status: call.response.status }),
      ...(error !== undefined && { error }),
      mends: mending?.mends.length ?? 0,
      ...(mending?.fellBack !== undefined && { fellBack: mending.fellBack }),
    }
    return { line: lineOf(call, texts), told: { ...told, ...this.#explain(call, texts) } }
  }

  report(): Report {
    const report = this.#lens.report()
    return { ...report, findings: [...report.findings, ...this.#mending.findings()] }
  }

  #explain(
    call: CapturedCall,
    { request, response }: CallTexts,
  ): Pick<CallTold, "seen" | "breaks" | "problem"> {
    const { number, at, ms, path, endpoint, headers, error, mending } = call
    const damage = (problem: string) => {
      this.#lens.damage({ source: SOURCE, number, message: `The request is ${problem}.` })
      return { breaks: [], problem }
    }
    if ("problem" in request) return damage(request.problem)
    const body = jsonIn(request.text)
    if (body === undefined) return damage("not JSON")
    const betas = betasIn({ "anthropic-beta": headerOf(headers, "anthropic-beta") ?? [] })
    try {
      const breaks = this.#lens.push({
        source: SOURCE,
        number,
        at,
        ms,
        path,
        ...endpoint,
        body,
        text: request.text,
        ...(betas && { betas }),
        ...(call.response && {
          response: {
            status: call.response.status,
            ...(response && "text" in response && { text: response.text }),
          },
        }),
        ...(error !== undefined && { error }),
        ...(mending?.body !== undefined && { sent: { body: jsonIn(mending.body), text: mending.body } }),
      })
      const seen = this.#lens.newest()
      return { breaks, ...(seen && { seen }) }
    } catch (problem) {
      return damage(`something that the analysis stumbled over (${String(problem)})`)
    }
  }
}

/** What the thread of the analysis is started with. */
export interface AnalysisStart {
  readonly models: ModelFacts
  readonly record?: string
}

/** What it is told. */
export type ToAnalysis = { readonly type: "call"; readonly call: CapturedCall } | { readonly type: "report" }

/** What it tells. */
export type FromAnalysis =
  | { readonly type: "told"; readonly told: CallTold; readonly line: Uint8Array<ArrayBuffer> }
  /** The disk did not take a line. */
  | { readonly type: "unrecorded"; readonly message: string }
  | { readonly type: "report"; readonly report: Report }
