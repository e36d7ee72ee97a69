export { locate } from "./paths.js"
export { patternFor } from "./pattern.js"
export { type PlanVerdict, planVerdict } from "./plan.js"
export {
  type Judge,
  judge,
  judgeAll,
  judgeBy,
  within,
  withoutAsking,
} from "./rules.js"
export { findSandbox, wrap } from "./sandbox.js"
