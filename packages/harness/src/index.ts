export { KnownFiles } from "./tools/known-files.js"
export { type Output, type Tool, type ToolContext, ToolError } from "./tools/tool.js"
export type { Access, Action } from "./permissions/access.js"
