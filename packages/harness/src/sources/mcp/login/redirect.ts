import { timingSafeEqual } from "node:crypto"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { startOf } from "../../../platform/text/text.js"
import { LinkError } from "../link-error.js"

/** What the browser has to bring back for a login to be this one. */
export interface ExpectedAnswer {
  readonly state: string
  /** Whom the answer has to be from, if it says so, or has to say so. */
  issuer(): { readonly issuer: string; readonly isRequired: boolean } | undefined
}

/** Where the browser comes back to. */
export interface RedirectListener {
  readonly address: string
  /** Resolves to the code. Rejects with LinkError if the login was refused. */
  readonly code: Promise<string>
  /** Takes an address that the user has pasted. Returns what is wrong with it; undefined if it was taken. */
  take(pasted: string): string | undefined
  close(): void
}

const PATH = "/callback"

/** Listens on this machine for the browser to come back with the code of a login. */
export async function listenForCode(expected: ExpectedAnswer, port = 0): Promise<RedirectListener> {
  let found: (code: string) => void = () => {}
  let refused: (why: LinkError) => void = () => {}
  const code = new Promise<string>((resolve, reject) => {
    found = resolve
    refused = reject
  })
  code.catch(() => undefined)
  const take = (address: URL): string | undefined => {
    const answer = answerIn(address.searchParams, expected)
    if (answer.is === "other") return answer.why
    if (answer.is === "code") found(answer.code)
    else refused(new LinkError("refused", answer.why))
    return undefined
  }
  const server = createServer((request, response) => {
    const address = addressIn(request.url ?? "", "http://127.0.0.1")
    const isOurs = request.method === "GET" && address?.pathname === PATH
    const problem = isOurs && address ? take(address) : "There is nothing here."
    response.writeHead(problem === undefined ? 200 : isOurs ? 400 : 404, {
      "content-type": "text/plain; charset=utf-8",
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      connection: "close",
    })
    response.end(problem ?? "Sotto has the answer. You can close this page and go back to the terminal.")
  })
  server.listen(port, "127.0.0.1")
  await once(server, "listening")
  const { port: taken } = server.address() as AddressInfo
  return {
    address: `http://127.0.0.1:${taken}${PATH}`,
    code,
    take: (pasted) => {
      const address = addressIn(pasted.trim())
      if (address === undefined)
        return "That is not an address. Paste the whole address that the browser shows at the end."
      return take(address)
    },
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

type Answer =
  | { readonly is: "code"; readonly code: string }
  | { readonly is: "refused"; readonly why: string }
  /** Not of this login: another program, or another page, has called. */
  | { readonly is: "other"; readonly why: string }

const LONGEST_REASON = 300

function answerIn(given: URLSearchParams, expected: ExpectedAnswer): Answer {
  if (!isSame(given.get("state") ?? "", expected.state))
    return { is: "other", why: "That is not the answer to this login: its state is another." }
  const from = given.get("iss")
  const wanted = expected.issuer()
  if (wanted !== undefined && (from === null ? wanted.isRequired : from !== wanted.issuer))
    return { is: "refused", why: "the answer is from another authorization server than was asked" }
  const error = given.get("error")
  if (error !== null) {
    const about = given.get("error_description")
    return { is: "refused", why: `the login was refused: ${startOf(about ?? error, LONGEST_REASON)}` }
  }
  const code = given.get("code")
  return code ? { is: "code", code } : { is: "other", why: "There is no code in that address." }
}

function addressIn(text: string, base?: string): URL | undefined {
  return URL.canParse(text, base) ? new URL(text, base) : undefined
}

function isSame(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)]
  return a.length === b.length && timingSafeEqual(a, b)
}
