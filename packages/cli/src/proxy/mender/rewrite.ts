import type { MendedRequest, Mender } from "@sotto/lens"
import { betasIn } from "@sotto/lens/sources"
import { decoded } from "../recorder/decode.js"
import { headerOf, replaced, without } from "../transport/headers.js"
import type { Instead } from "../transport/pass.js"
import type { CallHead, Rewrite } from "../transport/server.js"
import type { MendResult } from "./mended.js"

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

/** The mended body goes out as it is, whatever the original was compressed with. */
function instead({ headers }: CallHead, { body: text, betas = [] }: MendedRequest): Instead {
  const body = Buffer.from(text)
  const kept = without(headers, (name) => name === "content-encoding" || name === "transfer-encoding")
  const sized = replaced(kept, "content-length", String(body.length))
  if (betas.length === 0) return { headers: sized, body }
  const listed = headerOf(sized, "anthropic-beta")
  const all = [...(listed === undefined ? [] : [listed]), ...betas].join(",")
  return { headers: replaced(sized, "anthropic-beta", all), body }
}
