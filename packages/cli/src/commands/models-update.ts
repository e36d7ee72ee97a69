import { existsSync, statSync } from "node:fs"
import { basename } from "node:path"
import { parseArgs } from "node:util"
import { capabilitiesOf } from "@sotto/core"
import { takesLevels } from "@sotto/core/models"
import { sourcedPrice } from "@sotto/core/prices"
import {
  ConfigError,
  capabilitiesIn,
  fileReason,
  IrregularFile,
  keepUpdate,
  type ModelFacts,
  type ModelUpdate,
  priceIn,
  readRegularText,
  readUpdate,
  updateFile,
} from "@sotto/harness"
import { counted, whole } from "../output/figures.js"
import { CLASSES, ratesText, shown, takes } from "../output/price-text.js"
import { standardInput } from "../questions/input.js"
import { oneLine } from "../screen/inert.js"
import { out } from "../screen/printer.js"
import { EXIT, UsageError } from "../usage.js"
import { type PriceListFile, readPriceList } from "./price-lists.js"
import type { CommandOptions } from "./subcommand.js"

export const UPDATE_OPTIONS = {
  "as-of": {
    type: "string",
    value: "DAY",
    help: "the day of a list that does not say its own, such as 2026-11-18; that of the file unless given",
  },
  gateway: {
    type: "string",
    value: "NAME",
    help: "takes the rows of this seller too, as models of openai-chat",
  },
} as const satisfies CommandOptions

const LONGEST = 64_000_000
const DAY_MS = 86_400_000

/** Takes a list of prices. Nothing is written unless all of it is right. */
export async function update(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: UPDATE_OPTIONS,
    allowPositionals: true,
  })
  const [path, ...more] = positionals
  if (path === undefined || more.length > 0)
    throw new UsageError("Which file? sotto models update FILE, or - for standard input.")
  const { text, name, asOf } = await textOf(path)
  const file = readPriceList(text, { path: name, asOf: values["as-of"] ?? asOf, gateway: values.gateway })
  const source = file.update.source ?? (path === "-" ? `${file.format} format` : basename(path))
  const update = { ...file.update, source }
  checkDay(update.asOf, values["as-of"] === undefined ? name : "--as-of")
  if (Object.keys(update.models).length === 0)
    throw new ConfigError(
      name,
      1,
      "",
      "It names no model that Sotto could ask.",
      leftOutText(file) || "Add one.",
    )
  const before = readUpdate(process.env).update
  keepUpdate(process.env, update)
  printChanges(before, update, file)
  return EXIT.done
}

async function textOf(path: string): Promise<{ text: string; name: string; asOf: string }> {
  const today = dayOf(Date.now())
  if (path === "-")
    return { text: await standardInput("The list of prices", LONGEST), name: "standard input", asOf: today }
  let text: string | undefined
  try {
    text = readRegularText(path, LONGEST)
  } catch (error) {
    const why = error instanceof IrregularFile ? error.message : fileReason(error)
    throw new UsageError(`${path} cannot be read: ${why}.`)
  }
  if (text === undefined)
    throw new UsageError(existsSync(path) ? `${path} is a folder. Name a file.` : `There is no file ${path}.`)
  return { text, name: path, asOf: dayOf(statSync(path).mtimeMs) }
}

function dayOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10)
}

/** Refuses a day to come: such a list would count more than everything that Sotto learns until then. */
function checkDay(asOf: string, where: string): void {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(asOf) || Number.isNaN(Date.parse(asOf)))
    throw new UsageError(`--as-of ${asOf}: use a day such as 2026-11-18.`)
  // Somewhere it is tomorrow already.
  if (asOf > dayOf(Date.now() + DAY_MS))
    throw new ConfigError(
      where,
      1,
      "asOf",
      `${asOf} has not come yet.`,
      "Use the day on which the prices were read.",
    )
}

/** Prints what an update changes, against what held before it. */
function printChanges(before: ModelUpdate | undefined, after: ModelUpdate, file: PriceListFile): void {
  const [was, is] = [settingsOf(before), settingsOf(after)]
  let same = 0
  const newer: string[] = []
  out.line(
    `${counted(Object.keys(after.models).length, "model")} of ${after.asOf}, in ${file.format} format.`,
  )
  for (const [name, { price }] of Object.entries(after.models).sort(([a], [b]) => (a < b ? -1 : 1))) {
    const [old, now] = [known(was, name), known(is, name)]
    if (price !== undefined && sourcedPrice(name, {}, after)?.from === "table") newer.push(name)
    else if (!isKnown(was, name)) say("added", name, wordsOf(now))
    else if (wordsOf(old) === wordsOf(now)) same++
    else say("changed", name, differences(old, now))
  }
  const gone = Object.keys(before?.models ?? {}).filter((name) => !Object.hasOwn(after.models, name))
  for (const name of gone) say("gone", name, "the update before this one had it")
  if (same > 0) out.line(`same     ${counted(same, "model")}`)
  if (newer.length > 0)
    out.line(`kept     Sotto's own prices of ${newer.join(", ")}: they were compared after ${after.asOf}`)
  const left = leftOutText(file)
  if (left !== "") out.line(`left out ${left}`)
  out.line(`Kept in ${updateFile(process.env)}. \`sotto models reset\` forgets it.`)
}

function leftOutText({ leftOut }: PriceListFile): string {
  return [...leftOut].map(([why, count]) => `${counted(count, "row")} ${why}`).join(", ")
}

function say(what: string, name: string, text: string): void {
  out.line(`${what.padEnd(8)} ${oneLine(`${name}  ${text}`).trimEnd()}`)
}

function settingsOf(update: ModelUpdate | undefined): ModelFacts {
  return { models: {}, ...(update && { update }) }
}

/** True if more is known of a model than what is assumed. */
function isKnown(settings: ModelFacts, name: string): boolean {
  const price = priceIn(settings, name)
  return (price !== undefined && price.assumed === undefined) || name in (settings.update?.models ?? {})
}

/** Words what is known of a model, to compare it with what was known before and to print it. */
function known(settings: ModelFacts, name: string): ReadonlyMap<string, string> {
  const price = priceIn(settings, name)
  const taken = { ...capabilitiesOf(name), ...capabilitiesIn(settings, name) }
  return new Map([
    ...(price === undefined ? [] : CLASSES.map(([kind, what]) => [what, `$${shown(price[kind])}`] as const)),
    ...(price?.long === undefined
      ? []
      : [[`beyond ${whole(price.long.over)}`, ratesText(price.long)] as const]),
    ["window", whole(taken.contextWindow)],
    ["takes", takes({ ...taken, thinks: takesLevels(name) }) || "text"],
  ])
}

function wordsOf(words: ReadonlyMap<string, string>): string {
  return [...words].map(([what, text]) => `${what} ${text}`).join(", ")
}

function differences(old: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): string {
  return [...new Set([...old.keys(), ...now.keys()])]
    .filter((what) => old.get(what) !== now.get(what))
    .map((what) => `${what} ${old.get(what) ?? "unknown"} → ${now.get(what) ?? "none"}`)
    .join(", ")
}
