import { labelsIn, type SessionSummary } from "@sotto/harness/store"

/** Makes a session as it is listed, from its row. */
export function summaryOf(row: Readonly<Record<string, unknown>>): SessionSummary {
  const { title, summary, parent, workspace } = row
  return {
    id: String(row.id),
    cwd: String(row.cwd),
    agent: String(row.agent),
    model: String(row.model),
    ...(title !== null && { title: String(title) }),
    ...(summary !== null && { summary: String(summary) }),
    ...(parent !== null && { parent: String(parent) }),
    ...(workspace !== null && { workspace: String(workspace) }),
    ...labelsIn({ labels: optional(row.labels), metadata: optional(row.metadata) }),
    created: Number(row.created),
    updated: Number(row.updated),
    messages: Number(row.messages),
  }
}

/** Reads a column that may be empty. */
export function optional(column: unknown): string | null {
  return column === null ? null : String(column)
}
