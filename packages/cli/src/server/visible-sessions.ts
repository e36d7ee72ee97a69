import { realpathSync } from "node:fs"
import { isAbsolute, relative, resolve } from "node:path"
import { type SessionCatalogue, type SessionSummary, StoreError, unknownSession } from "@sotto/harness"
import type { Caller } from "./access.js"
import { ApiError } from "./errors.js"
import { isLimited, type TokenGrant } from "./tokens.js"

type Catalogue = Pick<SessionCatalogue, "about">

/**
 * The sessions that a caller may know of. For everything else the server answers as if it did not exist. A session has
 * to fit each kind of limit that the token has: one of its sessions, one of its labels, one of its folders.
 */
export class VisibleSessions {
  readonly #catalogue: Catalogue
  readonly #grant: TokenGrant | undefined

  constructor(catalogue: Catalogue, caller: Caller) {
    this.#catalogue = catalogue
    this.#grant = caller.is === "token" && isLimited(caller.grant) ? caller.grant : undefined
  }

  /** True if there is no limit. */
  get areAll(): boolean {
    return this.#grant === undefined
  }

  /** Throws what an unknown session throws, unless the caller may know of this one. */
  async check(id: string): Promise<void> {
    if (this.#grant === undefined) return
    if (!(await this.has(await this.#catalogue.about(id)))) throw unknownSession(id)
  }

  /** True if the caller may know of a session. One of a subagent counts like the session that started it. */
  async has(session: SessionSummary): Promise<boolean> {
    if (this.#grant === undefined) return true
    const { sessions, labels, folders } = this.#grant
    if (folders !== undefined && !isInOne(session.cwd, folders)) return false
    if (sessions === undefined && labels === undefined) return true
    for (let one: SessionSummary | undefined = session; one !== undefined; one = await this.#parentOf(one)) {
      const isNamed = sessions === undefined || sessions.includes(one.id)
      if (isNamed && (labels === undefined || one.labels?.some((label) => labels.includes(label))))
        return true
    }
    return false
  }

  /** Refuses to make a session that the caller could not see. */
  checkNew(cwd: string, labels: readonly string[]): void {
    const { sessions, labels: own, folders } = this.#grant ?? {}
    const mayName = own === undefined || labels.some((label) => own.includes(label))
    if (sessions === undefined && mayName && (folders === undefined || isInOne(cwd, folders))) return
    throw new ApiError(
      403,
      "forbidden",
      "This token may not make a session here.",
      "Its folders and labels, and that it is for single sessions, are listed by `sotto serve token list`.",
    )
  }

  async #parentOf({ parent }: SessionSummary): Promise<SessionSummary | undefined> {
    if (parent === undefined) return undefined
    try {
      return await this.#catalogue.about(parent)
    } catch (error) {
      if (error instanceof StoreError && error.code === "unknown-session") return undefined
      throw error
    }
  }
}

function isInOne(path: string, folders: readonly string[]): boolean {
  const real = realPath(path)
  return folders.some((folder) => {
    const way = relative(realPath(folder), real)
    return way === "" || (!isAbsolute(way) && way.split(/[\\/]/)[0] !== "..")
  })
}

/** Follows links, so that none leads out of a folder. A folder of another machine is taken as it is written. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return resolve(path)
  }
}
