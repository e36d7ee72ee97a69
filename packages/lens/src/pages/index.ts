export type { MendingPolicy } from "../mender/contract.js"
export type { Section, SegmentKind } from "../segments/segment.js"
export { compareSegments } from "./comparison.js"
export {
  type BreakPage,
  type CalledTool,
  type CallPage,
  type CallRow,
  type CallTokens,
  type CallTotals,
  CONTEXT_KINDS,
  type ContextKind,
  type CutText,
  type MarkedReminder,
  type Mended,
  type PageSegment,
  type SegmentChange,
  type SegmentComparison,
  type ShownChange,
  type ToolUse,
  type Unchanged,
} from "./page.js"
export { createPages, type Hit, type PageOptions, type Pages } from "./pages.js"
export { type CalledWith, toolUse } from "./tool-use.js"
