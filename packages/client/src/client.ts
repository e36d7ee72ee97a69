import { ServerOperations } from "./operations.js"
import { type ClientOptions, Transport } from "./transport.js"

/**
 * Talks to `sotto serve`. It has a method for every operation of /openapi.json. A method throws `SottoApiError` if the
 * server refuses, and what `fetch` throws if the server cannot be reached.
 */
export class SottoClient extends ServerOperations {
  constructor(options: ClientOptions) {
    super(new Transport(options))
  }
}
