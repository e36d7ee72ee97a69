import type { Json, ResultPolicy, ToolDefinition } from "@sotto/core"

// Sent with every request, so every word here is paid for again and again: say what a model would get wrong without it.

const text = (description?: string): Json => ({ type: "string", ...(description && { description }) })
const integer = (description?: string): Json => ({ type: "integer", ...(description && { description }) })
const flag = (description?: string): Json => ({ type: "boolean", ...(description && { description }) })
const list = (items: Json): Json => ({ type: "array", items })

function object(properties: Readonly<Record<string, Json>>, required: readonly string[]) {
  return { type: "object", properties, ...(required.length > 0 && { required }) }
}

/** What a person or another agent said, and what the work follows, is never dropped. */
const KEPT: ResultPolicy = { old: "keep" }

export const READ: ToolDefinition = {
  name: "read",
  description: "Read a file: text with line numbers, at most 2000 lines, image, notebook, PDF.",
  inputSchema: object(
    {
      path: text(),
      offset: integer("First line, from 1"),
      limit: integer(),
      pages: text('Of a PDF: "3" or "1-5", at most 20'),
    },
    ["path"],
  ),
  safeToRepeat: true,
  results: { reads: "path" },
}

export const WRITE: ToolDefinition = {
  name: "write",
  description: "Create a file, or replace one you have read. To change one, use edit.",
  inputSchema: object({ path: text(), content: text() }, ["path", "content"]),
  results: { old: "keep", edits: "path" },
}

export const EDIT: ToolDefinition = {
  name: "edit",
  description:
    "Replace text in a file you have read. `old` is exact, without line numbers, and occurs once unless `all`.",
  inputSchema: object({ path: text(), old: text(), new: text(), all: flag() }, ["path", "old", "new"]),
  results: { old: "keep", edits: "path" },
}

export const GLOB: ToolDefinition = {
  name: "glob",
  description:
    'Find files, newest first: "*.ts" at any depth, "src/**/*.test.ts". Skips ignored files, and hidden ones unless named.',
  inputSchema: object({ pattern: text(), path: text("Directory") }, ["pattern"]),
  safeToRepeat: true,
}

export const GREP: ToolDefinition = {
  name: "grep",
  description: "Search files by a regular expression (ripgrep). Skips ignored and hidden ones.",
  inputSchema: object({ pattern: text(), path: text(), glob: text('Only files like "*.ts"') }, ["pattern"]),
  safeToRepeat: true,
}

export const BASH: ToolDefinition = {
  name: "bash",
  description:
    "Run bash in the workspace, without input or terminal. cd and variables do not last. For files use read, edit, glob, grep.",
  inputSchema: object(
    {
      command: text(),
      timeout: integer("Seconds: 120, at most 600"),
      background: flag("Return at once; you are told of its end"),
      unconfined: flag("If it failed in the sandbox: ask to run it outside"),
    },
    ["command"],
  ),
}

export const FETCH: ToolDefinition = {
  name: "fetch",
  description: "Read a page of the web, as Markdown. offset and limit as in read.",
  inputSchema: object({ url: text(), offset: integer(), limit: integer() }, ["url"]),
}

/** The provider runs it, and describes it to the model in its own words. */
export const WEB_SEARCH: ToolDefinition = {
  name: "web_search",
  description: "Search the web.",
  inputSchema: object({ query: text() }, ["query"]),
  provided: "search",
}

export const TODO_STATUSES = ["pending", "in_progress", "completed"] as const

export const TODO_WRITE: ToolDefinition = {
  name: "todo_write",
  description:
    "Replace your list of steps in larger work: one in_progress at a time, completed as soon as it is.",
  inputSchema: object(
    {
      todos: list(
        object({ content: text(), status: { type: "string", enum: TODO_STATUSES } }, ["content", "status"]),
      ),
    },
    ["todos"],
  ),
  safeToRepeat: true,
  results: KEPT,
}

export const TASK: ToolDefinition = {
  name: "task",
  description:
    "Hand work to another agent. It sees only the prompt: say all it needs and what to report. Calls run side by side.",
  inputSchema: object(
    {
      agent: text(),
      prompt: text(),
      fork: flag("A copy of you does it, knowing all this"),
      background: flag("Return at once; the report comes later"),
      name: text("Its name in your team"),
    },
    ["prompt"],
  ),
  results: KEPT,
}

export const TASK_STATUS: ToolDefinition = {
  name: "task_status",
  description: "List background tasks, or what is new of one. Do not poll: you are told of its end.",
  inputSchema: object({ id: text(), stop: flag() }, []),
}

export const TASK_CREATE: ToolDefinition = {
  name: "task_create",
  description: "Add to your team's task list. Alone, use todo_write.",
  inputSchema: object({ content: text(), owner: text() }, ["content"]),
  results: KEPT,
}

export const TASK_UPDATE: ToolDefinition = {
  name: "task_update",
  description: "Change a task of your team's list; without id, show it.",
  inputSchema: object(
    { id: text(), status: { type: "string", enum: TODO_STATUSES }, owner: text(), content: text() },
    [],
  ),
  results: KEPT,
}

export const MESSAGE: ToolDefinition = {
  name: "message",
  description: 'Write to a member of your team, "coordinator" or "all".',
  inputSchema: object({ to: text(), text: text() }, ["to", "text"]),
  results: KEPT,
}

export const SKILL: ToolDefinition = {
  name: "skill",
  description: "Load a skill by its name, before doing what it is for.",
  inputSchema: object({ name: text() }, ["name"]),
  safeToRepeat: true,
  results: KEPT,
}

export const QUESTION: ToolDefinition = {
  name: "question",
  description: "Ask the user what you cannot find out and should not assume.",
  inputSchema: object({ question: text(), options: list(text()) }, ["question"]),
  results: KEPT,
}

export const PLAN_EXIT: ToolDefinition = {
  name: "plan_exit",
  description: "The plan is written: ask the user to approve it.",
  inputSchema: object({}, []),
  results: KEPT,
}

export const SNIP: ToolDefinition = {
  name: "snip",
  description: "Drop messages you no longer need from the context, by the ids shown with them.",
  inputSchema: object({ ids: list(text()) }, ["ids"]),
  results: KEPT,
}

/** In the list wherever there is an MCP server, whether it answers or not: a list that was sent does not change. */
export const MCP: ToolDefinition = {
  name: "mcp",
  description:
    "Reach MCP servers: call a tool that is not in your own list (without input: see its schema), read a resource by its uri, or, with neither, see what a server offers.",
  inputSchema: object(
    {
      server: text(),
      tool: text(),
      input: { type: "object", description: "For the tool, as its schema says; {} if it takes none" },
      resource: text("A uri"),
    },
    [],
  ),
}
