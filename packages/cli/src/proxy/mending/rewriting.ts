import type { MendedRequest, Mender } from "@sotto/lens"
import { headerOf, replaced, without } from "../passing/headers.js"
import type { CallHead, Rewrite } from "../passing/server.js"
import { decoded } from "../recording/decode.js"
import type { Mending } from "./mended.js"

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
    const result = mendedBy(mender, { dialect: endpoint.dialect, path, body: original.text })
    hasChanged()
    const mending: Mending = {
      mends: result.mends,
      ...(result.fellBack !== undefined && { fellBack: result.fellBack }),
    }
    if (result.body === original.text) return { mending }
    return { instead: instead(call, result.body), mending: { ...mending, body: result.body } }
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
function instead({ headers }: CallHead, text: string) {
  const body = Buffer.from(text)
  const kept = without(headers, (name) => name === "content-encoding" || name === "transfer-encoding")
  return { headers: replaced(kept, "content-length", String(body.length)), body }
}
