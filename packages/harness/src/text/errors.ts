/** What was thrown, in words. */
export function reasonOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}

/** A call that cannot be carried out, in words for the model: what was wrong and what to do instead. */
export class ToolError extends Error {
  override readonly name = "ToolError"
}
