import { PRICES_AS_OF, type Price, priceAt, sourcedPrice } from "@sotto/core/prices"
import {
  type Config,
  defaultModel,
  isRehearsal,
  type ModelFacts,
  priceIn,
  readUpdate,
  withStoredKeys,
} from "@sotto/harness"
import { type CheckResult, ok, warning } from "./check-result.js"

type Variables = Readonly<Record<string, string | undefined>>

const DAY_MS = 86_400_000
/** Days after which prices are old. */
const OLD = 90

const UPDATE = "Get a newer list of prices, and run: sotto models update FILE"

/**
 * Checks how old the prices are, those of Sotto's own table and of the update, and what is known of the price of the model
 * that would be asked.
 */
export async function prices(
  config: Config,
  env: Variables = process.env,
  now = Date.now(),
): Promise<CheckResult> {
  const { update } = config
  const { problem } = readUpdate(env)
  if (problem !== undefined) return { state: "warning", text: problem }
  const about = [
    `Sotto's own are of ${agedText(PRICES_AS_OF, now)}`,
    ...(update === undefined ? [] : [`the update is of ${agedText(update.asOf, now)}`]),
  ].join("; ")
  const model = modelDoubt(config, defaultModel(withStoredKeys(env), config), now)
  const isOld = ageOf(update?.asOf ?? PRICES_AS_OF, now) > OLD
  if (!isOld && model === undefined) return ok(about)
  const text = [`${about}${isOld ? `, which is more than ${OLD} days ago` : ""}.`, ...(model ? [model] : [])]
  return warning(
    text.join(" "),
    `${UPDATE}${model === undefined ? "" : ", or say it in sotto.json: models.NAME.price"}.`,
  )
}

/** Says what is not certain of a model's price; undefined if nothing is. */
function modelDoubt(settings: ModelFacts, model: string, now: number): string | undefined {
  if (isRehearsal(model)) return undefined
  const price = priceIn(settings, model)
  if (price === undefined) return `The price of ${model} is not known: limits in dollars do not stop it.`
  if (price.assumed !== undefined)
    return `The price of ${model} is not known, and that of ${price.assumed} is taken.`
  return endedText(model, price, now)
}

/** Says that a promotion has ended. */
function endedText(model: string, price: Price, now: number): string | undefined {
  if (price.until === undefined || priceAt(price, now) === price) return undefined
  const { asOf = PRICES_AS_OF } = sourcedPrice(model) ?? {}
  return `The promotion of ${model} ended on ${price.until}: what was announced for afterwards is taken, as known on ${asOf}.`
}

function agedText(day: string, now: number): string {
  const age = ageOf(day, now)
  return `${day}${age < 1 ? "" : `, ${age} day${age === 1 ? "" : "s"} ago`}`
}

function ageOf(day: string, now: number): number {
  return Math.floor((now - Date.parse(day)) / DAY_MS)
}
