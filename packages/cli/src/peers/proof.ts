import { createHmac } from "node:crypto"
import { Agent, type ClientRequestArgs, type IncomingMessage, request } from "node:http"
import { connect, type Socket } from "node:net"
import type { Duplex } from "node:stream"
import type { Registration } from "./registration.js"
import { isSame, newSecret } from "./secrets.js"

/*
 * How a server of the user proves that it is the one that wrote a registration, before anything secret is sent to it:
 *
 * 1. The client sends a random nonce to the address of the registration.
 * 2. The server answers with an HMAC of the nonce, what it is, and the address and port that the client has reached it by,
 *    keyed with the secret of the registration. Neither side sends the secret.
 * 3. The client compares, and sends its token on the same connection only.
 *
 * A program that has taken the port of a dead server does not know the secret. One that passes the nonce on to the real
 * server gets an answer for another address or port.
 */

export type Peer = "server" | "proxy"

/** What stands behind an address did not prove that it is the user's own. */
export class UnprovenPeer extends Error {
  override readonly name = "UnprovenPeer"
}

export const PROOF_PATH = "/.sotto/proof"
const NONCE = /^[\w-]{43}$/
const LARGEST_ANSWER = 4_096
/** Milliseconds until the whole answer of a server on this machine has to be there. */
export const PATIENCE_MS = 2_000

/** Computes the answer to a nonce, of the peer that a client reaches by this address and port. */
export function proofOf(
  peer: Peer,
  { host, port, secret }: Pick<Registration, "host" | "port" | "secret">,
  nonce: string,
): string {
  const said = JSON.stringify(["sotto proof 1", peer, host, port, nonce])
  return createHmac("sha256", secret).update(said).digest("base64url")
}

/** Answers a challenge that came in on a connection. Undefined if it has no proper nonce. */
export function answerTo(
  peer: Peer,
  secret: string,
  { url = "", socket }: IncomingMessage,
): string | undefined {
  const nonce = new URL(url, "http://127.0.0.1").searchParams.get("nonce") ?? ""
  if (!NONCE.test(nonce)) return undefined
  const host = (socket.localAddress ?? "").replace(/^::ffff:(?=[\d.]+$)/, "")
  return proofOf(peer, { host, port: socket.localPort ?? 0, secret }, nonce)
}

/** Finds the address by which this machine reaches a server that listens on `host`. */
export function reachedAt(host: string): string {
  return host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host
}

/**
 * Has a peer prove itself. Returns the connection on which it has: only what goes by this agent reaches that peer.
 * Throws UnprovenPeer for a wrong answer, and the system's error if no answer comes.
 */
export async function proven(peer: Peer, registration: Registration): Promise<Agent> {
  const { port, secret } = registration
  const host = reachedAt(registration.host)
  const agent = new OneConnection()
  const nonce = newSecret()
  try {
    const { status, text } = await asked({
      ...{ agent, host, port, path: `${PROOF_PATH}?nonce=${nonce}` },
      most: LARGEST_ANSWER,
      patience: PATIENCE_MS,
    })
    const given = status === 200 ? proofIn(text) : ""
    if (!isSame(given, proofOf(peer, { host, port, secret }, nonce))) throw new Error("the answer is wrong")
    return agent
  } catch (error) {
    agent.destroy()
    if (error instanceof Error && "code" in error && error.code === "ECONNREFUSED") throw error
    throw new UnprovenPeer(
      `The program on port ${port} did not prove that it is your ${peer}. Nothing was sent to it.`,
      { cause: error },
    )
  }
}

interface Asking extends ClientRequestArgs {
  readonly body?: string
  /** Bytes of the answer that are read at most. */
  readonly most?: number
  /** Milliseconds until the whole answer has to be there. */
  readonly patience?: number
}

/** Sends a request, and reads the answer as text. */
export function asked({
  body,
  most,
  patience,
  ...options
}: Asking): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const asking = request(options, (answer) => {
      const pieces: Buffer[] = []
      let size = 0
      answer.on("data", (piece: Buffer) => {
        size += piece.length
        if (most !== undefined && size > most) asking.destroy(new Error("the answer is too long"))
        else pieces.push(piece)
      })
      answer.once("error", reject)
      answer.once("end", () => {
        clearTimeout(late)
        resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(pieces).toString("utf8") })
      })
    })
    const late =
      patience === undefined
        ? undefined
        : setTimeout(() => asking.destroy(new Error("the answer takes too long")), patience)
    asking.once("error", (error) => {
      clearTimeout(late)
      reject(error)
    })
    asking.end(body)
  })
}

function proofIn(text: string): string {
  const found: unknown = JSON.parse(text)
  const proof = found !== null && typeof found === "object" && "proof" in found ? found.proof : undefined
  return typeof proof === "string" ? proof : ""
}

/** Connects once: a second connection might reach another program, because the proven one has ended. */
class OneConnection extends Agent {
  #isMade = false

  constructor() {
    super({ keepAlive: true, maxSockets: 1 })
  }

  override createConnection(
    options: ClientRequestArgs,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): Socket | undefined {
    if (!this.#isMade) {
      this.#isMade = true
      return connect({ host: String(options.host), port: Number(options.port) })
    }
    callback?.(
      new Error("the server has closed the connection on which it proved itself"),
      undefined as never,
    )
    return undefined
  }
}
