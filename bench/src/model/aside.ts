interface Schema {
  readonly type?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly enum?: readonly unknown[]
}

/** An answer to what a harness asks beside the conversation: a title, or, where it asks for JSON, the least that its schema allows. */
export function asideTo(body: string): string {
  const { generationConfig = {} } = JSON.parse(body) as {
    readonly generationConfig?: { readonly responseJsonSchema?: Schema; readonly responseSchema?: Schema }
  }
  const schema = generationConfig.responseJsonSchema ?? generationConfig.responseSchema
  return schema === undefined ? "A title" : JSON.stringify(least(schema))
}

function least({ type = "object", properties = {}, enum: values }: Schema): unknown {
  if (values !== undefined) return values[0]
  switch (type.toLowerCase()) {
    case "string":
      return "Nothing."
    case "number":
    case "integer":
      return 0
    case "boolean":
      return false
    case "array":
      return []
    default:
      return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, least(schema)]))
  }
}
