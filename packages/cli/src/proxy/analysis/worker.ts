import { parentPort, workerData } from "node:worker_threads"
import { reasonOf } from "@sotto/harness"
import { RecordingFile } from "../recorder/file.js"
import { Analysis, type AnalysisStart, type FromAnalysis, type ToAnalysis } from "./analysis.js"

/*
 * The thread that looks at calls: a large body takes seconds to unpack, parse, compare and write, and the traffic does
 * not wait for that.
 */
const { models, record } = workerData as AnalysisStart
const analysis = new Analysis(models)
let file: RecordingFile | undefined

parentPort?.on("message", (message: ToAnalysis) => {
  if (message.type === "report") return say({ type: "report", report: analysis.report() })
  const { line, told } = analysis.take(message.call)
  const bytes = new TextEncoder().encode(`${line}\n`)
  if (record !== undefined) write(record, bytes)
  const text = bytes.subarray(0, -1)
  say({ type: "told", told, line: text }, [text.buffer])
})

function write(path: string, line: Uint8Array): void {
  try {
    file ??= new RecordingFile(path)
    file.add(line)
  } catch (error) {
    say({ type: "unrecorded", message: reasonOf(error) })
  }
}

function say(message: FromAnalysis, transfer: readonly ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, [...transfer])
}
