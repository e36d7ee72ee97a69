import type { Agent } from "node:http"
import { type Environment, reasonOf } from "@sotto/harness"
import { asked, PATIENCE_MS, proven, reachedAt } from "../peers/proof.js"
import { registrations } from "../peers/registration.js"
import { UsageError } from "../usage.js"
import { userToken } from "./secrets.js"

/** A server of this home that another process runs, and the connection on which it has proved that it is. */
export interface FoundServer {
  readonly url: string
  readonly agent: Agent
  readonly token: string
}

/**
 * Finds the server that runs for this home and takes this user's token, if there is one. The token is sent to it only after it
 * has proved that it wrote its registration. `tell` hears of one that is not used, and why.
 */
export async function findServer(
  env: Environment,
  tell: (line: string) => void,
): Promise<FoundServer | undefined> {
  const [found] = registrations(env, /^server\.json$/, tell)
  if (found === undefined) return undefined
  const host = reachedAt(found.host)
  const url = `http://${host.includes(":") ? `[${host}]` : host}:${found.port}`
  let agent: Agent
  try {
    agent = await proven("server", found)
  } catch (error) {
    tell(reasonOf(error))
    return undefined
  }
  const running = { url, agent, token: userToken(env) }
  try {
    await answerOf(running, "GET", "/health")
    return running
  } catch {
    agent.destroy()
    return undefined
  }
}

/** Asks for a one-time link to a subject, behind the server's address. */
export async function askServer(
  running: FoundServer,
  subject: { readonly is: string; readonly id?: string; readonly path?: string },
): Promise<string> {
  try {
    const trace =
      subject.path === undefined
        ? undefined
        : await answerOf(running, "POST", "/traces", { path: subject.path })
    const { once } = (await answerOf(running, "POST", "/links", {})) as { readonly once: string }
    const id = trace === undefined ? subject.id : (trace as { readonly id: string }).id
    const to = id === undefined ? "/" : `/${trace === undefined ? "s" : "t"}/${encodeURIComponent(id)}`
    return `/#once=${once}&to=${encodeURIComponent(to)}`
  } catch (error) {
    throw new UsageError(reasonOf(error))
  } finally {
    running.agent.destroy()
  }
}

async function answerOf(
  { url, agent, token }: FoundServer,
  method: string,
  path: string,
  body?: object,
): Promise<unknown> {
  const { hostname, port } = new URL(url)
  const text = body && JSON.stringify(body)
  const answer = await asked({
    ...{ agent, method, path, port, host: hostname.replace(/^\[|\]$/g, "") },
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(text !== undefined ? { body: text } : { patience: PATIENCE_MS }),
  })
  const given = JSON.parse(answer.text) as { readonly error?: { readonly message: string } }
  if (answer.status >= 400) throw new Error(given.error?.message ?? `the server answers ${answer.status}`)
  return given
}
