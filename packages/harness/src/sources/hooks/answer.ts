import { stripVTControlCharacters } from "node:util"
import type { HookEnd, HookOutput } from "./process.js"

/** What a hook makes of what happened. All of it may be absent: most hooks have nothing to say. */
export interface HookAnswer {
  /** For the model. */
  readonly context?: string
  /** Why it should not happen. */
  readonly block?: string
  /** Why the turn should end here. */
  readonly stop?: string
  /** For the user. */
  readonly message?: string
  /** It did not do its work; for the user. */
  readonly failure?: string
}

/** What the model and the user are shown of one answer, in bytes. */
const LONGEST = 16_000
const LONGEST_COMPLAINT = 500

/**
 * Reads the answer of a hook. Exit 0: what it printed, as text or JSON. Exit 2: it objects. Anything else: it failed.
 */
export function answerOf(end: HookEnd, timeoutMs: number): HookAnswer {
  const { code, signal, why, out, err } = end
  if (why === "aborted") return {}
  if (why === "timeout")
    return {
      failure: `no answer within ${timeoutMs / 1000} s, and was stopped. Give it a longer \`timeout\`, or make it \`async\`.`,
    }
  if (why !== undefined) return { failure: `could not be started: ${why.notStarted}.` }
  if (signal !== null) return { failure: `killed by ${signal}.${complaint(err)}` }
  if (code === 2) return { block: textOf(err) || textOf(out) || "it gave no reason" }
  if (code !== 0) return { failure: `exit code ${code}.${complaint(err)}` }
  if (isBinary(out))
    return { failure: `printed ${out.bytes} bytes that are no text. It may print text or JSON.` }
  const printed = out.kept.toString("utf8").trim()
  if (!printed.startsWith("{")) return printed === "" ? {} : { context: textOf(out) }
  if (out.kept.length < out.bytes)
    return { failure: `printed ${out.bytes} bytes of JSON, more than the ${out.kept.length} that are read.` }
  return fromJson(printed) ?? { context: textOf(out) }
}

/** Returns undefined for anything but JSON, and for JSON that says nothing to us: then it is a text like any other. */
function fromJson(printed: string): HookAnswer | undefined {
  let fields: Readonly<Record<string, unknown>>
  try {
    fields = JSON.parse(printed)
  } catch {
    return undefined
  }
  const names = ["context", "block", "stop", "message"] as const
  if (![...names, "continue"].some((name) => name in fields)) return undefined
  const wrong = names.find((name) => !["undefined", "string"].includes(typeof fields[name]))
  if (wrong !== undefined) return { failure: `answered with "${wrong}" that is no text.` }
  const said = Object.fromEntries(
    names.flatMap((name) => (isSaid(fields[name]) ? [[name, short(fields[name])]] : [])),
  )
  const reason = isSaid(fields.stopReason) ? fields.stopReason : "it gave no reason"
  return fields.continue === false && said.stop === undefined ? { ...said, stop: short(reason) } : said
}

function isSaid(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== ""
}

function textOf(printed: HookOutput): string {
  if (isBinary(printed)) return `[${printed.bytes} bytes that are no text]`
  return short(printed.kept.toString("utf8"), printed.bytes)
}

function short(text: string, bytes = Buffer.byteLength(text)): string {
  const plain = stripVTControlCharacters(text).trim()
  if (Buffer.byteLength(plain) <= LONGEST) return plain
  const cut = new TextDecoder().decode(Buffer.from(plain).subarray(0, LONGEST), { stream: true })
  return `${cut}\n[cut: the first ${LONGEST} of ${bytes} bytes are shown]`
}

function isBinary({ kept }: HookOutput): boolean {
  if (kept.includes(0)) return true
  const text = kept.toString("utf8")
  return text.length > 0 && text.split("\ufffd").length - 1 > text.length / 10
}

function complaint(err: HookOutput): string {
  const text = textOf(err)
  return text === "" ? "" : ` It says: ${text.slice(0, LONGEST_COMPLAINT)}`
}
