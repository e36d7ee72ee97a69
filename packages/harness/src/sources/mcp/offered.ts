import { startOf } from "../../platform/text/text.js"
import { fieldsOf, listIn, type McpFields, textIn } from "./fields.js"
import type { Link } from "./link.js"
import { toolNames } from "./names.js"
import { ANY_INPUT, type Schema, schemaProblem, sendable } from "./schema.js"

/** A tool of a server, made fit to be offered to a model. */
export interface McpTool {
  /** As the server calls it. */
  readonly name: string
  /** As it is called in the list of tools. */
  readonly listed: string
  readonly description: string
  readonly inputSchema: Schema
  /** The server says that it changes nothing: a hint from a server that is not trusted. */
  readonly readOnly: boolean
  /** The server says that it may delete or overwrite. */
  readonly destructive: boolean
}

/** Something that a server has to be read; a template if its uri has `{…}` to be filled in. */
export interface OfferedResource {
  readonly uri: string
  readonly name: string
  readonly description?: string
  readonly mimeType?: string
}

/** A text that a server has ready for the user to send, with places for arguments. */
export interface McpPrompt {
  /** As the server calls it. */
  readonly name: string
  readonly description: string
  readonly arguments: readonly PromptArgument[]
}

interface PromptArgument {
  readonly name: string
  readonly required: boolean
}

export const MOST_TOOLS = 128
const MOST_PROMPTS = 200
const MOST_ARGUMENTS = 20
const MOST_RESOURCES = 1_000
const LONGEST_DESCRIPTION = 2_000

export interface Tools {
  readonly tools: readonly McpTool[]
  /** For people: what was left out or replaced, and why. */
  readonly problems: readonly string[]
}

export function readTools(entries: readonly unknown[], prefix: string): Tools {
  const problems: string[] = []
  const named = new Map<string, McpFields>()
  for (const entry of entries) {
    const fields = fieldsOf(entry)
    const name = textIn(fields, "name")
    if (name === undefined || name === "") problems.push("A tool without a name is left out.")
    else if (named.has(name)) problems.push(`The tool ${shown(name)} is offered twice; the first counts.`)
    else if (named.size < MOST_TOOLS) named.set(name, fields)
  }
  const names = toolNames(prefix, [...named.keys()])
  const tools = [...named].map(([name, fields]): McpTool => {
    const problem = schemaProblem(fields.inputSchema)
    if (problem !== undefined)
      problems.push(
        `The input schema of the tool ${shown(name)} cannot be used: ${problem}. Any input is taken.`,
      )
    const { readOnlyHint, destructiveHint } = fieldsOf(fields.annotations)
    return {
      name,
      listed: names.get(name) ?? name,
      description: startOf(
        textIn(fields, "description") ?? textIn(fields, "title") ?? name,
        LONGEST_DESCRIPTION,
      ),
      inputSchema: problem === undefined ? sendable(fields.inputSchema as Schema) : ANY_INPUT,
      readOnly: readOnlyHint === true && destructiveHint !== true,
      destructive: destructiveHint === true,
    }
  })
  return { tools, problems }
}

function readResources(
  entries: readonly unknown[],
  uriField: "uri" | "uriTemplate",
): readonly OfferedResource[] {
  return entries.slice(0, MOST_RESOURCES).flatMap((entry): OfferedResource[] => {
    const fields = fieldsOf(entry)
    const uri = textIn(fields, uriField)
    if (uri === undefined || uri === "") return []
    const description = textIn(fields, "description")
    const mimeType = textIn(fields, "mimeType")
    return [
      {
        uri,
        name: textIn(fields, "name") ?? textIn(fields, "title") ?? uri,
        ...(description !== undefined && { description: startOf(description, LONGEST_DESCRIPTION) }),
        ...(mimeType !== undefined && { mimeType }),
      },
    ]
  })
}

function readPrompts(entries: readonly unknown[]): readonly McpPrompt[] {
  const prompts = entries.flatMap((entry): McpPrompt[] => {
    const fields = fieldsOf(entry)
    const name = textIn(fields, "name")
    if (name === undefined || name === "") return []
    const takes = listIn(fields, "arguments").slice(0, MOST_ARGUMENTS).map(fieldsOf)
    return [
      {
        name,
        description: startOf(
          textIn(fields, "description") ?? textIn(fields, "title") ?? "",
          LONGEST_DESCRIPTION,
        ),
        arguments: takes.flatMap((one) => {
          const argument = textIn(one, "name")
          return argument === undefined ? [] : [{ name: argument, required: one.required === true }]
        }),
      },
    ]
  })
  return [...new Map(prompts.map((prompt) => [prompt.name, prompt])).values()]
}

type Asking = Pick<Link, "request">

export async function listTools(link: Asking, prefix: string): Promise<Tools> {
  const { entries, more } = await listAll((params) => link.request("tools/list", params), "tools", MOST_TOOLS)
  const { tools, problems } = readTools(entries, prefix)
  const cut = more ? [`It offers more than ${MOST_TOOLS} tools; the others are left out.`] : []
  return { tools, problems: [...cut, ...problems] }
}

export async function listResources(link: Asking): Promise<{
  readonly resources: readonly OfferedResource[]
  readonly templates: readonly OfferedResource[]
}> {
  const list = (method: string, field: string) =>
    listAll((params) => link.request(method, params), field, MOST_RESOURCES)
  const [resources, templates] = await Promise.all([
    list("resources/list", "resources"),
    // Many servers have no templates, and no answer to the question either.
    list("resources/templates/list", "resourceTemplates").catch(() => ({ entries: [] })),
  ])
  return {
    resources: readResources(resources.entries, "uri"),
    templates: readResources(templates.entries, "uriTemplate"),
  }
}

export async function listPrompts(link: Asking): Promise<readonly McpPrompt[]> {
  const { entries } = await listAll((params) => link.request("prompts/list", params), "prompts", MOST_PROMPTS)
  return readPrompts(entries)
}

const MOST_PAGES = 100

export interface Listed {
  readonly entries: readonly unknown[]
  /** There is more than is taken. */
  readonly more: boolean
}

/** Reads all pages of a list, up to as many entries as are of use; a server may never come to an end. */
export async function listAll(
  ask: (params: McpFields) => Promise<McpFields>,
  field: string,
  most: number,
): Promise<Listed> {
  const entries: unknown[] = []
  const seen = new Set<string>()
  for (let cursor: string | undefined; ; ) {
    const page = await ask(cursor === undefined ? {} : { cursor })
    entries.push(...listIn(page, field).slice(0, most + 1 - entries.length))
    cursor = textIn(page, "nextCursor")
    if (entries.length > most) return { entries: entries.slice(0, most), more: true }
    if (cursor === undefined || seen.has(cursor) || seen.size >= MOST_PAGES) return { entries, more: false }
    seen.add(cursor)
  }
}

function shown(name: string): string {
  return JSON.stringify(startOf(name, 80))
}
