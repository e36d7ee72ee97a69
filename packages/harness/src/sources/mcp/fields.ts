export type McpFields = Readonly<Record<string, unknown>>

// What a server sends is read field by field and taken for what it turns out to be: one strange entry must not cost all.

export function fieldsOf(value: unknown): McpFields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as McpFields) : {}
}

export function textIn(fields: McpFields, name: string): string | undefined {
  const value = fields[name]
  return typeof value === "string" ? value : undefined
}

export function listIn(fields: McpFields, name: string): readonly unknown[] {
  const value = fields[name]
  return Array.isArray(value) ? value : []
}
