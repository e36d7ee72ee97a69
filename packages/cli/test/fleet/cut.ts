import { createServer, type Server, type Socket } from "node:net"

/** A proxy on loopback in front of the database, which can stop forwarding without closing anything: a cut cable. */
export interface Cable {
  readonly port: number
  /** How many messages have gone to the database. */
  readonly messages: number
  /** Makes the way there and back take so many milliseconds. */
  delay(roundTrip: number): void
  cut(): void
  /** Forwards again. `reset` closes what was open, as a router does that has forgotten the connections. */
  mend(reset: boolean): void
  close(): Promise<void>
}

export async function cableTo(port: number): Promise<Cable> {
  const pairs = new Set<readonly [Socket, Socket]>()
  let isCut = false
  let messages = 0
  let oneWay = 0
  const flow = (from: Socket, to: Socket) => {
    from.on("data", (bytes) => {
      if (oneWay === 0) to.write(bytes)
      // Timers of the same length come in the order in which they were set.
      else setTimeout(() => to.destroyed || to.write(bytes), oneWay)
    })
    from.on("close", () => !isCut && to.destroy())
    from.on("error", () => {})
  }
  const server: Server = createServer((near) => {
    const far: Socket = new (near.constructor as new () => Socket)()
    const pair = [near, far] as const
    pairs.add(pair)
    near.on("data", () => messages++)
    flow(near, far)
    flow(far, near)
    const gone = () => near.destroyed && far.destroyed && pairs.delete(pair)
    near.on("close", gone)
    far.on("close", gone)
    if (isCut) near.pause()
    else far.connect(port, "127.0.0.1")
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("The proxy has no port.")
  return {
    port: address.port,
    get messages() {
      return messages
    },
    delay: (roundTrip) => {
      oneWay = roundTrip / 2
    },
    cut: () => {
      isCut = true
      for (const pair of pairs) for (const end of pair) end.pause()
    },
    mend: (reset) => {
      isCut = false
      for (const [near, far] of pairs) {
        if (reset || (far.connecting === false && far.remotePort === undefined)) {
          near.destroy()
          far.destroy()
        } else for (const end of [near, far]) end.resume()
      }
    },
    close: async () => {
      for (const pair of pairs) for (const end of pair) end.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
