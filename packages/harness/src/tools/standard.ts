import { type BashOptions, bashTool } from "./bash.js"
import { editTool } from "./edit.js"
import { fetchTool } from "./fetch.js"
import { globTool } from "./glob.js"
import { grepTool } from "./grep.js"
import { type ReadOptions, readTool } from "./read.js"
import { Tasks } from "./tasks/tasks.js"
import { todoWriteTool } from "./todo-write.js"
import type { Tool } from "./tool.js"
import type { FetchOptions } from "./web/fetch-page.js"
import { writeTool } from "./write.js"

export type StandardToolsOptions = ReadOptions & Partial<BashOptions> & { readonly web?: () => FetchOptions }

/** Lists the tools that need nothing but the workspace. */
export function standardTools(options: StandardToolsOptions = {}): readonly Tool[] {
  const {
    tasks = new Tasks(),
    shell,
    documents,
    web = () => ({ proxies: undefined, privateHosts: [], now: Date.now }),
  } = options
  return [
    readTool({ ...(documents && { documents }) }),
    writeTool,
    editTool,
    globTool,
    grepTool,
    bashTool({ tasks, ...(shell && { shell }) }),
    fetchTool(web),
    todoWriteTool,
  ]
}
