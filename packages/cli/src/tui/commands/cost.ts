import { explainCost, priceIn } from "@sotto/harness"
import { costPage } from "../../output/cost.js"
import type { SlashCommand } from "./command.js"

export const cost: SlashCommand = {
  name: "cost",
  help: "what the session has cost, what that was spent on, and what was decided to save",
  run: ({ workplace, talk, page }) =>
    page(costPage(explainCost(talk().session.log, (model) => priceIn(workplace.config, model)))),
}
