import { type Environment, reasonOf } from "@sotto/harness"
import { UsageError } from "../usage.js"
import { userToken } from "./secrets.js"
import { registered } from "./server.js"

/** A server of this home that another process runs. */
export interface Running {
  readonly url: string
  readonly token: string
}

const PATIENCE_MS = 2_000

/** The server that runs for this home and takes this user's token, if there is one. */
export async function findServer(env: Environment): Promise<Running | undefined> {
  const found = registered(env)
  if (found === undefined) return undefined
  const running = { url: `http://127.0.0.1:${found.port}`, token: userToken(env) }
  try {
    await asked(running, "GET", "/health")
    return running
  } catch {
    return undefined
  }
}

/** A one-time link to a subject, behind the server's address. */
export async function askServer(
  running: Running,
  subject: { readonly is: string; readonly id?: string; readonly path?: string },
): Promise<string> {
  try {
    const trace =
      subject.path === undefined ? undefined : await asked(running, "POST", "/traces", { path: subject.path })
    const { once } = (await asked(running, "POST", "/links", {})) as { readonly once: string }
    const id = trace === undefined ? subject.id : (trace as { readonly id: string }).id
    const to = id === undefined ? "/" : `/${trace === undefined ? "s" : "t"}/${encodeURIComponent(id)}`
    return `/#once=${once}&to=${encodeURIComponent(to)}`
  } catch (error) {
    throw new UsageError(reasonOf(error))
  }
}

async function asked(
  { url, token }: Running,
  method: string,
  path: string,
  body?: unknown,
): Promise<unknown> {
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(path === "/health" && { signal: AbortSignal.timeout(PATIENCE_MS) }),
  })
  const given = (await answer.json()) as { readonly error?: { readonly message: string } }
  if (!answer.ok) throw new Error(given.error?.message ?? `the server answers ${answer.status}`)
  return given
}
