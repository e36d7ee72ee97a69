export { locate } from "./paths.js"
export { type Judge, judge, judgeAll, judgeBy, within, withoutAsking } from "./rules.js"
export { findSandbox } from "./sandbox/find.js"
export { type CallVerdict, verdictOn } from "./verdict.js"
