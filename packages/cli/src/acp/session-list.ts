import { type ListSessionsRequest, type ListSessionsResponse, RequestError } from "@agentclientprotocol/sdk"
import { type Environment, openStore, storePlace } from "@sotto/harness"

const PAGE = 50

/** The stored sessions that somebody talked in, newest first. */
export async function listed(
  { cwd, cursor }: ListSessionsRequest,
  env: Environment,
): Promise<ListSessionsResponse> {
  const from = Number(cursor ?? 0)
  if (!Number.isInteger(from) || from < 0) throw RequestError.invalidParams(undefined, "unknown cursor")
  const store = openStore(storePlace(env), { env })
  try {
    const all = (await store.list())
      .filter(
        ({ parent, messages, damaged }) => parent === undefined && messages > 0 && damaged === undefined,
      )
      .filter((session) => cwd == null || session.cwd === cwd)
    const sessions = all.slice(from, from + PAGE).map(({ id, cwd, title, updated }) => ({
      sessionId: id,
      cwd,
      updatedAt: new Date(updated).toISOString(),
      ...(title !== undefined && { title }),
    }))
    return { sessions, ...(all.length > from + PAGE && { nextCursor: String(from + PAGE) }) }
  } finally {
    store.close()
  }
}
