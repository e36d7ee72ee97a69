import { type BashOptions, bashTool } from "./bash.js"
import { editTool } from "./edit.js"
import { globTool } from "./glob.js"
import { grepTool } from "./grep.js"
import { type ReadOptions, readTool } from "./read.js"
import { Tasks } from "./tasks/tasks.js"
import { todoWriteTool } from "./todo-write.js"
import type { Tool } from "./tool.js"
import { writeTool } from "./write.js"

export type StandardToolsOptions = ReadOptions & Partial<BashOptions>

/** Lists the tools that need nothing but the workspace. */
export function standardTools(options: StandardToolsOptions = {}): readonly Tool[] {
  const { tasks = new Tasks(), shell, documents } = options
  return [
    readTool({ ...(documents && { documents }) }),
    writeTool,
    editTool,
    globTool,
    grepTool,
    bashTool({ tasks, ...(shell && { shell }) }),
    todoWriteTool,
  ]
}
