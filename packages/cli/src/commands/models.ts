import { parseArgs } from "node:util"
import { makerOf } from "@sotto/core/models"
import { PRICES_AS_OF, type Price } from "@sotto/core/prices"
import {
  forgetUpdate,
  loadConfig,
  type ModelFacts,
  type Offered,
  offeredModels,
  priceIn,
  providerOf,
  sourcedPriceIn,
  updateFile,
} from "@sotto/harness"
import { whole } from "../output/figures.js"
import { CLASSES, ratesText, shown, takes } from "../output/price-text.js"
import { oneLine } from "../screen/inert.js"
import { err, out } from "../screen/printer.js"
import { EXIT, UsageError } from "../usage.js"
import { UPDATE_OPTIONS, update } from "./models-update.js"
import { type CommandOptions, optionRows, type Subcommand } from "./subcommand.js"

const OPTIONS = {
  json: { type: "boolean", help: "the models as one JSON object" },
} as const satisfies CommandOptions

export const subcommand: Subcommand = {
  help: `sotto models: what Sotto knows of models, and how to bring it up to date

  sotto models [NAME]         every model with its window, what it takes, its price in dollars for a million tokens, the day
                              and the source of the price; or one model in full, also one whose price is only assumed
${optionRows(OPTIONS, 30, 6)}
  sotto models update FILE    takes prices and capabilities from a file, or from standard input (-). All of it is checked
                              first, and what changes is printed
${optionRows(UPDATE_OPTIONS, 30, 6)}
  sotto models reset          forgets the update

FILE is in Sotto's own format, LiteLLM's model_prices_and_context_window.json or the api.json of models.dev; what is in it
tells which. Sotto fetches nothing: bring the file yourself. "models" in sotto.json counts more than the update, and the
update more than Sotto's own table, except for models that the table was compared for on a later day.
`,
  options: { ...OPTIONS, ...UPDATE_OPTIONS },
  manual: ["Models and prices", "../models.md"],
  run,
}

async function run(args: readonly string[]): Promise<number> {
  const [what, ...rest] = args
  if (what === "update") return await update(rest)
  if (what === "reset") return reset(rest)
  const { values, positionals } = parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true })
  const [name, ...more] = positionals
  if (more.length > 0)
    throw new UsageError(
      `sotto models ${name}: use one NAME, update FILE or reset. See \`sotto models --help\`.`,
    )
  const { json = false } = values
  const { models, update: kept, notices = [] } = await loadConfig({ cwd: process.cwd(), env: process.env })
  for (const notice of notices) err.line(`sotto: ${notice}`)
  const settings = { models, ...(kept && { update: kept }) }
  if (name === undefined) list(settings, json)
  else show(settings, name, json)
  return EXIT.done
}

/** A model as it is listed. */
interface Listed {
  readonly id: string
  readonly window: number
  readonly images: boolean
  readonly documents: boolean
  readonly thinks: boolean
  /** Dollars for a million tokens, today. */
  readonly price?: Price
  /** Whose word the price is. */
  readonly from?: "built in" | "update" | "sotto.json"
  readonly asOf?: string
  readonly source?: string
}

const FROM = { table: "built in", list: "update", own: "sotto.json" } as const

function listed(settings: ModelFacts, offered: Offered): Listed {
  const { name, contextWindow, images, documents, thinks, price } = offered
  const { from, asOf, source } = sourcedPriceIn(settings, name) ?? {}
  return {
    ...{ id: name, window: contextWindow, images, documents, thinks },
    ...(price && { price }),
    ...(from && { from: FROM[from] }),
    ...(asOf !== undefined && { asOf }),
    ...(source !== undefined && { source }),
  }
}

