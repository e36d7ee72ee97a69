import { Console } from "node:console"
import { Readable, Writable } from "node:stream"
import { setImmediate } from "node:timers/promises"
import { type AnyMessage, ndJsonStream, type Stream } from "@agentclientprotocol/sdk"
import { err } from "../screen/printer.js"

/** Speaks the protocol over this process's standard input and output, which then carry nothing else. */
export function stdioStream(debug: boolean): Stream {
  const silence = new Writable({ write: (_chunk, _encoding, done) => done() })
  globalThis.console = new Console(debug ? inertStderr() : silence)
  const output = Writable.toWeb(process.stdout) as WritableStream<Uint8Array>
  const input = Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>
  const { readable, writable } = ndJsonStream(output, input)
  return { readable: readable.pipeThrough(oneAtATime()), writable }
}

/** Prints what libraries log, for a user who looks on at a terminal. */
function inertStderr(): Writable {
  return new Writable({
    decodeStrings: false,
    write: (chunk, _encoding, done) => {
      err.print(String(chunk))
      done()
    },
  })
}

/**
 * Lets each handler begin before the next message is looked at, by a turn of the event loop. The SDK hands messages to
 * their handlers as they come, each along a way of its own: a cancel could overtake the prompt that it is for.
 */
function oneAtATime(): TransformStream<AnyMessage, AnyMessage> {
  return new TransformStream({
    transform: async (message, controller) => {
      // A batch, which the protocol has not, would close the connection; this is answered as what it is.
      controller.enqueue(Array.isArray(message) ? ({ batch: "not supported" } as never) : message)
      await setImmediate()
    },
  })
}
