export type { Access, Action } from "./access.js"
export { type Location, locate } from "./paths.js"
export { type PlanVerdict, planVerdict } from "./plan.js"
export {
  type Judge,
  judge,
  judgeAll,
  judgeBy,
  type Policy,
  stricter,
  type Verdict,
  within,
  withoutAsking,
} from "./rules.js"
export { findSandbox, type Sandbox, type SandboxOptions, wrap } from "./sandbox.js"
export { judgeCommand } from "./shell/accesses.js"
