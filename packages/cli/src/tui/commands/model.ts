import { type Offered, offeredModels, providerOf } from "@sotto/harness"
import { short } from "../state/tally.js"
import type { Around, SlashCommand } from "./command.js"

const TITLE = "Model, prices for a million tokens:"

export const model: SlashCommand = {
  name: "model",
  argument: "[PROVIDER/MODEL]",
  help: "which model answers; the list shows windows, prices, and what each can do",
  offers: (around) => modelsOf(around).map((one) => ({ text: one.name, detail: about(one) })),
  run: async (around, argument) => {
    const items = modelsOf(around).map((one) => ({ value: one.name, label: one.name, detail: about(one) }))
    const name = argument === "" ? await around.pick(TITLE, items, "in order") : argument
    if (name !== undefined) around.switchModel(name)
  },
}

/** The one in use, those of the configuration and of stored sessions, and those that Sotto knows. */
function modelsOf({ workplace, talk }: Around): readonly Offered[] {
  const used = workplace
    .store()
    .list()
    .map((session) => session.model)
  return offeredModels(workplace.config.models, workplace.env, [talk().model().model, ...used])
}

function about({ name, contextWindow, price, thinks, images, documents, isReachable }: Offered): string {
  const can = [thinks && "thinks", images && "images", documents && "PDFs"].filter((one) => one !== false)
  return [
    ...(isReachable ? [] : [`no key: sotto login ${providerOf(name) ?? ""}`.trim()]),
    short(contextWindow),
    price === undefined ? "price unknown" : `$${price.input} in, $${price.output} out`,
    ...(can.length > 0 ? [can.join(", ")] : []),
  ].join(" · ")
}
