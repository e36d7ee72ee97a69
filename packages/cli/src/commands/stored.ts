import { existsSync } from "node:fs"
import { parseArgs } from "node:util"
import type { Entry, Message } from "@sotto/core"
import {
  explainCost,
  exportText,
  fileReason,
  forkSession,
  IrregularFile,
  LARGEST_EXPORT,
  priceIn,
  readRegularFile,
  readStored,
} from "@sotto/harness"
import { costPage } from "../output/cost.js"
import { type InkPiece, inkFor, type Painted } from "../screen/ink.js"
import { refuseIrregular } from "../traffic/named.js"
import { ownModels } from "../traffic/prices.js"
import { UsageError } from "../usage.js"
import { line, tellLosses, withStore } from "./store.js"

export async function show(args: readonly string[]): Promise<number> {
  const { id, ids, cost } = parse(args, "show")
  const models = cost ? await ownModels(process.env) : {}
  return withStore((store) => {
    tellLosses(store, id)
    if (cost)
      return line(costPage(explainCost(readStored(store, id).log, (model) => priceIn({ models }, model))))
    const ink = inkFor(process.stdout.isTTY, process.env)
    // By the list, which also has a session whose row is damaged.
    const summary = store.list().find((one) => one.id === id)?.summary
    if (summary !== undefined) line(ink.dim(`What came of it: ${summary}`), "\n")
    const session = readStored(store, id)
    const cache = cacheNotes(session.log)
    for (const message of session.view()) {
      const id = ids ? ink.dim(`[${message.id}] `) : ""
      if (message.role === "user") line(id, ink.bold(`› ${textOf(message)}`))
      else if (message.role === "assistant") {
        for (const text of assistantTexts(message, ink.dim)) line(text)
        const note = cache.get(message.id)
        if (note !== undefined) line(ink.dim(`  cache: ${note}`))
      } else line(ink.dim(`  → ${firstLine(textOf(message))}`))
    }
  })
}

/** What Anthropic's cache diagnostics said, by the id of the request. Where nothing had changed, nothing is said. */
function cacheNotes(log: readonly Entry[]): ReadonlyMap<string, string> {
  const notes = log.flatMap((entry): [string, string][] => {
    if (entry.type !== "replied" || entry.reply.diagnostics?.reason === undefined) return []
    const { reason, tokens } = entry.reply.diagnostics
    const cost = tokens === undefined ? "" : `; ${tokens} tokens were not read from it`
    return [[entry.request, `${REASONS.get(reason) ?? reason}${cost}`]]
  })
  return new Map(notes)
}

/** Anthropic's words for why a request missed the cache. */
const REASONS: ReadonlyMap<string, string> = new Map([
  ["model_changed", "missed, because the model changed"],
  ["system_changed", "missed, because the system prompt changed"],
  ["tools_changed", "missed, because the tools changed"],
  ["messages_changed", "missed, because an earlier message changed"],
  ["previous_message_not_found", "the provider no longer knows the request before"],
  ["unavailable", "the provider cannot say whether something changed"],
  ["pending", "the provider had not finished comparing the requests"],
])

export async function asides(args: readonly string[]): Promise<number> {
  const { id, step } = parse(args, "asides")
  return withStore((store) => {
    tellLosses(store, id)
    const ink = inkFor(process.stdout.isTTY, process.env)
    const session = readStored(store, id)
    const told = session.asides().filter((aside) => step === undefined || aside.step === step)
    for (const { turn, step: at, kind, carrier, tokens, text } of told) {
      line(ink.bold(`turn ${turn}, step ${at}: ${kind}`), ink.dim(` (${tokens} tokens, ${carrier})`))
      line(text.replace(/^/gm, "  "))
    }
    if (told.length === 0) line(nothingTold(step, session.ledger(step).length > 0))
    const silent = session
      .ledger(step)
      .filter(({ outcome }) => outcome === "throttled" || outcome === "over-budget" || outcome === "failed")
    for (const { turn, step: at, kind, outcome, until, error } of silent)
      line(
        ink.dim(
          `turn ${turn}, step ${at}: ${kind} ${outcome}${until ? ` until ${until}` : ""}${error ? `: ${error}` : ""}`,
        ),
      )
  })
}

function nothingTold(step: number | undefined, hasStep: boolean): string {
  if (step === undefined) return "The model was told nothing beside the conversation."
  return hasStep
    ? `At step ${step} the model was told nothing beside the conversation.`
    : `No turn of this session has a step ${step}.`
}

/** A new session from before a prompt of an old one. */
export async function fork(args: readonly string[]): Promise<number> {
  const [id, prompt] = args
  if (id === undefined || prompt === undefined || args.length > 2)
    throw new UsageError("From where? sotto fork ID PROMPT; `sotto show ID --ids` lists the prompts.")
  return withStore((store) => line(forkSession(store, id, prompt)))
}

export async function importSession(args: readonly string[]): Promise<number> {
  const [path] = args
  if (path === undefined || args.length > 1) throw new UsageError("Which file? sotto import FILE")
  const text = exportText(bytesOf(path), path)
  return withStore((store) => line(store.importJsonl(text)))
}

function bytesOf(path: string): Buffer {
  refuseIrregular(path)
  let bytes: Buffer | undefined
  try {
    bytes = readRegularFile(path, LARGEST_EXPORT)
  } catch (error) {
    if (error instanceof IrregularFile)
      throw new UsageError(`${path} has more than 256 MB, which is the limit.`)
    throw new UsageError(`${path} cannot be read: ${fileReason(error)}`)
  }
  if (bytes === undefined)
    throw new UsageError(existsSync(path) ? `${path} is a folder. Name a file.` : `There is no file ${path}.`)
  return bytes
}

interface Wanted {
  readonly id: string
  readonly step?: number
  /** Whether to show by which ids prompts can be gone back to. */
  readonly ids: boolean
  /** Whether to show what the session cost instead. */
  readonly cost: boolean
}

function parse(args: readonly string[], command: string): Wanted {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { step: { type: "string" }, ids: { type: "boolean" }, cost: { type: "boolean" } },
    allowPositionals: true,
  })
  const [id] = positionals
  if (id === undefined || positionals.length > 1)
    throw new UsageError(`Which session? sotto ${command} ID; \`sotto sessions\` lists them.`)
  const { ids = false, cost = false } = values
  if (values.step === undefined) return { id, ids, cost }
  const step = Number(values.step)
  if (!Number.isInteger(step) || step < 1)
    throw new UsageError(`--step ${values.step}: use a whole number from 1.`)
  return { id, step, ids, cost }
}

function assistantTexts({ parts }: Message, dim: (text: string) => Painted): readonly InkPiece[] {
  return parts.flatMap((part): readonly InkPiece[] => {
    if (part.type === "text") return [part.text]
    return part.type === "tool-call" ? [dim(`  ${part.name} ${JSON.stringify(part.input)}`)] : []
  })
}

function textOf({ parts }: Message): string {
  return parts
    .flatMap((part) => {
      if (part.type === "text") return [part.text]
      if (part.type === "tool-result")
        return part.output.map((inner) => (inner.type === "text" ? inner.text : `[${inner.mediaType}]`))
      return part.type === "image" || part.type === "file" ? [`[${part.mediaType}]`] : []
    })
    .join("\n")
}

function firstLine(text: string): string {
  const [first = "", ...more] = text.split("\n")
  return more.length > 0 ? `${first} …` : first
}
