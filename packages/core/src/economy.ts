export { type BreakEvenSettings, breakEven } from "./economy/break-even.js"
export { type LifetimeSetting, lifetimesOf } from "./economy/lifetime.js"
export { type OwnPrices, type PriceLookup, ratesOf, USUAL_RATES } from "./economy/rates.js"
export { type WarmthPrices, warmthPrices } from "./economy/warmth.js"
export {
  type AccountLine,
  type AccountSum,
  accountOf,
  addAccounts,
  addLine,
  allClasses,
  type ByPriceClass,
  moneyOf,
  NOTHING_SPENT,
  SessionAccount,
  type UsageRow,
  usageRowOf,
} from "./session/account.js"
export {
  type CostReport,
  type EconomyEvent,
  explainCost,
  type PurposeSpend,
  type SubagentCost,
  type TokenSpend,
} from "./session/cost-report.js"
export { type CacheCause, diagnosesIn, type StepDiagnosis } from "./session/diagnoses.js"
export { type SideComparison, sidePrices } from "./session/side-prices.js"
export type {
  Dropped,
  Economy,
  EconomyAccount,
  EconomyDecision,
  EconomyInput,
  EconomyRates,
} from "./vocabulary/economy.js"
