/** The providers' APIs that the scripted server speaks. */
export type Api = "anthropic" | "responses" | "gemini"

export interface Call {
  readonly name: string
  readonly input: Readonly<Record<string, unknown>>
}

export type Answer = { readonly text: string } | { readonly call: Call }

/** Whom a request is for, by its path. Undefined: not a request to a model. */
export function apiOf(path: string): Api | undefined {
  if (path.includes(":streamGenerateContent") || path.includes(":generateContent")) return "gemini"
  const name = path.replace(/\?.*$/, "").replace(/\/$/, "")
  if (name.endsWith("/messages")) return "anthropic"
  if (name.endsWith("/responses")) return "responses"
  return undefined
}

/** The names of the tools that a request offers; Gemini has them one level deeper. */
export function toolsOf(body: unknown): readonly string[] {
  const { tools } = body as { readonly tools?: readonly Tool[] }
  return (tools ?? []).flatMap((tool) => tool.functionDeclarations?.map(nameOf) ?? [nameOf(tool)])
}

/** A text of a request's conversation, and who says it: a role, or the type of an item that has none. */
export interface Block {
  readonly role: string
  readonly text: string
}

/** The texts of a request's messages, in order; those of its system prompt are left out. */
export function blocksOf(body: unknown): readonly Block[] {
  const { messages, input, contents } = body as Readonly<Record<string, readonly Item[] | undefined>>
  return (messages ?? input ?? contents ?? []).flatMap((item) =>
    textsIn(item.content ?? item.parts ?? item.output).map((text) => ({
      role: item.role ?? item.type ?? "?",
      text,
    })),
  )
}

interface Item {
  readonly role?: string
  readonly type?: string
  readonly content?: unknown
  readonly parts?: unknown
  readonly output?: unknown
}

/** The strings under `text`, `content` and `output`, however deep; a string by itself is one. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === "string") return [value]
  if (Array.isArray(value)) return value.flatMap(textsIn)
  if (typeof value !== "object" || value === null) return []
  const { text, content, output } = value as Readonly<Record<string, unknown>>
  return [text, content, output].flatMap(textsIn)
}

interface Tool {
  readonly name?: string
  readonly type?: string
  readonly functionDeclarations?: readonly Tool[]
}

function nameOf(tool: Tool): string {
  return tool.name ?? tool.type ?? "?"
}
