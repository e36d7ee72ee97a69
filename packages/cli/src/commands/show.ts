import { parseArgs } from "node:util"
import type { Entry, Message, Part, Session } from "@sotto/core"
import { diagnosesIn } from "@sotto/core/economy"
import { costReport, priceIn, readStored, retold } from "@sotto/harness"
import { costPage } from "../output/cost.js"
import { wordedDiagnosis } from "../output/diagnosis.js"
import { firstLine } from "../output/text.js"
import { compactedText } from "../output/words.js"
import { type InkPiece, inkFor, type Painted } from "../screen/ink.js"
import { ownModels } from "../traffic/prices.js"
import { fullSessionId, line, sessionIdIn, tellLosses, withStore } from "./open-store.js"
import { type CommandOptions, optionRows, type Subcommand } from "./subcommand.js"

const OPTIONS = {
  ids: { type: "boolean", help: "the id of each prompt before it, for `sotto fork` and rewind" },
  cost: {
    type: "boolean",
    help: "instead of the conversation: what it cost, on what, and what was decided to save",
  },
} as const satisfies CommandOptions

export const subcommand: Subcommand = {
  help: `sotto show ID [options]: the conversation as a person sees it

${optionRows(OPTIONS, 12)}

ID is what \`sotto sessions\` lists.
`,
  options: OPTIONS,
  run,
}

async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true })
  const given = sessionIdIn(positionals, "show")
  const { ids = false, cost = false } = values
  const settings = cost ? await ownModels(process.env) : { models: {} }
  return withStore(async (store) => {
    const id = await fullSessionId(store, given)
    await tellLosses(store, id)
    if (cost) {
      const { log } = await readStored(store, id)
      return line(costPage(await costReport(store, id, log, (model) => priceIn(settings, model))))
    }
    const ink = inkFor(process.stdout.isTTY, process.env)
    // By the list, which also has a session whose row is damaged.
    const summary = (await store.list()).find((one) => one.id === id)?.summary
    if (summary !== undefined) line(ink.dim(`What came of it: ${summary}`), "\n")
    const session = await readStored(store, id)
    const cache = cacheNotes(session.log)
    const compactions = compactionsAfter(session)
    const tellCompactions = ({ id }: Message) => {
      for (const text of compactions.get(id) ?? []) line(ink.dim(text))
    }
    for (const message of session.view()) {
      const id = ids ? ink.dim(`[${message.id}] `) : ""
      if (message.role === "assistant") {
        for (const text of assistantTexts(message, ink.dim)) line(text)
        const note = cache.get(message.id)
        if (note !== undefined) line(ink.dim(`  cache: ${note}`))
        tellCompactions(message)
        continue
      }
      // In an imported conversation, what a call returned may stand in a message of the user.
      for (const part of message.parts)
        if (part.type === "tool-result") line(ink.dim(`  → ${firstLine(textOf(part.output))}`))
      const words = message.parts.filter((part) => part.type !== "tool-result")
      if (words.length > 0) line(id, ink.bold(`› ${textOf(words)}`))
      tellCompactions(message)
    }
  })
}

/** Collects what compactions said, by the id of the last message that the summary could stand for. */
function compactionsAfter(session: Session): ReadonlyMap<string, readonly string[]> {
  const texts = new Map<string, string[]>()
  let newest = ""
  for (const { entry, events } of retold(session)) {
    if (entry.type === "replied") newest = entry.request
    if (entry.type === "imported") newest = entry.messages.at(-1)?.id ?? newest
    for (const event of events) {
      if (event.type !== "compacted") continue
      const text = `  ${compactedText(event)}; the model is told this summary:\n${event.summary.replace(/^/gm, "  ╎ ")}`
      texts.set(newest, [...(texts.get(newest) ?? []), text])
    }
  }
  return texts
}

/**
 * Collects what the provider's cache diagnostics said and what Sotto did, by the id of the request. Leaves out requests of
 * which the provider found nothing changed, and was right.
 */
function cacheNotes(log: readonly Entry[]): ReadonlyMap<string, string> {
  return new Map(
    diagnosesIn(log).flatMap((one): [string, string][] => {
      const { reason, tokens } = one.diagnostics
      if (reason === undefined && one.agrees !== false) return []
      const cost = tokens === undefined ? "" : `; ${tokens} tokens were not read from it`
      const said =
        reason === undefined ? "the provider found nothing changed" : (REASONS.get(reason) ?? reason)
      const { sotto, remedy } = wordedDiagnosis(one)
      return [[one.request, `${said}${cost}. Sotto: ${sotto}${remedy === undefined ? "" : `; ${remedy}`}`]]
    }),
  )
}

/** The providers' words for why a request missed the cache. */
const REASONS: ReadonlyMap<string, string> = new Map([
  ["model_changed", "missed, because the model changed"],
  ["system_changed", "missed, because the system prompt changed"],
  ["tools_changed", "missed, because the tools changed"],
  ["messages_changed", "missed, because an earlier message changed"],
  ["input_changed", "missed, because the system prompt or an earlier message changed"],
  ["context_compacted", "missed, because the conversation was compacted"],
  ["prompt_cache_key_changed", "missed, because the cache has another key"],
  ["text_format_changed", "missed, because the format of the answer changed"],
  ["reasoning_effort_changed", "missed, because the effort changed"],
  ["verbosity_changed", "missed, because the verbosity changed"],
  ["service_tier_changed", "missed, because the service tier changed"],
  ["previous_message_not_found", "the provider no longer knows the request before"],
  ["comparison_response_not_found", "the provider no longer knows the request before"],
  ["unanswered", "the provider was asked about it, and did not answer"],
  ["unavailable", "the provider cannot say whether something changed"],
  ["pending", "the provider had not finished comparing the requests"],
])

function assistantTexts({ parts }: Message, dim: (text: string) => Painted): readonly InkPiece[] {
  return parts.flatMap((part): readonly InkPiece[] => {
    if (part.type === "text") return [part.text]
    return part.type === "tool-call" ? [dim(`  ${part.name} ${JSON.stringify(part.input)}`)] : []
  })
}

function textOf(parts: readonly Part[]): string {
  return parts
    .flatMap((part) => {
      if (part.type === "text") return [part.text]
      return part.type === "image" || part.type === "file" ? [`[${part.mediaType}]`] : []
    })
    .join("\n")
}
