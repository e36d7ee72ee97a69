import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { RehearsalOptions } from "./options.js"
import { StandInProvider } from "./provider.js"
import type { BilledRequest, RequestSeen } from "./record.js"

/** A running stand-in, with the requests that it has seen. */
export interface Rehearsal {
  /** Without a version: "http://127.0.0.1:8080". */
  readonly url: string
  readonly port: number
  /** Every request seen, in the order in which they were decided. */
  readonly requests: readonly RequestSeen[]
  /** What each answer is billed as, in the order in which the answers ended. */
  readonly billed: readonly BilledRequest[]
  close(): Promise<void>
}

/** Starts a stand-in for all the providers on loopback. */
export async function startRehearsal(options: RehearsalOptions = {}): Promise<Rehearsal> {
  const provider = new StandInProvider(options)
  const server = createServer((request, response) => void provider.serve(request, response))
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(options.port ?? 0, "127.0.0.1", resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests: provider.requests,
    billed: provider.billed,
    close: () =>
      new Promise((resolve, reject) => {
        server.close((cause) => (cause ? reject(cause) : resolve()))
        server.closeAllConnections()
      }),
  }
}
