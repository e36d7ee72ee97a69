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

interface Tool {
  readonly name?: string
  readonly type?: string
  readonly functionDeclarations?: readonly Tool[]
}

function nameOf(tool: Tool): string {
  return tool.name ?? tool.type ?? "?"
}
