export { type BreakEvenSettings, breakEven } from "./economy/break-even.js"
export type { LifetimeSetting } from "./economy/lifetime.js"
export { type OwnPrices, ratesOf, USUAL_RATES } from "./economy/rates.js"
export { type SideComparison, sidePrices } from "./economy/side-prices.js"
export { type CostReport, type EconomyEvent, explainCost, type TokenSpend } from "./session/cost-report.js"
export type {
  Dropped,
  Economy,
  EconomyAccount,
  EconomyDecision,
  EconomyInput,
  EconomyRates,
} from "./vocabulary/economy.js"
