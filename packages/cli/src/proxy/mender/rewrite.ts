import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { dataFolder, type Environment, privateFolder, replacePrivate } from "@sotto/harness"
import type { MendedRequest, Mender } from "@sotto/lens"
import { betasIn } from "@sotto/lens/sources"
import { decoded } from "../recorder/decode.js"
import { headerOf, replaced, without } from "../transport/headers.js"
import type { Instead } from "../transport/pass.js"
import type { CallHead, Rewrite } from "../transport/server.js"
import type { MendResult } from "../transport/tap.js"

/** Addresses of a model's API that ask for something else than an answer. */
const NO_CONVERSATION = /\/(count_tokens|input_tokens|compact)$|:countTokens$/

/** Has a mender look at requests. Whatever goes wrong in it, the original goes out. */
export function rewriting(mender: Mender, hasChanged: () => void): Rewrite {
  return async (call, body) => {
    const { endpoint } = call.route
    const [path = ""] = call.path.split("?")
    if (endpoint === undefined || NO_CONVERSATION.test(path)) return undefined
    const original = decoded(body, headerOf(call.headers, "content-encoding"))
    if ("problem" in original)
      return { mending: { mends: [], fellBack: `the request is ${original.problem}.` } }
    const betas = betasIn({ "anthropic-beta": headerOf(call.headers, "anthropic-beta") ?? [] })
    const request = { dialect: endpoint.dialect, path, body: original.text, ...(betas && { betas }) }
    const result = mendedBy(mender, request)
    hasChanged()
    const mending: MendResult = {
      mends: result.mends,
      ...(result.fellBack !== undefined && { fellBack: result.fellBack }),
    }
    if (result.body === original.text) return { mending }
    return {
      instead: instead(call, result),
      mending: { ...mending, body: result.body },
      wasRefused: (status) => {
        mender.refused?.(request)
        hasChanged()
        return { mends: [], fellBack: `the provider refused the mended request with ${status}.` }
      },
    }
  }
}

function mendedBy(mender: Mender, request: Parameters<Mender["mend"]>[0]): MendedRequest {
  try {
    return mender.mend(request)
  } catch (error) {
    return { body: request.body, mends: [], fellBack: `the mender failed (${String(error)}).` }
  }
}

/** Sends the mended body as it is, whatever the original was compressed with. */
function instead({ headers }: CallHead, { body: text, betas = [] }: MendedRequest): Instead {
  const body = Buffer.from(text)
  const kept = without(headers, (name) => name === "content-encoding" || name === "transfer-encoding")
  const sized = replaced(kept, "content-length", String(body.length))
  if (betas.length === 0) return { headers: sized, body }
  const listed = headerOf(sized, "anthropic-beta")
  const all = [...(listed === undefined ? [] : [listed]), ...betas].join(",")
  return { headers: replaced(sized, "anthropic-beta", all), body }
}

/** Milliseconds after a change until it is on disk. */
const SOON_MS = 500

/**
 * What a mender holds, in a file that only its owner can read: it has parts of conversations. A proxy that is started
 * again finds it by its port if that was given, and otherwise by the folder it works in.
 */
export class HeldState {
  readonly #path: string
  readonly #save: () => string
  readonly #complain: (error: unknown) => void
  #timer: NodeJS.Timeout | undefined

  constructor(path: string, save: () => string, complain: (error: unknown) => void) {
    this.#path = path
    this.#save = save
    this.#complain = complain
  }

  /** Something changed: it is written soon. */
  readonly touch = (): void => {
    this.#timer ??= setTimeout(() => this.flush(), SOON_MS)
  }

  /** Writes what has changed. */
  flush(): void {
    if (this.#timer === undefined) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    try {
      replacePrivate(this.#path, this.#save())
    } catch (error) {
      this.#complain(error)
    }
  }
}

/** Returns where the state is kept. Makes the folder. */
export function heldPath(env: Environment, place: { readonly port: number; readonly cwd: string }): string {
  const folder = join(dataFolder(env), "proxy")
  privateFolder(folder)
  const name = createHash("sha256")
    .update(place.port === 0 ? place.cwd : `port ${place.port}`)
    .digest("hex")
  return join(folder, `held-${name.slice(0, 16)}.json`)
}

export function readHeld(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return undefined
  }
}
