export { type BreakEvenSettings, breakEven } from "./break-even.js"
export type { Account, Dropped, Economy, EconomyRates, Judgement, Standing } from "./economy.js"
export type { LifetimeSetting } from "./lifetime.js"
export { type OwnPrices, ratesOf, USUAL_RATES } from "./rates.js"
