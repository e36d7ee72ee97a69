import { readFile } from "node:fs/promises"
import { parseArgs } from "node:util"
import type { Message } from "@sotto/core"
import { exportText, forkSession, readStored } from "@sotto/harness"
import { inkFor, type Painted, type Piece } from "../screen/ink.js"
import { UsageError } from "../usage.js"
import { line, tellLosses, withStore } from "./store.js"

export async function show(args: readonly string[]): Promise<number> {
  const { id, ids } = parse(args, "show")
  return withStore((store) => {
    tellLosses(store, id)
    const ink = inkFor(process.stdout.isTTY, process.env)
    // By the list, which also has a session whose row is damaged.
    const summary = store.list().find((one) => one.id === id)?.summary
    if (summary !== undefined) line(ink.dim(`What came of it: ${summary}`), "\n")
    for (const message of readStored(store, id).view()) {
      const id = ids ? ink.dim(`[${message.id}] `) : ""
      if (message.role === "user") line(id, ink.bold(`› ${textOf(message)}`))
      else if (message.role === "assistant") for (const text of assistantTexts(message, ink.dim)) line(text)
      else line(ink.dim(`  → ${firstLine(textOf(message))}`))
    }
  })
}

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
    if (told.length === 0) line("The model was told nothing beside the conversation.")
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
  const text = exportText(await readFile(path))
  return withStore((store) => line(store.importJsonl(text)))
}

interface Wanted {
  readonly id: string
  readonly step?: number
  /** Whether to show by which ids prompts can be gone back to. */
  readonly ids: boolean
}

function parse(args: readonly string[], command: string): Wanted {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { step: { type: "string" }, ids: { type: "boolean" } },
    allowPositionals: true,
  })
  const [id] = positionals
  if (id === undefined || positionals.length > 1)
    throw new UsageError(`Which session? sotto ${command} ID; \`sotto sessions\` lists them.`)
  const ids = values.ids ?? false
  if (values.step === undefined) return { id, ids }
  const step = Number(values.step)
  if (!Number.isInteger(step) || step < 1)
    throw new UsageError(`--step ${values.step}: use a whole number from 1.`)
  return { id, step, ids }
}

function assistantTexts({ parts }: Message, dim: (text: string) => Painted): readonly Piece[] {
  return parts.flatMap((part): readonly Piece[] => {
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
