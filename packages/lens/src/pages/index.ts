export type { Mend, MendingPolicy } from "../mending/contract.js"
export type { Section, SegmentKind } from "../segments/segment.js"
export {
  type BreakPage,
  type CalledTool,
  type CallPage,
  type CallRow,
  type CallTokens,
  CONTEXT_KINDS,
  type ContextKind,
  type MarkedReminder,
  type PageSegment,
  type Unchanged,
} from "./page.js"
