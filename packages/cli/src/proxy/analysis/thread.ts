import { Worker } from "node:worker_threads"
import type { Report } from "@sotto/lens"
import type { CapturedCall } from "../recorder/line.js"
import type { AnalysisStart, CallTold, FromAnalysis, ToAnalysis } from "./analysis.js"

/** How often the thread is started anew after it ended by itself. */
const MOST_STARTS = 4

export interface AnalysisThread {
  /** Hands a call over: its bytes belong to the thread from here on. */
  take(call: CapturedCall, bytes: number): void
  /** Reports everything so far, once all calls are through. Undefined if the analysis is lost. */
  report(): Promise<Report | undefined>
  close(): Promise<void>
}

export interface AnalysisEvents {
  /** Hears that a call is through; `line` is as a recording has it. */
  told(told: CallTold, line: Uint8Array): void
  /** Hears how many bytes of calls stopped waiting. */
  released(bytes: number): void
  unrecorded(message: string): void
  /** Hears that the thread ended by itself, and that what was in it is lost. */
  lost(message: string): void
}

/** Starts the thread that looks at calls. It begins with the first call. */
export function analysisThread(start: AnalysisStart, events: AnalysisEvents): AnalysisThread {
  let worker: Worker | undefined
  let starts = 0
  let waiting: number[] = []
  let reported: ((report: Report | undefined) => void) | undefined
  let isClosing = false

  const hear = (message: FromAnalysis) => {
    if (message.type === "unrecorded") return events.unrecorded(message.message)
    if (message.type === "report") return reported?.(message.report)
    events.released(waiting.shift() ?? 0)
    events.told(message.told, message.line)
  }
  const running = (): Worker | undefined => {
    if (worker !== undefined || starts >= MOST_STARTS) return worker
    starts++
    const started = new Worker(new URL("./worker.js", import.meta.url), { workerData: start })
    let failure = "it ended"
    started.on("message", hear)
    started.on("error", (error) => {
      failure = error.message
    })
    started.on("exit", () => {
      if (isClosing) return
      worker = undefined
      events.released(waiting.reduce((sum, bytes) => sum + bytes, 0))
      waiting = []
      reported?.(undefined)
      events.lost(failure)
    })
    worker = started
    return worker
  }
  const tell = (to: Worker, message: ToAnalysis, transfer: readonly ArrayBuffer[] = []) =>
    to.postMessage(message, [...transfer])
  return {
    take(call, bytes) {
      const to = running()
      if (to === undefined) return events.released(bytes)
      waiting.push(bytes)
      const blocks = [call.body, call.response?.body ?? []].flatMap((body) =>
        body === "too large" ? [] : body,
      )
      tell(
        to,
        { type: "call", call },
        blocks.map(({ buffer }) => buffer),
      )
    },
    report() {
      const to = running()
      if (to === undefined) return Promise.resolve(undefined)
      return new Promise((resolve) => {
        reported = resolve
        tell(to, { type: "report" })
      })
    },
    async close() {
      isClosing = true
      await worker?.terminate()
    },
  }
}