function list(settings: ModelFacts, isJson: boolean): void {
  const models = offeredModels(settings, process.env).map((one) => listed(settings, one))
  const { update: kept } = settings
  if (isJson) {
    const about = kept && { asOf: kept.asOf, source: kept.source, file: updateFile(process.env) }
    out.json(JSON.stringify({ asOf: PRICES_AS_OF, ...(about && { update: about }), models }))
    return
  }
  table([HEADINGS, ...models.map(cellsOf)])
  out.line()
  out.line(`Dollars for a million tokens. Sotto's own table was last compared on ${PRICES_AS_OF}.`)
  if (kept !== undefined)
    out.line(`The update is of ${kept.asOf}${kept.source ? `, from ${kept.source}` : ""}.`)
}

const HEADINGS = ["model", "window", "takes", "in", "out", "read", "written", "1 hour", "of", "from", ""]

function cellsOf({ id, window, images, documents, thinks, price, asOf, from }: Listed) {
  const rates = CLASSES.map(([kind]) => (price === undefined ? "?" : String(shown(price[kind]))))
  return [
    id,
    whole(window),
    takes({ images, documents, thinks }),
    ...rates,
    asOf ?? "",
    from ?? "",
    remark(price),
  ].map(oneLine)
}

function remark(price: Price | undefined): string {
  if (price === undefined) return "price unknown"
  const { assumed, until, long } = price
  return [
    ...(assumed === undefined ? [] : [`assumed: like ${assumed}`]),
    ...(until === undefined ? [] : [`until ${until}`]),
    ...(long === undefined ? [] : [`more beyond ${whole(long.over)}`]),
  ].join(", ")
}

function table(rows: readonly (readonly string[])[]): void {
  const widths = HEADINGS.map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)))
  for (const row of rows)
    out.line(
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join("  ")
        .trimEnd(),
    )
}

function show(settings: ModelFacts, given: string, isJson: boolean): void {
  const maker = providerOf(given) === undefined ? makerOf(given) : undefined
  const name = maker === undefined ? given : `${maker}/${given}`
  const found = offeredModels(settings, process.env, [name]).find((one) => one.name === name)
  const isNamed = name in settings.models || settings.update?.models[name] !== undefined
  if (found === undefined || (found.price === undefined && providerOf(name) === undefined && !isNamed))
    throw new UsageError(
      `sotto models ${oneLine(given)}: Sotto knows no such model. Use update FILE, reset, or a NAME that \`sotto models\` lists.`,
    )
  const model = listed(settings, found)
  if (isJson) {
    out.json(JSON.stringify(model))
    return
  }
  const after = priceIn(settings, name)
  const rows = [
    ["window", `${whole(model.window)} tokens`],
    ["takes", takes(model) || "text"],
    ...priceRows(model),
    ...(after?.after !== undefined && after.until === model.price?.until
      ? [[`after ${after.until}`, ratesText(after.after)]]
      : []),
  ]
  out.line(oneLine(model.id))
  for (const [what = "", text = ""] of rows) out.line(`  ${what.padEnd(22)} ${oneLine(text)}`)
}

function priceRows({ price, from, asOf, source }: Listed): readonly (readonly string[])[] {
  if (price === undefined)
    return [["price", 'unknown. Say it as "models" in sotto.json, or by `sotto models update FILE`']]
  const { assumed, until, long } = price
  return [
    ...CLASSES.map(([kind, what]) => [what, `$${shown(price[kind])} for a million tokens`]),
    ...(long === undefined ? [] : [[`beyond ${whole(long.over)}`, ratesText(long)]]),
    ...(until === undefined ? [] : [["until", until]]),
    ...(assumed === undefined
      ? []
      : [["assumed", `its own price is not known; it is priced like ${assumed}`]]),
    ["from", [from, source, asOf].filter(Boolean).join(", ")],
  ]
}

function reset(args: readonly string[]): number {
  if (args.length > 0) throw new UsageError("sotto models reset takes no arguments.")
  const path = updateFile(process.env)
  out.line(
    forgetUpdate(process.env)
      ? `Removed ${path}. Sotto's own prices of ${PRICES_AS_OF} hold.`
      : `There is no update to forget. Sotto's own prices of ${PRICES_AS_OF} hold.`,
  )
  return EXIT.done
}
