export type { MendingPolicy } from "../mender/contract.js"
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
  type Mended,
  type PageSegment,
  type Unchanged,
} from "./page.js"
export { createPages, type Hit, type PageOptions, type Pages } from "./pages.js"
